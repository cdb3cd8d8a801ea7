// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session: from a configuration, a machine and loaded programs to what their run leaves, for a command as well as for a library.
//!
//! Launches that may begin before the one before them has ended run together; the others run one after another, each with the memory that
//! those before it have left.

use crate::assume::Assumption;
use crate::cycle::Cycle;
use crate::describe::Machine;
use crate::extent;
use crate::interrupt::is_interrupted;
use crate::report::{Report, Verdict};
use crate::run::run_with;
use crate::run_error::RunError;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;
use bcu_model::dut::Dut;
use bcu_model::sizes::SizeError;
use bcu_model::Sizes;
use bcu_program::launch::{Left, Mismatch, Ready};
use bcu_program::{runs, Assignment, Run};

/// Everything that a run needs, read and checked.
pub struct Session {
    pub config: Config,
    /// Of the last run.
    pub machine: Machine,
    pub assignment: Assignment,
    /// Runs before it, on machines of their own.
    earlier: Vec<(Machine, Run)>,
    ready: Option<Ready>,
}

/// What a session leaves.
pub struct Ended {
    pub report: Report,
    /// Buffers; none unless all launches have completed.
    pub left: Left,
}

impl Session {
    /// Programs by warp, on the machine of `description`.
    ///
    /// # Errors
    /// A line of an assumption at which nothing depends on it.
    pub fn of_programs(config: Config, description: &Machine, assignment: Assignment) -> Result<Session, Diagnostic> {
        check_assumptions(description, std::slice::from_ref(&assignment.run))?;
        Ok(Session { config, machine: description.of_run(&assignment.run), assignment, earlier: vec![], ready: None })
    }

    /// Launches of one program, with their memory.
    ///
    /// # Errors
    /// As of [`Session::of_programs`], or nothing is launched.
    pub fn of_launches(config: Config, description: &Machine, ready: Ready) -> Result<Session, Diagnostic> {
        let mut runs = runs(&ready.launches);
        check_assumptions(description, &runs)?;
        let last = runs.pop().ok_or_else(|| Diagnostic::new(0..0, "nothing is launched", ""))?;
        let machine = description.of_run(&last);
        let earlier = runs.into_iter().map(|run| (description.of_run(&run), run)).collect();
        Ok(Session { config, machine, assignment: last.into(), earlier, ready: Some(ready) })
    }

    /// The unit that all launches can run on.
    ///
    /// # Errors
    /// Machine, programs and configuration do not fit; the span is a place in the text of the machine description.
    pub fn unit(&self) -> Result<&'static str, Diagnostic> {
        let earlier = self.earlier.iter().map(|(machine, run)| (machine, run));
        let mut name = WHOLE;
        for (machine, run) in earlier.chain([(&self.machine, &self.assignment.run)]) {
            let needed = extent::unit(machine, &self.config, &run.programs)?;
            name = if needed == WHOLE { name } else { needed };
        }
        Ok(name)
    }

    /// The ports of that unit.
    ///
    /// # Errors
    /// As of [`Session::unit`], or the model has no such size.
    pub fn ports(&self) -> Result<Vec<Port>, RunError> {
        let sizes = Sizes::try_from(&self.config).map_err(|error: SizeError| RunError::Size(error))?;
        let name = self.unit().map_err(RunError::Misfit)?;
        let none = || RunError::Misfit(Diagnostic::new(0..0, format!("there is no model of `{name}`"), ""));
        Ok(bcu_model::by_name(name, sizes).ok_or_else(none)?.ports().to_vec())
    }

    /// Warp slots of all multiprocessors.
    ///
    /// # Errors
    /// As of [`Session::unit`].
    pub fn warp_slots(&self) -> Result<usize, Diagnostic> {
        let several = self.unit()? != WHOLE;
        Ok(self.config.warps * if several { self.config.sms } else { 1 })
    }

    /// Runs on a device that has the ports of [`Session::unit`], with the model beside it, or on the model alone. The first launches that do
    /// not complete are the last. `observe` sees every cycle of the last run.
    ///
    /// # Errors
    /// Why there is no report; the warp of [`RunError::Program`] is one of [`Session::assignment`].
    pub fn run(&self, device: Option<&mut dyn Dut>, observe: &mut dyn FnMut(&Cycle)) -> Result<Ended, RunError> {
        let mut device = device;
        let mut variables = self.ready.as_ref().map_or(vec![], |ready| ready.memory.clone());
        for (machine, run) in &self.earlier {
            let dut = device.as_mut().map(|dut| -> &mut dyn Dut { &mut **dut });
            let report = run_with(dut, &self.config, machine, &run.programs, &mut variables, &mut |_| {})?;
            if report.verdict != Verdict::Completed {
                return Ok(Ended { report, left: Left::default() });
            }
        }
        let report = run_with(device, &self.config, &self.machine, &self.assignment.run.programs, &mut variables, observe)?;
        let ready = self.ready.as_ref().filter(|_| !is_interrupted());
        let left = ready.map_or_else(Left::default, |ready| ready.left(&variables));
        Ok(Ended { report, left })
    }

    /// How a buffer is not as expected; if an element is unknown, also where it comes from.
    pub fn explain(&self, mismatch: &Mismatch, report: &Report) -> String {
        let at = self.ready.as_ref().and_then(|ready| ready.unknown_at(mismatch));
        let from = report
            .unknown_values
            .iter()
            .find(|lost| at.is_some_and(|at| (lost.address..lost.address + lost.bytes).contains(&at)));
        let from = from.map_or(String::new(), |lost| format!("\n  the first unknown one was {lost}"));
        format!("{mismatch}{from}")
    }
}

fn check_assumptions(description: &Machine, runs: &[Run]) -> Result<(), Diagnostic> {
    let unused = |assumption: &&Assumption| !runs.iter().any(|run| assumption.fits(&run.programs));
    match description.assumptions.iter().find(unused) {
        Some(assumption) => {
            let message = format!("assumption: line {} has no instruction with a guard", assumption.line);
            Err(Diagnostic::new(0..0, message, "").help("name the line of a branch or barrier that begins with `@`"))
        }
        None => Ok(()),
    }
}
