// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs launches in the simulator, in which the unit runs as machine code.

use anyhow::{anyhow, Result};
use bcu_isa::diag::Diagnostic;
use bcu_machine::{run_with, unit, Machine, Observer, Report, RunError, Verdict};
use bcu_program::launch::{prepare, Buffer, KernelLaunch, Missing, Unprepared};
use bcu_program::runs;
use bcu_tb::kernels::Units;
use std::num::NonZeroU32;

/// A launch that takes more cycles than this counts as one that does not end.
const MOST_CYCLES: NonZeroU32 = NonZeroU32::new(50_000_000).unwrap();

/// The configuration that runs the launches. It has as many warps and barriers as a block can have.
const CONFIG: &str = "default";

pub struct Simulator {
    units: Units,
    most_cycles: NonZeroU32,
}

/// Launches of one program on the same buffers.
pub struct Work<'a> {
    /// The name of the program's file, for messages.
    pub file: &'a str,
    pub text: &'a str,
    pub launches: &'a [KernelLaunch],
    pub buffers: &'a [Buffer],
}

impl Simulator {
    pub fn new() -> Result<Simulator> {
        Simulator::limited(MOST_CYCLES)
    }

    /// A simulator that stops a launch after `most_cycles` cycles.
    pub fn limited(most_cycles: NonZeroU32) -> Result<Simulator> {
        Ok(Simulator { units: Units::new(CONFIG).map_err(|error| anyhow!(error))?, most_cycles })
    }

    /// Runs the launches, and returns the buffers after the last one. `describe_errors` converts
    /// errors in the launch file to text. An error is a sentence.
    pub fn run(&mut self, work: &Work, describe_errors: &dyn Fn(&[Diagnostic]) -> String) -> Result<Vec<Buffer>, String> {
        let (reports, after) = self.reports(work, describe_errors)?;
        match reports.iter().find(|report| report.verdict != Verdict::Completed) {
            Some(report) => Err(format!("the verdict of the run is `{}`; see `bcu run` for the reason", report.verdict.name())),
            None => Ok(after),
        }
    }

    /// Runs the launches up to the first run that does not complete. Returns the reports, and the
    /// buffers after the last of these runs.
    pub fn reports(
        &mut self,
        work: &Work,
        describe_errors: &dyn Fn(&[Diagnostic]) -> String,
    ) -> Result<(Vec<Report>, Vec<Buffer>), String> {
        let common = Machine { max_cycles: self.most_cycles, ..Machine::default() };
        let base = common.launch(self.units.config().lanes);
        let of_program = |errors: &[Diagnostic]| super::case::describe_errors(work.file.as_ref(), work.text, errors);
        let prepared = prepare(work.text, &base, work.launches, work.buffers, Missing::Refused).map_err(|why| match why {
            Unprepared::Program(errors) => of_program(&errors),
            Unprepared::Launch(errors) => describe_errors(&errors),
        })?;
        let addresses: Vec<u64> = prepared.buffers.iter().map(|buffer| buffer.address).collect();
        let mut variables = prepared.buffers;
        let mut reports = vec![];
        for run in runs(&prepared.launches) {
            let machine = common.of_run(&run);
            let name = unit(&machine, self.units.config(), &run.programs).map_err(|error| error.message)?;
            let (config, unit) = self.units.get(name)?;
            let report = run_with(Some(unit), config, &machine, &run.programs, &mut variables, Observer::of_all(&mut |_| {}));
            let report = report.map_err(|error| match error {
                RunError::Program { stopped, .. } => of_program(&[stopped.diagnostic]),
                error => error.to_string(),
            })?;
            let stops = report.verdict != Verdict::Completed;
            reports.push(report);
            if stops {
                break;
            }
        }
        let buffer_after =
            |(buffer, address): (&Buffer, &u64)| match variables.iter().find(|variable| variable.address == *address) {
                Some(variable) => buffer.with_content(&variable.bytes),
                None => buffer.clone(),
            };
        Ok((reports, work.buffers.iter().zip(&addresses).map(buffer_after).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silicon::case::Case;
    use bcu_program::launch::compare;

    #[test]
    fn kernels_for_every_device_give_what_their_files_expect() {
        let mut simulator = Simulator::new().unwrap();
        let targets: &[(u32, u32)] = &[(8, 0), (9, 0), (10, 0)];
        // Kernels with clusters or dependent grids have no program for compute capability 8.0.
        let newer = &targets[1..];
        for (name, capabilities) in [
            ("relay", targets),
            ("stencil2d", targets),
            ("dynamic_shared", targets),
            ("last_block", targets),
            ("cluster_reduce", newer),
            ("dependent_grids", newer),
        ] {
            let case = Case::read(&xtask::root().join("examples/kernels").join(name), 1).unwrap();
            for capability in capabilities.iter().copied() {
                let program = case.program(capability).unwrap();
                let work =
                    Work { file: &program.file, text: &program.text, launches: &case.file.launches, buffers: &case.buffers };
                let after = simulator.run(&work, &|errors| case.describe_errors(errors)).unwrap();
                assert!(!case.expected.is_empty());
                for expected in &case.expected {
                    let same = compare(&expected.wanted, &after[expected.buffer], expected.tolerance);
                    assert!(same.is_ok(), "{name}, {}: {same:?}", program.file);
                }
            }
        }
    }

    #[test]
    fn what_does_not_run_is_a_sentence_with_its_place() {
        let mut simulator = Simulator::new().unwrap();
        let case = Case::read(&xtask::root().join("examples/kernels/relay"), 1).unwrap();
        let mut why = |text: &str| {
            let work = Work { file: "x.ptx", text, launches: &case.file.launches, buffers: &case.buffers };
            simulator.run(&work, &|errors| case.describe_errors(errors)).err().unwrap_or_default()
        };
        assert!(why(".version 8.0\n.target sm_80\nbra bra;\n").contains("x.ptx:3:"));
        assert!(why(".version 8.0\n.target sm_80\n.entry k() { ret; }\n").contains("launch.toml:"));
        let stuck = why(".version 8.0\n.target sm_80\n.entry k(.param .u64 a, .param .u64 b) { bar.sync 0, 1024; ret; }\n");
        assert!(stuck.contains("the verdict of the run is `"), "{stuck}");
    }
}
