// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files that show a run, which `bcu run` and `bcu check` write: the waveform, the picture and the trace.

use super::outcome::outcome;
use super::picture::Picture;
use super::slow::Slow;
use super::trace::TraceFile;
use super::wave::{self, shown_slots, Wave};
use crate::cmd::case::args::CaseArgs;
use crate::cmd::case::{Case, Ran};
use crate::cmd::headings::OUTPUT;
use crate::cmd::window::WindowArgs;
use crate::companion::{self, RTL};
use crate::failure::{print, Outcome, Result};
use crate::hardware::{Engine, Hardware};
use crate::outputs::NamedFile;
use bcu_machine::{is_interrupted, Cycle, Observer, Report};
use std::path::PathBuf;

/// The options of these files.
#[derive(Clone, clap::Args)]
pub struct RecordArgs {
    /// Write the waveform as VCD.
    ///
    /// Files for GTKWave and Surfer are written next to it.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub wave: Option<PathBuf>,
    /// Write a picture of the run as SVG.
    ///
    /// It shows which warps run and which wait, over time.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    timeline: Option<PathBuf>,
    #[command(flatten)]
    window: WindowArgs,
    /// Write a trace for <https://ui.perfetto.dev>.
    ///
    /// It is JSON: warps, waits, copies, and what releases what.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    trace: Option<PathBuf>,
    /// Only write the waveform of a run of this many cycles, and end with this exit code: `bcu` has printed the report.
    #[arg(long, hide = true, value_name = "CYCLES[:CODE]", value_parser = only_wave)]
    only_wave: Option<OnlyWave>,
}

/// The waveform of a run whose report `bcu` has printed.
#[derive(Clone, Copy)]
struct OnlyWave {
    cycles: u64,
    /// The result of the command; `None`: the result of the run.
    outcome: Option<Outcome>,
}

fn only_wave(text: &str) -> std::result::Result<OnlyWave, String> {
    let (cycles, code) = text.split_once(':').map_or((text, None), |(cycles, code)| (cycles, Some(code)));
    let outcome = match code {
        None => None,
        Some("0") => Some(Outcome::Good),
        Some("1") => Some(Outcome::CheckFailed),
        Some("2") => Some(Outcome::CouldNotRun),
        Some(other) => return Err(format!("`{other}` is no exit code; expected 0, 1 or 2")),
    };
    let cycles = cycles.parse().map_err(|_| format!("`{cycles}` is no number of cycles"))?;
    Ok(OnlyWave { cycles, outcome })
}

impl RecordArgs {
    /// The files, with their options.
    pub fn named(&self) -> Vec<NamedFile<'_>> {
        let files = [("--wave", &self.wave), ("--timeline", &self.timeline), ("--trace", &self.trace)];
        files.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
    }

    /// Has a command run where its engine is. `bcu` calls this without `hardware`; for any engine but the model it then starts a companion,
    /// which runs the whole command. If only the waveform needs the rust-hdl unit, `bcu` runs the command on the model, and the companion
    /// then writes the waveform. `load` reads the case, and `run` runs it and returns its result and its cycles. `prints_lines`: whether lines on the written
    /// files are printed.
    pub fn dispatch(
        &self,
        (case, programs, prints_lines): (&CaseArgs, &[PathBuf], bool),
        hardware: Option<&dyn Hardware>,
        load: impl Fn() -> Result<Case>,
        run: impl FnOnce(&Case, &RecordArgs, Engine) -> Result<(Outcome, u64)>,
    ) -> Result {
        let engine = case.engine(self.wave.is_some());
        if hardware.is_some() || engine == Engine::Model {
            if let Some(done) = case.rebuilt(engine, programs, hardware)? {
                return done;
            }
            return match self.only_wave {
                Some(only) => self.waveform((only, prints_lines), &load()?, engine, hardware),
                None => run(&load()?, self, engine).map(|(outcome, _)| outcome),
            };
        }
        // A report by the model and a waveform by the companion need two runs, but standard input can be read only once. For standard
        // input, the companion does both in one run.
        let Some(path) = self.wave.as_ref().filter(|_| !case.names_engine() && !case.reads_input(programs)) else {
            return companion::delegate(engine.companion());
        };
        wave::needs(path)?;
        let (outcome, cycles) = run(&load()?, &RecordArgs { wave: None, ..self.clone() }, Engine::Model)?;
        if is_interrupted() {
            return Ok(outcome);
        }
        let code = match outcome {
            Outcome::Good => 0,
            Outcome::CheckFailed => 1,
            Outcome::CouldNotRun => 2,
        };
        companion::delegate_with(RTL, &format!("--only-wave={cycles}:{code}"))
    }

    /// Writes the waveform of a run whose report `bcu` has printed, and prints the viewer commands.
    fn waveform(
        &self,
        (only, prints_lines): (OnlyWave, bool),
        case: &Case,
        engine: Engine,
        hardware: Option<&dyn Hardware>,
    ) -> Result {
        let mut slow = Slow::new(only.cycles);
        let mut observe = |cycle: &Cycle| slow.cycle(cycle.number);
        let files = RecordArgs { timeline: None, window: WindowArgs::default(), trace: None, ..self.clone() };
        let (ran, recorded) = files.run(case, engine, hardware, Observer::of_changes(&mut observe))?;
        let mismatches = ran.result.mismatches.len();
        let result = match ran.stopped() {
            // The command has printed why the program was stopped.
            Some(_) if only.outcome.is_some() => None,
            _ => Some(outcome(&ran.report()?, mismatches)),
        };
        if prints_lines {
            print(&recorded.lines)?;
        }
        Ok(only.outcome.or(result).unwrap_or(Outcome::CheckFailed))
    }

    /// Runs the case, and writes the waveform and the trace. A failed unit is debugged in them, so they are written before the failure is
    /// returned. The picture is written by [`Recorded::finish`].
    pub fn run(
        &self,
        case: &Case,
        engine: Engine,
        hardware: Option<&dyn Hardware>,
        observer: Observer,
    ) -> Result<(Ran, Recorded)> {
        let window = self.window.window(("--timeline", self.timeline.is_some()))?;
        let start = |path| Picture::start(path).map(|picture| picture.in_window(window));
        let mut picture = self.timeline.as_deref().map(start).transpose()?;
        let mut trace = self.trace.as_deref().map(|path| TraceFile::start(path, case)).transpose()?;
        let path = self.wave.as_deref();
        let mut device = case.device(engine, hardware, path.is_some())?;
        let mut wave = path.map(|path| Wave::start(path, case, &mut device, shown_slots(case)?)).transpose()?;
        let needs_all = wave.is_some() || picture.is_some() || trace.is_some() || observer.needs_all;
        let mut observe = |cycle: &Cycle| {
            wave.iter_mut().for_each(|wave| wave.cycle(cycle));
            picture.iter_mut().for_each(|picture| picture.intervals.cycle(cycle));
            trace.iter_mut().for_each(|trace| trace.events.cycle(cycle));
            (observer.observe)(cycle);
        };
        let ran = case.run(&mut device, engine, Observer { needs_all, observe: &mut observe })?;
        // The device holds a second handle of the waveform, and `finish` below needs the only handle.
        drop(device);
        let report = ran.report.as_ref();
        let mut lines = wave.map_or(Ok(String::new()), |wave| wave.finish(report))?;
        lines += &trace.map_or(Ok(String::new()), |trace| trace.finish(report))?;
        Ok((ran, Recorded { lines, picture }))
    }
}

/// A run whose waveform and trace are written.
pub struct Recorded {
    /// A line for each file, and the commands of viewers.
    lines: String,
    picture: Option<Picture>,
}

impl Recorded {
    /// Writes the picture, and returns a line for each file.
    pub fn finish(self, case: &Case, report: &Report) -> Result<String> {
        let picture = self.picture.map_or(Ok(String::new()), |picture| picture.finish(case, report))?;
        Ok(self.lines + &picture)
    }
}
