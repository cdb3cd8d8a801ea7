// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check`: runs programs and prints findings.

mod count;
mod explore;
mod json;
mod outputs;
mod picture;
mod text;

use super::case::args::CaseArgs;
use super::case::{Case, Format};
use crate::cmd::run::recordings::RecordArgs;
use crate::failure::{print, print_coloured, Failure, Outcome, Result};
use crate::hardware::{Engine, Hardware};
use bcu_machine::check::{check_exploration, check_run, CheckVerdict};
use bcu_machine::exploration::{Limits, Selection};
use bcu_machine::issued::Issued;
use bcu_machine::priorities::DEPTHS;
use bcu_machine::Observer;
use outputs::{Outputs, Written};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu check kernel.ptx                          every misuse with its place, and what to do
  bcu check kernel.ptx --strict                 also what only a strict reading of PTX forbids
  bcu check kernel.ptx --format json            for an editor or a CI
  bcu check kernel.ptx --schedules 100          also other orders of operations that nothing orders
  bcu check a.bcu b.bcu --role a=0 --role b=1-3   warp 0 executes a.bcu, warps 1 to 3 execute b.bcu

The programs run as with `bcu run`, on the same machines and with the same files that show the run
(--timeline, --trace, --wave), and errors are reported as findings:
faults of the unit, barriers that can never complete, operands that the hardware cuts, arrivals
that no warp waits for, races on memory, buffers that differ from what a launch file
expects. One misuse is one finding, however often it happens. docs/guide/check.md lists
the codes and describes the JSON. Code that the run does not reach is checked only for constants.
The last line states whether the run proves this result for every schedule, or the first operation
that another schedule may order differently (docs/guide/schedules.md).

Exit codes: 0 pass, 1 fail: at least one error, 2 unknown, or could not run.";

/// The number of schedules with random priorities, if it is not given.
const RANDOM_SCHEDULES: u32 = 100;

/// Check barrier programs: run them and report every misuse with its location in the text.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Programs, `.bcu`, `.ptx`, `.cu` or `.visa`, or a launch file, `.toml`; `-` is standard input.
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    case: CaseArgs,
    /// Also report what hardware allows, but a strict reading of PTX or a linked CUTLASS does not.
    #[arg(long)]
    strict: bool,
    /// Run up to N schedules, in which operations that nothing orders are executed in other orders, and report the results that differ.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    schedules: Option<u32>,
    /// Run a schedule for each of the first N pairs of operations that nothing orders, which reverses this pair alone.
    #[arg(long, value_name = "N", conflicts_with = "schedules", value_parser = clap::value_parser!(u32).range(1..))]
    reverse: Option<u32>,
    /// Run schedules in which the warps have random priorities, which change D - 1 times: they find failures that need up to D operations in
    /// a certain order, with a probability that is printed. `--schedules N` is their number, else 100; `--seed` their first seed.
    #[arg(long, value_name = "D", conflicts_with = "reverse",
        value_parser = clap::value_parser!(u32).range(i64::from(*DEPTHS.start())..=i64::from(*DEPTHS.end())))]
    explore: Option<u32>,
    /// Schedules that run in parallel; default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Write the shortest schedule that fails, or gives another result, to this file, for `bcu run --schedule`.
    #[arg(long, value_name = "FILE")]
    save_schedule: Option<PathBuf>,
    /// Write a picture as SVG to this file: the run, and the run of the schedule that `--save-schedule` writes, with the two operations that
    /// it reverses.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    files: RecordArgs,
    /// Print every reason why the run is no proof for every schedule, and after the findings the whole report of the run.
    #[arg(long)]
    full: bool,
    /// How to print the findings; JSON has `format_version` 2.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Args {
    /// The limits of the exploration that the arguments request; `seed` is the seed of the machine.
    fn limits(&self, seed: u64) -> Option<Limits> {
        let jobs = self.jobs.and_then(|jobs| NonZeroUsize::new(jobs.into()));
        let threads = jobs.or(std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let limits = |runs: u32, selection| Limits { runs: runs as usize, selection, strict: self.strict, threads };
        let random = |depth| limits(self.schedules.unwrap_or(RANDOM_SCHEDULES), Selection::Random { depth, seed });
        let pairs = self.reverse.map(|pairs| limits(pairs.saturating_add(1), Selection::Pairs));
        let reversals = self.schedules.map(|runs| limits(runs, Selection::Reversals));
        self.explore.map(random).or(reversals).or(pairs)
    }
}

/// Runs on the engine that the arguments select.
pub fn run(args: Args, hardware: Option<&dyn Hardware>) -> Result {
    let (schedule_file, picture_file) = (args.save_schedule.as_deref(), args.picture.as_deref());
    outputs::refuse(schedule_file, picture_file, &args.files.named(), args.limits(0).is_some())?;
    let load = || {
        let mut case = args.case.load(&args.programs)?;
        case.session.detect_races();
        if args.limits(0).is_some() {
            case.session.begin_exploration();
        }
        Ok(case)
    };
    let run = |case: &Case, files: &RecordArgs, engine| check(&args, files, (case, engine), hardware);
    args.files.dispatch((&args.case, &args.programs, args.format), hardware, load, run)
}

/// Runs the case and prints the findings. Returns the cycles of the run too.
fn check(
    args: &Args,
    files: &RecordArgs,
    (case, engine): (&Case, Engine),
    hardware: Option<&dyn Hardware>,
) -> Result<(Outcome, u64)> {
    let outputs = Outputs::start(args.save_schedule.as_deref(), args.picture.as_deref())?;
    let mut issued = Issued::new(&case.ports()?).map_err(|e| Failure::plain(e, None))?;
    let (ran, recorded) = files.run(case, engine, hardware, Observer::of_changes(&mut |cycle| issued.cycle(cycle)))?;
    let mismatches = ran.result.mismatches.clone();
    // If an error stopped the program, the report contains the error as a further finding.
    let mut report = match ran.stopped() {
        Some(report) => report.clone(),
        None => ran.report()?,
    };
    report.mismatches = case.explain(&mismatches, &report);
    let lines = recorded.finish(case, &report)?;
    let files: Vec<&str> = case.sources.iter().map(|s| s.source.text.as_str()).collect();
    let subject = case.session.subject(&files, args.strict);
    let mut checked = check_run(&subject, &report, &issued).map_err(|e| Failure::plain(e.message, e.help.as_deref()))?;
    let exploration = args.limits(case.session.machine.seed).map(|limits| explore::run(case, &files, &limits)).transpose()?;
    let (mut explored, mut written) = (String::new(), Written::default());
    if let Some(exploration) = &exploration {
        let found = check_exploration(&subject, &report, &issued, exploration);
        let found = found.map_err(|e| Failure::plain(e.message, e.help.as_deref()))?;
        checked.findings.splice(0..0, found);
        explored = explore::summary(exploration);
        let (files, lines) = outputs.write(case, exploration)?;
        (written, explored) = (files, explored + &lines);
    }
    match args.format {
        Format::Text => {
            let run = if args.full { format!("\n{report:#}") } else { String::new() };
            print_coloured(&(text::render(&case.sources, &checked, &report, args.full) + &explored + &lines + &run))?
        }
        Format::Json => {
            let exploration = exploration.as_ref().map(|exploration| (exploration, &written));
            print(&json::render(&case.sources, &checked, &report, exploration)?)?
        }
    }
    let outcome = match CheckVerdict::from_findings(&checked.findings) {
        CheckVerdict::Fail => Outcome::CheckFailed,
        CheckVerdict::Unknown => Outcome::CouldNotRun,
        CheckVerdict::Pass => Outcome::Good,
    };
    Ok((outcome, report.cycles))
}
