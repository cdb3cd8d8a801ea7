// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One table of speeds: every way to run a unit, on the same recorded stimulus, in one run. `docs/evidence/speed.md` describes the rows.
//!
//! `cargo bench --manifest-path lab/Cargo.toml --bench speed [-- CONFIG [UNIT [ROW]]]`; the default of CONFIG is `default`, and without
//! UNIT first `named` and then `bcu` is run. ROW selects one row, for a profiler.

mod barriers;
mod rows;
mod simulation;

use bcu_hw::config;
use bcu_isa::ports::Dir;
use bcu_isa::units;
use bcu_tb::lockstep::units::{bench, shape, Effort};
use bcu_tb::lockstep::{record, Bench, Recording};
use bcu_tb::stimulus::for_unit;
use rows::{Failure, Pass, Row, Rows, ENGINE, NAMES, SIMULATION};
use std::path::PathBuf;
use std::process::ExitCode;

/// Number of seeds. The stimulus runs several seeds one after the other, because each seed has
/// another mix of operations.
const SEEDS: u64 = 10;
/// Number of cycles of each seed, including its reset.
const CYCLES: usize = 1000;
/// Every row is measured once per round, so that a slow period of the computer affects all rows.
const ROUNDS: usize = 3;
/// The minimum time of a row in a round, in seconds; a faster row is repeated.
const SECONDS: f64 = 0.2;

fn stimulus(unit: &str, config: &bcu_isa::config::Config, bench: &Bench) -> Result<Recording, Failure> {
    let mut model = (bench.model)();
    let mut whole = Recording::new(&bench.ports);
    for seed in 1..SEEDS + 1 {
        let mut stimulus = for_unit(unit, &bench.ports, shape(config), seed)?;
        let part = record(&bench.ports, model.as_mut(), stimulus.as_mut(), CYCLES);
        whole.inputs.extend(part.inputs);
        whole.outputs.extend(part.outputs);
    }
    Ok(whole)
}

/// The best round of a row.
struct Best {
    rate: f64,
    other_counts: String,
}

/// Measures a row for one round: repeats its replay until [`SECONDS`] have passed.
fn round(row: &mut Row) -> Result<Best, Failure> {
    let (mut count, mut seconds) = (0, 0.0);
    loop {
        let pass: Pass = (row.replay)()?;
        count += pass.count;
        seconds += pass.seconds;
        if seconds >= SECONDS {
            return Ok(Best { rate: count as f64 / seconds, other_counts: pass.other_counts });
        }
    }
}

fn table(unit: &str, config: &bcu_isa::config::Config, only: Option<&str>) -> Result<(), Failure> {
    let no_effort = Effort { cycles: 0, block: 0, verilator: 0, icarus: 0 };
    let bench = bench(unit, config, no_effort, PathBuf::from(env!("CARGO_TARGET_TMPDIR")))?;
    let recording = stimulus(unit, config, &bench)?;
    let mut rows = Rows { unit, config, bench: &bench, recording: &recording }.build_rows(only)?;
    let mut best: Vec<Option<Best>> = rows.iter().map(|_| None).collect();
    for _ in 0..ROUNDS {
        for (row, best) in rows.iter_mut().zip(&mut best) {
            let round_result = round(row).map_err(|e| format!("row `{}` of `{unit}`: {e}", row.name))?;
            if best.as_ref().is_none_or(|b| round_result.rate > b.rate) {
                *best = Some(round_result);
            }
        }
    }
    let measured = || rows.iter().zip(&best).filter_map(|(row, best)| best.as_ref().map(|best| (row, best)));
    let rate = |name: &str| measured().find(|(row, _)| row.name == name).map(|(_, best)| best.rate);
    let strobes = recording.ports.iter().filter(|p| p.dir == Dir::Out).position(|p| p.name == "release_valid");
    let releases = strobes.map(|at| (0..recording.cycles()).filter(|c| recording.output(*c)[at] == 1).count());
    let releases = releases.map_or(String::new(), |n| format!(", {n} releases"));
    println!(
        "`{unit}` at `{}`: {} cycles (seeds 1 to {SEEDS}){releases}; best of {ROUNDS} rounds",
        config.name,
        recording.cycles()
    );
    println!("{:<24} {:>13} {:<12} {:>9}  ", "row", "speed", "", "to engine");
    for (row, Best { rate: speed, other_counts }) in measured() {
        let ratio = rate(ENGINE)
            .filter(|_| row.rate_unit == "cycles/s")
            .map_or(String::new(), |engine| format!("{:.3}", speed / engine));
        println!("{}", format!("{:<24} {speed:>13.0} {:<12} {ratio:>9}  {other_counts}", row.name, row.rate_unit).trim_end());
    }
    if let (Some(engine), Some(simulation)) = (rate(ENGINE), rate(SIMULATION)) {
        println!("{ENGINE} / {SIMULATION} = {:.2}", engine / simulation);
    }
    println!();
    Ok(())
}

fn main() -> ExitCode {
    // Cargo adds the argument `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let name = args.first().map_or("default", String::as_str);
    let units = args.get(1).map_or(vec!["named", "bcu"], |unit| vec![unit]);
    let only = args.get(2).map(String::as_str);
    let known = units.iter().all(|u| units::UNITS.contains(u)) && only.is_none_or(|row| NAMES.contains(&row));
    let (Some(config), true, 0..4) = (config::by_name(name), known, args.len()) else {
        let configs: Vec<_> = bcu_isa::config::NAMED.iter().map(|(n, _)| *n).collect();
        eprintln!("expected `[CONFIG [UNIT [ROW]]]`:");
        for (what, names) in [("CONFIG", &configs[..]), ("UNIT", &units::UNITS[..]), ("ROW", &NAMES[..])] {
            eprintln!("  {what}: `{}`", names.join("`, `"));
        }
        return ExitCode::from(2);
    };
    for unit in units {
        if let Err(failure) = table(unit, &config, only) {
            eprintln!("{failure}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
