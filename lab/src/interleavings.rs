// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab interleavings`: the verdict of one run for every schedule, and explorations, against all interleavings of random programs.

use crate::page::{self, circumstances};
use anyhow::Result;
use bcu_tb::interleavings::{compare, Totals};
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;

/// The marks in docs/evidence/verification.md between which the result is.
pub const MARKS: (&str, &str) = ("<!-- interleavings begin: cargo lab interleavings --write -->", "<!-- interleavings end -->");

/// The programs between two lines of progress.
const PART: u64 = 1000;

#[derive(clap::Args)]
pub struct Args {
    /// The number of programs.
    #[arg(long, default_value_t = 100_000)]
    programs: u64,
    /// The seed of the first program; the seeds are consecutive.
    #[arg(long, default_value_t = 1_000_000)]
    seed: u64,
    /// Writes the result into docs/evidence/verification.md.
    #[arg(long)]
    write: bool,
}

pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let start = Instant::now();
    // The revision at the start: the working tree may change in these hours.
    let command = format!("cargo lab interleavings --programs {} --seed {}", args.programs, args.seed);
    let circumstances = circumstances(root, &command);
    let (mut totals, mut wrong) = (Totals::default(), 0);
    let end = args.seed + args.programs;
    for first in (args.seed..end).step_by(PART as usize) {
        let seeds: Vec<u64> = (first..end.min(first + PART)).collect();
        let part = |seed: u64| {
            let mut totals = Totals::default();
            let why = compare(seed, &mut totals);
            (totals, why)
        };
        for (of_program, why) in seeds.into_par_iter().map(part).collect::<Vec<_>>() {
            totals.add(&of_program);
            wrong += usize::from(why.is_some());
            if let Some(why) = why {
                println!("{why}; repeat with: cargo lab interleavings --programs 1 --seed <seed>\n");
            }
        }
        eprintln!("{} of {}, {} s, {wrong} wrong", totals.programs, args.programs, start.elapsed().as_secs());
    }
    let result = format!(
        "{circumstances}: {totals}; {wrong} differences. Programs that one rule alone does not prove: {}.",
        totals.rules.iter().map(|(rule, programs)| format!("{rule} {programs}")).collect::<Vec<_>>().join(", ")
    );
    println!("{result}");
    if args.write {
        page::write(&root.join("docs/evidence/verification.md"), MARKS, &result)?;
    }
    Ok(wrong == 0)
}
