// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu coverage`, a command that the companion executable `bcu-tb` runs.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu regress lockstep/named --cycles 1000000 --coverage-data monday.json
  bcu regress lockstep/named --cycles 1000000 --coverage-data tuesday.json --seed 200
  bcu coverage monday.json tuesday.json
  bcu coverage monday.json tuesday.json --output week.json --html week.html
  bcu coverage week.json --all

Prints a line for each unit of each configuration, and below it the points that are missing: those
that no run has reached, and those that a run has reached although they are listed as unreachable.
The hits of several files add up by unit, configuration and point. Each 5000 cycles of a run have
the next seed, so 1000000 cycles use 200 seeds; a seed that two files have for one unit of one
configuration is refused, since its hits would count twice. The points of each table must be those
of its unit in this build; data of a build with other points is refused.

The HTML report is one file that needs no network: an overview of all units and configurations, and
each point with its meaning and its count, to filter or to print. `--output` may be one of the files
of data, `--html` may not.

Exit codes: 0 every reachable point was reached, and no unreachable one; 1 a point is missing, or
was reached although it is listed as unreachable; 2 unreadable data, data of different builds,
a seed in two files, or unwritable output.";

/// Merge the coverage of regressions, print what is missing, and write it as data and as an HTML report.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files that `bcu regress --coverage-data` or `bcu coverage --output` has written; `-` is standard input.
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// Print all points, not only those that are missing.
    #[arg(long)]
    pub all: bool,
    /// Write the merged data.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a report as HTML.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
