// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a program on the machine, with the model of the unit.

use super::outcome::Shown;
use super::program::{Program, GLOBAL_WORDS, MOST_OPS, SHARED_WORDS};
use bcu_isa::config::{named, Config};
use bcu_machine::{run_with, Fill, Machine, Observer, Policy, Report, RunError, Session, Verdict};
use bcu_program::{load, Image, Kind, Launch, Run, Variable};
use std::num::NonZeroU32;

/// The address of the buffer `out`.
const OUT: u64 = 0x2_0000_0000;

/// A run on the machine.
#[derive(Clone, Debug)]
pub struct Ran {
    pub report: Report,
    /// The buffer `out` and global memory after the run.
    pub variables: Vec<Variable>,
}

/// The machine for a schedule: warps and latencies are drawn by the seed. The latencies are short, so that accesses and copies often end
/// in another order than they begin.
pub fn machine(seed: u64) -> Machine {
    let mut machine = Machine { seed, policy: Policy::Random, fill: Fill::Zero, ..Machine::default() };
    machine.latency.shared = NonZeroU32::new(5).unwrap_or(NonZeroU32::MIN);
    machine.latency.global = NonZeroU32::new(10).unwrap_or(NonZeroU32::MIN);
    machine.latency.spread = [10, 60, 200][(seed % 3) as usize];
    machine
}

/// Runs a program with the schedule of a seed.
///
/// # Errors
/// The text is refused, or there is no report; the message says why.
pub fn run(program: &Program, seed: u64) -> Result<Ran, String> {
    run_on(program, &machine(seed))
}

/// Runs a program on a machine, which [`machine`] describes except for what the caller changes.
///
/// # Errors
/// Those of [`run`].
pub fn run_on(program: &Program, machine: &Machine) -> Result<Ran, String> {
    let (config, run) = load_run(program)?;
    let machine = machine.of_run(&run);
    let mut variables = vec![buffer(program)];
    let observer = &mut |_: &bcu_machine::Cycle| {};
    let report = run_with(None, &config, &machine, &run.programs, &mut variables, Observer::of_changes(observer));
    let report = match report {
        Ok(report) => report,
        // The result of a refused operation is unknown, so that a decision on it stops the run.
        Err(RunError::Program { report: Some(report), .. }) if !report.faults.is_empty() => *report,
        Err(error) => return Err(error.to_string()),
    };
    Ok(Ran { report, variables })
}

/// A session of a program on a machine, for the exploration of its schedules.
///
/// # Errors
/// Those of [`run`].
pub fn session(program: &Program, machine: &Machine) -> Result<Session, String> {
    let (config, run) = load_run(program)?;
    let mut session = Session::of_programs(config, machine, run.into()).map_err(|error| error.message)?;
    session.memory = vec![buffer(program)];
    session.detect_races();
    Ok(session)
}

/// The buffer `out` before a run.
fn buffer(program: &Program) -> Variable {
    Variable::new("out", OUT, Image::zeroed(4 * program.words_of_out()))
}

fn load_run(program: &Program) -> Result<(Config, Run), String> {
    let config = named("default").ok_or("there is no configuration `default`")?;
    let launch = Launch {
        grid: [program.ctas as u32, 1, 1],
        arguments: vec![OUT.to_le_bytes().map(Some).to_vec()],
        ..Launch::new(config.lanes as u32)
    };
    let loaded = load(Kind::Ptx, &program.ptx(), &launch).map_err(|errors| format!("{errors:#?}"))?;
    Ok((config, Run::of_one(loaded)))
}

impl Ran {
    fn word(&self, name: &str, number: usize) -> u32 {
        let bytes = self.variables.iter().find(|variable| variable.name == name).map(|variable| &variable.bytes);
        let byte = |at: usize| bytes.and_then(|bytes| bytes.get(4 * number + at)).unwrap_or(0xee);
        u32::from_le_bytes(std::array::from_fn(byte))
    }

    /// The codes of the faults. A deadlock is no misuse, but a hang.
    pub fn faults(&self) -> Vec<&str> {
        let codes = self.report.faults.iter().map(|fault| fault.code.as_str());
        codes.filter(|code| *code != "deadlock").collect()
    }

    /// What the run shows of its outcome; `None` if it has not come to an end.
    pub fn shown(&self, program: &Program) -> Option<Shown> {
        if !self.faults().is_empty() {
            return Some(Shown::Misuse);
        }
        if !matches!(self.report.verdict, Verdict::Completed | Verdict::Hung | Verdict::Fault) {
            return None;
        }
        let per_cta = program.warps_per_cta();
        let has_exited = |number: usize| {
            let total = self.report.warps.iter().find(|total| total.cta * per_cta + total.warp == number);
            total.is_some_and(|total| total.exited.is_some())
        };
        let results = |number: usize| {
            let ops = program.warps[number].iter().enumerate().filter(|(_, op)| op.kind.is_reported());
            has_exited(number).then(|| ops.map(|(at, _)| self.word("out", number * MOST_OPS + at)).collect())
        };
        let shared = |at: usize| {
            let (cta, address) = (at / SHARED_WORDS, 4 * (at % SHARED_WORDS) as u32);
            let stored = self.report.memory.iter().find(|word| word.cta == Some(cta) && word.address == address);
            stored.map_or(0, |word| word.value)
        };
        let global = (0..GLOBAL_WORDS).map(|number| self.word("data", number));
        Some(Shown::Final {
            warps: (0..program.warps.len()).map(results).collect(),
            memory: (0..program.ctas * SHARED_WORDS).map(shared).chain(global).collect(),
        })
    }
}
