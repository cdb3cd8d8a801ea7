// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input of `bcu run` and `bcu check`: a session (programs, machine and configuration), and the files that it was read from.

pub mod args;
mod cuda_source;
mod grids;
mod language;
mod launch;
pub(crate) mod nvcc;
mod programs;
mod progress;
mod ran;
mod read;
mod setup;

pub use cuda_source::source_kernels;
pub use programs::Program;
pub use progress::Progress;
pub use ran::Ran;
pub use setup::Setup;

use crate::diag::Source;
use crate::failure::{complain, Failure, Result};
use crate::hardware::{Device, Engine, Hardware};
use crate::interrupt::running;
use bcu_isa::diag::Diagnostic;
use bcu_isa::ports::Port;
use bcu_machine::{Cycle, Ended, Observer, Report, RunError, Session, Stopped};
use bcu_model::dut::Dut;
use bcu_program::launch::{LaunchResult, Mismatch};
use grids::Output;
use ran::{of_run, of_unit};

/// How to print the result.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// A session, and the files that it was read from.
pub struct Case {
    pub session: Session,
    pub sources: Vec<Program>,
    description: Source,
    outputs: Vec<Output>,
    pub setup: Setup,
}

impl Case {
    /// Prints the loaders' warnings about the programs.
    pub fn warn(&self) {
        for (file, program) in self.sources.iter().enumerate() {
            let of_file = self.session.assignment.warnings.iter().filter(|(warned_file, _)| *warned_file == file);
            program.source.warn(&of_file.map(|(_, warning)| warning.clone()).collect::<Vec<_>>());
        }
    }

    /// Describes the differences between the buffers after a run and their expected contents.
    pub fn explain(&self, mismatches: &[Mismatch], report: &Report) -> Vec<String> {
        mismatches.iter().map(|mismatch| self.session.explain(mismatch, report)).collect()
    }

    /// The file names of the programs, for headings.
    pub fn name(&self) -> String {
        self.sources.iter().map(Program::file_name).collect::<Vec<_>>().join(", ")
    }

    /// The number of warp slots of all multiprocessors together.
    pub fn warp_slots(&self) -> Result<usize> {
        self.session.warp_slots().map_err(|error| self.misfit(error))
    }

    /// The name of the unit that all launches can run on.
    pub fn unit(&self) -> Result<&'static str> {
        self.session.unit().map_err(|error| self.misfit(error))
    }

    /// The ports of the unit that all launches can run on.
    pub fn ports(&self) -> Result<Vec<Port>> {
        self.session.ports().map_err(|error| match error {
            RunError::Misfit(error) => self.misfit(error),
            other => Failure::plain(other, None),
        })
    }

    /// The device that runs the unit in place of the model, `traced` if it writes a waveform; `None` if `engine` is the model.
    pub fn device(&self, engine: Engine, hardware: Option<&dyn Hardware>, traced: bool) -> Result<Option<Box<dyn Device>>> {
        let open_device = |hardware: &dyn Hardware| hardware.device(engine, &self.session.config, self.unit()?, traced);
        hardware.filter(|_| engine != Engine::Model).map(open_device).transpose()
    }

    /// The failure for a machine, programs and a configuration that do not fit together.
    fn misfit(&self, error: Diagnostic) -> Failure {
        match self.description.text.is_empty() || error.span.is_empty() {
            false => self.description.errors(&[as_written(error, &self.description.text)]),
            true => Failure::plain(error.message, error.help.as_deref()),
        }
    }

    /// The failure for a program that cannot continue. If the program itself is wrong, this is a failed check.
    fn stopped(&self, warp: usize, stopped: &Stopped) -> Failure {
        let file = self.session.assignment.owners.get(warp).copied().unwrap_or(0);
        let Some(program) = self.sources.get(file) else { return Failure::plain(stopped.diagnostic.message.clone(), None) };
        let mut diagnostic = stopped.diagnostic.clone();
        diagnostic.help = diagnostic.help.map(|help| program.with_source_names(&help));
        let origin = self.session.origin(warp, &diagnostic.span).map(|origin| program.origins.locate(&origin));
        let text = program.source.error_text(&diagnostic, origin);
        match stopped.is_wrong() {
            true => Failure::CheckFailed(text),
            false => Failure::CouldNotRun(text),
        }
    }

    /// Warns of constraints of the schedule file that the run has not followed.
    fn warn_of_schedule(&self, report: &Report) {
        let (unfollowed, all) = (report.scheduled.unfollowed_constraints, self.session.machine.schedule.constraints.len());
        if unfollowed > 0 {
            complain(&format!(
                "warning: the run has not followed {unfollowed} of the {all} constraints of the schedule: an execution does not occur, or \
                 cannot occur in this order"
            ));
        }
    }

    /// The texts of the programs.
    pub fn texts(&self) -> Vec<&str> {
        self.sources.iter().map(|program| program.source.text.as_str()).collect()
    }

    /// Runs on the device, or on the model if there is none, and writes the output buffers. Prints the progress of a long run.
    pub fn run(&self, device: &mut Option<Box<dyn Device>>, engine: Engine, observer: Observer) -> Result<Ran> {
        let mut progress = Progress::new();
        let mut observe = |cycle: &Cycle| {
            progress.reach(cycle.number);
            (observer.observe)(cycle);
        };
        let watched = Observer { needs_all: observer.needs_all, observe: &mut observe };
        running(|| self.run_silent(device, engine, watched))
    }

    /// Like [`Case::run`], without progress, inside of [`running`].
    pub fn run_silent(&self, device: &mut Option<Box<dyn Device>>, engine: Engine, observer: Observer) -> Result<Ran> {
        let dut = device.as_mut().map(|device| -> &mut dyn Dut { &mut **device });
        let ended = self.session.run(dut, observer);
        let failure = device.as_ref().and_then(|device| device.failure()).map(of_unit);
        match ended {
            Err(RunError::Program { warp, stopped, report, .. }) => {
                // If the unit failed, the program's behaviour is no evidence that the program is
                // wrong, so the report is dropped.
                let report = report.filter(|_| failure.is_none());
                let report = report.map(|report| Report { engine: Some(engine.name()), ..*report });
                let error = failure.unwrap_or_else(|| self.stopped(warp, &stopped));
                Ok(Ran { report, error: Some(error), result: LaunchResult::default() })
            }
            Err(RunError::Misfit(error)) => Err(self.misfit(error)),
            Err(error) => Ok(Ran { report: None, error: failure.or(Some(of_run(&error))), result: LaunchResult::default() }),
            Ok(Ended { mut report, launch_result: result, .. }) => {
                report.engine = Some(engine.name());
                self.warn_of_schedule(&report);
                grids::write(&self.outputs, &result.buffers)?;
                Ok(Ran { report: Some(report), error: failure, result })
            }
        }
    }
}

/// Changes the number in the message to the notation of `text` if the number at the location of the error has the prefix 0x, 0o or 0b.
fn as_written(mut error: Diagnostic, text: &str) -> Diagnostic {
    let written = text.get(error.span.clone()).unwrap_or("");
    let digits =
        [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(front, base)| Some((written.strip_prefix(front)?, base)));
    if let Some(value) = digits.and_then(|(digits, base)| u64::from_str_radix(&digits.replace('_', ""), base).ok()) {
        let value = value.to_string();
        let words: Vec<&str> = error.message.split(' ').map(|word| if word == value { written } else { word }).collect();
        error.message = words.join(" ");
    }
    error
}
