// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu merge`, a command that the companion executable `bcu-tb` runs.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu regress lockstep --shard 1/2 --record one.jsonl     on one machine
  bcu regress lockstep --shard 2/2 --record two.jsonl     on another
  bcu merge one.jsonl two.jsonl --junit lockstep.xml
  bcu merge one.jsonl two.jsonl --coverage-data coverage.json

The output, the JUnit file and the exit code are those of the same run without shards. A test that
lacks the results of some of its parts is marked `??`, and the records that lack them are named. The
files are written together, or none of them.

Exit codes: 0 every test passed, 1 a test failed, 2 unreadable records, records of different runs or
of another build, results that are not of the run, unwritable output, or missing results.";

/// Merge the records of the shards of a regression into one result.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Records that `bcu regress --record` has written, one for each shard.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    /// Print all coverage points, not only those that are missing.
    #[arg(long)]
    pub all: bool,
    /// Write the report to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the coverage of the lockstep runs as data, for `bcu coverage`; needs records of runs with `--coverage`.
    #[arg(long, value_name = "FILE")]
    pub coverage_data: Option<PathBuf>,
}
