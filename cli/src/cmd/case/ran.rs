// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of a run, and the exit code of a run without a report.

use crate::failure::{Failure, Result};
use bcu_machine::{Report, RunError};
use bcu_program::launch::LaunchResult;

/// The result of a run. `error` is set if the unit failed or the program could not continue; even
/// then there may be a report.
pub struct Ran {
    pub report: Option<Report>,
    pub(super) error: Option<Failure>,
    pub result: LaunchResult,
}

impl Ran {
    /// The report of a run that was stopped by its program.
    pub fn stopped(&self) -> Option<&Report> {
        self.report.as_ref().filter(|report| report.stop.is_some())
    }

    /// The report, or as an error the failure of the unit or of the program.
    pub fn report(self) -> Result<Report> {
        match (self.report, self.error) {
            (Some(report), None) => Ok(report),
            (_, Some(error)) => Err(error),
            (None, None) => Err(of_unit("the run has ended without a report")),
        }
    }
}

/// The failure for an error of the unit. The exit code is that of a failed check.
pub(super) fn of_unit(message: impl std::fmt::Display) -> Failure {
    Failure::check(message, Some("this is an error of the unit, not of the program; `bcu regress` searches for further errors"))
}

/// The failure for a run without a report. A fault that no program can cause is an error of the
/// simulator, so the command could not run. Any other error is an error of the unit, and a failed check.
pub(super) fn of_run(error: &RunError) -> Failure {
    let RunError::ImpossibleFault(fault) = error else { return of_unit(error) };
    let command: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let help = format!(
        "this is an error of the simulator, not of the program; report this message with the program and the command: {}",
        command.join(" ")
    );
    Failure::plain(fault, Some(&help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_machine::{Contradiction, ImpossibleFault};

    #[test]
    fn a_fault_that_no_program_can_cause_could_not_run_and_a_unit_that_differs_is_a_failed_check() {
        let fault = ImpossibleFault {
            cycle: 9,
            code: "warp_blocked".to_string(),
            operation: "the exit of CTA 0 warp 1 (line 2: EXIT)".to_string(),
            ports: vec!["`exit`: warp slot 1, lanes 0xf".to_string()],
            run: "configuration small".to_string(),
        };
        let Failure::CouldNotRun(said) = of_run(&RunError::ImpossibleFault(Box::new(fault))) else { panic!("a failed check") };
        let begin = "error: cycle 9: the unit refuses the exit of CTA 0 warp 1 (line 2: EXIT) as `warp_blocked`, which no program can cause\n  \
                     `exit`: warp slot 1, lanes 0xf\n  configuration small\nhelp: ";
        assert!(said.starts_with(begin) && said.contains("report this message with the program and the command: "), "{said}");
        let differs = RunError::Contradiction(Contradiction { cycle: 9, what: String::new() });
        assert!(matches!(of_run(&differs), Failure::CheckFailed(_)));
    }
}
