// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session: runs loaded programs with a configuration and a machine, and returns the report and the buffers. Commands and the library use
//! it.
//!
//! Launches that may start before the previous launch has ended run together; the others run one after another, each with the memory
//! contents that the previous runs left.

use crate::assume::Assumption;
use crate::check::finding::Subject;
use crate::cycle::Observer;
use crate::describe::Machine;
use crate::extent;
use crate::interrupt::is_interrupted;
use crate::plan::plan;
use crate::priorities::{Priorities, DEPTHS};
use crate::report::{Report, UnsetRead, Verdict};
use crate::run::run_with;
use crate::run_error::RunError;
use crate::schedule_file::{Execution, Schedule};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;
use bcu_model::dut::Dut;
use bcu_model::sizes::SizeError;
use bcu_model::Sizes;
use bcu_program::launch::{LaunchResult, Mismatch, Ready};
use bcu_program::{runs, Assignment, Origin, Place, Run, Variable};
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// The limit of cycles of a run with priorities, as a multiple of the limit of a run without them.
const BY_PRIORITIES: NonZeroU32 = NonZeroU32::new(50).unwrap();
/// The cycles that are added to the limit of a run with constraints, of which some may have to be given up.
const BY_CONSTRAINTS: u32 = 50_000;

/// All inputs of a session, read and checked.
pub struct Session {
    pub config: Config,
    /// The machine of the session's last run.
    pub machine: Machine,
    pub assignment: Assignment,
    /// The runs before the last one, with their machines.
    earlier: Vec<(Machine, Run)>,
    ready: Option<Ready>,
    /// Global memory before the first run, if there is no launch file.
    pub memory: Vec<Variable>,
}

/// The result of a session.
pub struct Ended {
    pub report: Report,
    /// The buffers after the last run; empty if there are no launches, if an earlier run has not
    /// completed, or after an interrupt.
    pub launch_result: LaunchResult,
    /// The contents of global memory after the last run: buffers, and variables of the programs.
    pub variables: Vec<Variable>,
}

impl Session {
    /// A session of programs that are assigned to warps, on the machine of `description`.
    ///
    /// # Errors
    /// An assumption names a line in which no program has a guarded instruction.
    pub fn of_programs(config: Config, description: &Machine, assignment: Assignment) -> Result<Session, Diagnostic> {
        check_assumptions(description, std::slice::from_ref(&assignment.run))?;
        Ok(Session {
            config,
            machine: description.of_run(&assignment.run),
            assignment,
            earlier: vec![],
            ready: None,
            memory: vec![],
        })
    }

    /// A session of launches of one program, with their memory.
    ///
    /// # Errors
    /// The errors of [`Session::of_programs`], or an error if there is no launch.
    pub fn of_launches(config: Config, description: &Machine, ready: Ready) -> Result<Session, Diagnostic> {
        let mut runs = runs(&ready.launches);
        check_assumptions(description, &runs)?;
        let last = runs.pop().ok_or_else(|| Diagnostic::new(0..0, "nothing is launched", ""))?;
        let machine = description.of_run(&last);
        let earlier = runs.into_iter().map(|run| (description.of_run(&run), run)).collect();
        Ok(Session { config, machine, assignment: last.into(), earlier, ready: Some(ready), memory: vec![] })
    }

    /// A sentence for each launch of which only a part of the grid runs.
    pub fn parts(&self) -> Vec<String> {
        let runs = self.earlier.iter().map(|(_, run)| run).chain([&self.assignment.run]);
        let mut parts = vec![];
        for run in runs {
            let mut first = 0;
            for size in &run.grids {
                let grid = run.programs.get(first).map(|program| &program.grid);
                parts.extend(grid.and_then(|grid| Some(grid.part.as_ref()?.sentence(grid.clusters.grid()))));
                first += size.ctas * size.warps;
            }
        }
        parts
    }

    /// Whether there are runs before the last one.
    pub fn has_earlier_runs(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// The session as the subject of a check. `files` are the texts of the program files; `strict`: as [`Subject::strict`].
    pub fn subject<'a>(&'a self, files: &'a [&'a str], strict: bool) -> Subject<'a> {
        Subject {
            files,
            programs: &self.assignment.run.programs,
            earlier: self.earlier.iter().flat_map(|(_, run)| &run.programs).collect(),
            owners: &self.assignment.owners,
            warnings: &self.assignment.warnings,
            machine: &self.machine,
            config: &self.config,
            strict,
        }
    }

    /// The location of an execution in the last run; `None` if its warp or instruction does not exist.
    pub fn place(&self, execution: &Execution) -> Option<Place> {
        let Execution { cta, warp, function, instr, .. } = *execution;
        let programs = &self.assignment.run.programs;
        let plans = plan(&self.machine, &self.config, programs).ok()?;
        let index = plans.iter().find(|plan| plan.cta == cta)?.index(warp, programs)?;
        Some(programs.get(index)?.code.instr(function, instr)?.place.clone())
    }

    /// The location in the source from which the instruction at a span of the text of program `program` was compiled.
    pub fn origin(&self, program: usize, span: &Range<usize>) -> Option<Arc<Origin>> {
        let functions = &self.assignment.run.programs.get(program)?.code.functions;
        let mut instrs = functions.iter().flat_map(|function| &function.instrs);
        instrs.find(|instr| instr.span.contains(&span.start))?.place.origin.clone()
    }

    /// A digest of the instructions of the programs, for schedule files.
    pub fn digest(&self) -> String {
        // FNV-1a, whose values do not depend on the release of a library.
        let add = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let functions = self.assignment.run.programs.iter().flat_map(|program| &program.code.functions);
        let texts = functions.flat_map(|function| &function.instrs).flat_map(|instr| instr.place.text.bytes().chain([b'\n']));
        format!("{:016x}", texts.fold(0xcbf2_9ce4_8422_2325, add))
    }

    /// Lets the last run follow a schedule.
    ///
    /// # Errors
    /// The schedule is for other programs, or has an execution of a warp or an instruction that does not exist.
    pub fn follow(&mut self, schedule: &Schedule) -> Result<(), Diagnostic> {
        let help =
            "use the schedule with the program, the launch and the options from which it was written, or write it anew by \
                    `bcu check --save-schedule`";
        if let Some(Priorities { depth, operations, .. }) = schedule.priorities {
            if !DEPTHS.contains(&depth) || operations == 0 {
                let (first, last) = (DEPTHS.start(), DEPTHS.end());
                let message = format!("`[priorities]`: expected a depth from {first} to {last}, and at least one operation");
                return Err(Diagnostic::new(0..0, message, "").help(help));
            }
        }
        let mut executions = schedule.constraints.iter().flat_map(|constraint| [&constraint.delayed, &constraint.after]);
        if executions.any(|execution| execution.time == 0) {
            return Err(
                Diagnostic::new(0..0, "`time` is 0; the first execution of an instruction has the time 1", "").help(help)
            );
        }
        if schedule.programs.as_ref().is_some_and(|programs| *programs != self.digest()) {
            return Err(Diagnostic::new(0..0, "the schedule was written for other instructions", "").help(help));
        }
        let executions = schedule.constraints.iter().flat_map(|constraint| [&constraint.delayed, &constraint.after]);
        if let Some(Execution { cta, warp, function, instr, .. }) = executions.into_iter().find(|of| self.place(of).is_none()) {
            let message = format!("warp {warp} of CTA {cta} has no instruction {instr} in function {function}");
            return Err(Diagnostic::new(0..0, message, "").help(help));
        }
        self.machine.schedule = schedule.clone();
        self.machine.is_explored = true;
        Ok(())
    }

    /// Lets the last run be the first one of an exploration.
    pub fn begin_exploration(&mut self) {
        self.machine.is_explored = true;
    }

    /// Lets all runs detect races.
    pub fn detect_races(&mut self) {
        self.earlier.iter_mut().for_each(|(machine, _)| machine.races = true);
        self.machine.races = true;
    }

    /// The name of a unit on which all launches can run.
    ///
    /// # Errors
    /// Machine, programs and configuration do not fit together; the span is in the text of the machine description.
    pub fn unit(&self) -> Result<&'static str, Diagnostic> {
        let earlier = self.earlier.iter().map(|(machine, run)| (machine, run));
        let mut name = WHOLE;
        for (machine, run) in earlier.chain([(&self.machine, &self.assignment.run)]) {
            let needed = extent::unit(machine, &self.config, &run.programs)?;
            name = if needed == WHOLE { name } else { needed };
        }
        Ok(name)
    }

    /// The ports of the unit [`Session::unit`].
    ///
    /// # Errors
    /// The errors of [`Session::unit`], or an error if the model cannot be built with these sizes.
    pub fn ports(&self) -> Result<Vec<Port>, RunError> {
        let sizes = Sizes::try_from(&self.config).map_err(|error: SizeError| RunError::Size(error))?;
        let name = self.unit().map_err(RunError::Misfit)?;
        let none = || RunError::Misfit(Diagnostic::new(0..0, format!("`{name}`: the unit has no model"), ""));
        Ok(bcu_model::by_name(name, sizes).ok_or_else(none)?.ports().to_vec())
    }

    /// The number of warp slots of all multiprocessors.
    ///
    /// # Errors
    /// The errors of [`Session::unit`].
    pub fn warp_slots(&self) -> Result<usize, Diagnostic> {
        let several = self.unit()? != WHOLE;
        Ok(self.config.warps * if several { self.config.sms } else { 1 })
    }

    /// Runs the launches next to the model on a device with the ports of [`Session::unit`], or on the model alone without a device. The
    /// session ends after the first run that does not complete. `observer` gets the cycles of the last run.
    ///
    /// # Errors
    /// The reason that there is no report. CTA and warp of [`RunError::Program`] belong to the
    /// failed run, which may be a run before the last one.
    pub fn run(&self, device: Option<&mut dyn Dut>, observer: Observer) -> Result<Ended, RunError> {
        self.run_on(device, &self.machine, observer)
    }

    /// As `run`, with another machine for the last run.
    fn run_on(&self, device: Option<&mut dyn Dut>, last: &Machine, observer: Observer) -> Result<Ended, RunError> {
        let mut device = device;
        let mut variables = self.ready.as_ref().map_or_else(|| self.memory.clone(), |ready| ready.memory.clone());
        let mut earlier: Option<Report> = None;
        for (machine, run) in &self.earlier {
            let dut = device.as_mut().map(|dut| -> &mut dyn Dut { &mut **dut });
            let report =
                run_with(dut, &self.config, machine, &run.programs, &mut variables, Observer::of_changes(&mut |_| {}))?;
            if report.verdict != Verdict::Completed {
                return Ok(Ended { report: report.after(earlier), launch_result: LaunchResult::default(), variables });
            }
            earlier = Some(report.after(earlier));
        }
        let report = run_with(device, &self.config, last, &self.assignment.run.programs, &mut variables, observer)?;
        let mut report = report.after(earlier);
        // A variable that one of the runs stores to is no missing input of another.
        let is_unset = |read: &UnsetRead| variables.iter().any(|one| one.address == read.address && one.unset.is_some());
        report.unset_reads.retain(is_unset);
        let ready = self.ready.as_ref().filter(|_| !is_interrupted());
        let launch_result = ready.map_or_else(LaunchResult::default, |ready| ready.result(&variables));
        Ok(Ended { report, launch_result, variables })
    }

    /// As [`Session::run`] on the model alone, where the last run is part of an exploration and follows a schedule.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_schedule(&self, schedule: &Schedule, observer: Observer) -> Result<Ended, RunError> {
        // A schedule makes the run longer.
        let factor = if schedule.priorities.is_some() { BY_PRIORITIES } else { NonZeroU32::MIN };
        let added = if schedule.constraints.is_empty() { 0 } else { BY_CONSTRAINTS };
        let max_cycles = self.machine.max_cycles.saturating_mul(factor).saturating_add(added);
        let machine = Machine { schedule: schedule.clone(), is_explored: true, max_cycles, ..self.machine.clone() };
        self.run_on(None, &machine, observer)
    }

    /// Describes a difference between a buffer and its expected contents. For an unknown element, the text includes the instruction that
    /// made it unknown.
    pub fn explain(&self, mismatch: &Mismatch, report: &Report) -> String {
        let at = self.ready.as_ref().and_then(|ready| ready.unknown_at(mismatch));
        let from = report
            .unknown_values
            .iter()
            .find(|lost| at.is_some_and(|at| (lost.address..lost.address + lost.bytes).contains(&at)));
        let from = from.map_or(String::new(), |lost| format!("\n  the first unknown element was {lost}"));
        format!("{mismatch}{from}")
    }
}

fn check_assumptions(description: &Machine, runs: &[Run]) -> Result<(), Diagnostic> {
    let unused = |assumption: &&Assumption| !runs.iter().any(|run| assumption.fits(&run.programs));
    match description.assumptions.iter().find(unused) {
        Some(assumption) => {
            let message = format!("`--assume`: line {} has no instruction with a guard", assumption.line);
            Err(Diagnostic::new(0..0, message, "").help("name the line of a branch or barrier that begins with `@`"))
        }
        None => Ok(()),
    }
}
