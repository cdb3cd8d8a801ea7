// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab oracle`: units of the Verilog under legal users, checked by oracles that are written from the pages of `docs` alone.
//!
//! A legal user (`bcu_tb::legal`) keeps the contract of the unit. It drives the model, with random
//! backpressure at each ready input and random delays at each link. The verilated export replays
//! the inputs of that run. An oracle gets only the pins of the Verilog, cycle by cycle. Exit code
//! 0: no difference, or with `--mutant` every fault was found; 1: a difference, or a fault that was
//! not found; 2: a unit could not be run.

mod bcu;
mod cluster;
mod cluster_hub;
mod drive;
mod gateway;
mod grid;
mod grid_hub;
mod intake;
mod mbarrier;
mod mem_order;
mod mutant;
mod named;
mod pins;
mod units;

use anyhow::{bail, Context, Result};
use bcu_isa::config::{named as configuration, Config};
use bcu_tb::cosim::verilator::Optimisation;
use drive::{Bench, EPISODE};
use mutant::MUTANTS;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use units::SUBJECTS;

/// The maximum number of episodes in which a fault must be found.
const EPISODES_OF_MUTANT: u64 = 200;

#[derive(clap::Args)]
pub struct Args {
    /// Only the unit of this name.
    #[arg(long)]
    unit: Option<String>,
    /// Only this configuration; default: `default`, for `gateway` `intel`, for `bcu` `small` and `default`.
    #[arg(long)]
    config: Option<String>,
    /// Number of operations of each unit and configuration.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    operations: u64,
    /// The first seed; each episode uses the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Puts a fault into the Verilog of each unit; the oracle must find it.
    #[arg(long)]
    mutant: bool,
}

/// A unit in a configuration.
struct Subject {
    unit: &'static str,
    config: Config,
}

impl Subject {
    /// The command line that repeats an episode.
    fn command(&self, seed: u64, option: &str) -> String {
        format!("cargo lab oracle --unit {} --config {} --seed {seed} --operations 1{option}", self.unit, self.config.name)
    }
}

/// Checks the selected units. Returns false if there is a difference.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let directory = root.join("target/oracle");
    let subjects = subjects(args)?;
    let mut good = true;
    for subject in &subjects {
        good &= if args.mutant { hunt(subject, args.seed, &directory)? } else { judge(subject, args, &directory)? };
    }
    Ok(good)
}

fn subjects(args: &Args) -> Result<Vec<Subject>> {
    let mut chosen = vec![];
    for (unit, usual) in SUBJECTS {
        if args.unit.as_deref().is_some_and(|only| only != unit) {
            continue;
        }
        let names = args.config.as_deref().map_or(usual.to_vec(), |only| vec![only]);
        for name in names {
            let config = configuration(name).with_context(|| format!("`{name}`: unknown configuration"))?;
            if config.has_unit(unit) {
                chosen.push(Subject { unit, config });
            }
        }
    }
    if chosen.is_empty() {
        let units = SUBJECTS.map(|(unit, _)| unit).join(", ");
        bail!("--unit and --config select no unit with an oracle; the units are {units}, each in a configuration that has it");
    }
    Ok(chosen)
}

/// The CPU time in seconds of this process, without the tools that it started; `None` if the system
/// does not report it.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds).as_secs_f64())
}

/// Runs episodes until the requested number of operations is done. Returns false if there is a difference.
fn judge(subject: &Subject, args: &Args, directory: &Path) -> Result<bool> {
    let Subject { unit, config } = subject;
    let optimisation = if args.operations <= 20_000 { Optimisation::None } else { Optimisation::Full };
    let bench = Bench::new(unit, config, None, optimisation, directory)?;
    let name = format!("{unit}/{}", config.name);
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (mut operations, mut cycles, mut stalls, mut seed, mut next_line) = (0, 0, 0, args.seed, 60);
    let figures = |operations: u64, cycles: u64, stalls: u64, last: u64| {
        let seconds = cpu.and_then(|before| Some(cpu_seconds()? - before));
        let shown = seconds.map_or("unknown".to_string(), |seconds| format!("{seconds:.0} s"));
        format!("{operations} operations, {cycles} cycles, {stalls} stalls, seeds {} to {last}, CPU time {shown}", args.seed)
    };
    loop {
        let episode = bench.episode(seed, EPISODE)?;
        operations += episode.operations;
        cycles += episode.cycles;
        stalls += episode.stalls;
        if let Some(failure) = episode.failure {
            println!("FAIL {name}: {}", figures(operations, cycles, stalls, seed));
            println!("seed {seed}, cycle {}: {}\nthe cycles up to it:\n{}", failure.cycle, failure.what, failure.history);
            println!("repeat with: {}", subject.command(seed, ""));
            return Ok(false);
        }
        if let Some(complaint) = episode.complaint {
            // An error of the model only ends the episode here, because `bcu regress legal` checks
            // the model.
            println!("     {name}: seed {seed}: the legal user stops: {}", complaint.lines().next().unwrap_or_default());
        }
        if operations >= args.operations {
            println!("ok   {name}: {}", figures(operations, cycles, stalls, seed));
            return Ok(true);
        }
        if start.elapsed().as_secs() >= next_line {
            println!("     {name}: {}", figures(operations, cycles, stalls, seed));
            next_line = start.elapsed().as_secs() + 60;
        }
        seed += 1;
    }
}

/// Returns whether the oracle finds every fault of the unit in [`MUTANTS`]; false if `MUTANTS` has no fault of the unit.
fn hunt(subject: &Subject, seed: u64, directory: &Path) -> Result<bool> {
    let Subject { unit, config } = subject;
    let mut good = MUTANTS.iter().any(|mutant| mutant.unit == *unit);
    for mutant in MUTANTS.iter().filter(|mutant| mutant.unit == *unit) {
        let bench = Bench::new(unit, config, Some(&mutant.fault()), Optimisation::None, directory)?;
        let mut found = None;
        for seed in seed..seed + EPISODES_OF_MUTANT {
            if let Some(failure) = bench.episode(seed, EPISODE)?.failure {
                found = Some((seed, failure));
                break;
            }
        }
        let name = format!("{unit}/{}: {}", config.name, mutant.breaks);
        match &found {
            Some((seed, failure)) => {
                println!("ok   {name}: found with seed {seed} in cycle {}: {}", failure.cycle, failure.what)
            }
            None => println!("FAIL {name}: not found in {EPISODES_OF_MUTANT} episodes of {EPISODE} cycles from seed {seed} on"),
        }
        good &= found.is_some();
    }
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of cycles of an episode in the tests.
    const CYCLES: usize = 5_000;

    fn bench(unit: &'static str, config: &str, mutant: Option<&mutant::Mutant>) -> Bench {
        let config = configuration(config).unwrap();
        let directory = xtask::root().join("target/oracle");
        Bench::new(unit, &config, mutant.map(mutant::Mutant::fault).as_ref(), Optimisation::None, &directory).unwrap()
    }

    #[test]
    fn an_oracle_finds_no_difference() {
        for (unit, config) in [("named", "small"), ("mem_order", "small"), ("grid_hub", "small")] {
            let episode = bench(unit, config, None).episode(1, CYCLES).unwrap();
            if let Some(failure) = episode.failure {
                panic!("{unit}, cycle {}: {}\n{}", failure.cycle, failure.what, failure.history);
            }
            assert!(episode.operations > 100, "{unit}: {} operations", episode.operations);
        }
    }

    #[test]
    fn an_oracle_finds_a_fault() {
        let mutant = MUTANTS.iter().find(|mutant| mutant.unit == "named").unwrap();
        let bench = bench("named", "small", Some(mutant));
        let failure = (1..10).find_map(|seed| bench.episode(seed, CYCLES).unwrap().failure);
        assert!(failure.is_some(), "{}", mutant.breaks);
    }

    #[test]
    fn each_unit_with_an_oracle_has_a_fault() {
        for (unit, _) in SUBJECTS {
            assert!(MUTANTS.iter().any(|mutant| mutant.unit == unit), "{unit}");
        }
    }
}
