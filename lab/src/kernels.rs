// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab kernels`: every kernel of examples/kernels, for every target and in many schedules.

use anyhow::{bail, Context, Result};
use bcu_tb::kernels::{bugs, expected, is_beyond, kernels, missing, Bench};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Target names in the notation of nvcc.
const TARGETS: [&str; 3] = ["sm_80", "sm_90a", "sm_100a"];

#[derive(clap::Args)]
pub struct Args {
    /// Number of schedules of each kernel and target; their seeds are consecutive.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this target.
    #[arg(long, value_parser = TARGETS)]
    target: Option<String>,
    /// Only kernels whose names contain this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// Print the findings in the planted bugs, in the format of the launch files.
    #[arg(long)]
    list: bool,
}

/// The result of a kernel: the number of runs, their cycles, and a sentence for each wrong result.
struct Row {
    name: String,
    runs: usize,
    cycles: u64,
    wrong: Vec<String>,
}

pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let folder = root.join("examples/kernels");
    let mut files = kernels(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    files.retain(|file| name(file).contains(&args.filter));
    if files.is_empty() {
        bail!("no kernel has `{}` in its name", args.filter);
    }
    let rows: Vec<Row> = files.par_iter().map_init(Bench::new, |bench, file| row(bench, file, args)).collect();
    let mut failed = 0;
    println!("{:<20} {:>5} {:>10}", "kernel", "runs", "cycles");
    for row in &rows {
        println!("{:<20} {:>5} {:>10}", row.name, row.runs, row.cycles);
        row.wrong.iter().for_each(|wrong| println!("  {wrong}"));
        failed += usize::from(!row.wrong.is_empty());
    }
    println!("{} kernels, {failed} failed", rows.len());
    if failed > 0 {
        println!("repeat one with `cargo lab kernels --filter NAME --seed N --seeds 1`");
    }
    Ok(failed == 0)
}

/// Runs a kernel for every target with every seed, then each of its planted bugs. It is an error if
/// there is no program for a target, unless the program for the newest target uses instructions
/// that the target does not have.
fn row(bench: &mut Result<Bench, String>, file: &Path, args: &Args) -> Row {
    let mut row = Row { name: name(file), runs: 0, cycles: 0, wrong: vec![] };
    let bench = match bench {
        Ok(bench) => bench,
        Err(why) => {
            row.wrong.push(why.clone());
            return row;
        }
    };
    for target in TARGETS.iter().filter(|target| args.target.as_deref().is_none_or(|only| only == **target)) {
        let program = format!("{target}.ptx");
        if !file.with_file_name(&program).is_file() {
            let text = |target: &&str| std::fs::read_to_string(file.with_file_name(format!("{target}.ptx"))).ok();
            let newest = TARGETS.iter().rev().find_map(text).unwrap_or_default();
            if !is_beyond(&newest, target) {
                row.wrong.push(format!("{program} is missing, and `{target}` has all that the kernel needs"));
            }
            continue;
        }
        for seed in args.seed..args.seed + args.seeds {
            let outcome = bench.run(file, Some(&program), seed, true);
            row.runs += 1;
            row.cycles += outcome.cycles;
            row.wrong.extend(outcome.wrong.iter().chain(&outcome.found).map(|wrong| format!("{target}, seed {seed}: {wrong}")));
        }
    }
    for bug in bugs(file) {
        let outcome = bench.run(&bug, None, 1, true);
        row.runs += 1;
        let stem = bug.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        if args.list {
            println!("{}/bugs/{stem}: # finds: {}", row.name, outcome.found.join(", "));
        }
        let text = match std::fs::read_to_string(&bug) {
            Ok(text) => text,
            Err(error) => {
                row.wrong.push(format!("cannot read {}: {error}", bug.display()));
                continue;
            }
        };
        if expected(&text).is_empty() {
            row.wrong.push(format!("bug {stem}: its launch file does not name the expected findings"));
        }
        let missing = missing(&text, &outcome.found);
        if !missing.is_empty() {
            row.wrong.push(format!("bug {stem}: not found: {}; found: {}", missing.join(", "), outcome.found.join(", ")));
        }
    }
    row
}

/// The name of a kernel, which is the name of its folder.
fn name(file: &Path) -> String {
    let folder: Option<PathBuf> = file.parent().map(Path::to_path_buf);
    folder.and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned())).unwrap_or_default()
}
