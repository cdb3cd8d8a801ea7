// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check`: runs programs and prints findings.

mod count;
mod explore;
mod format;
mod github;
mod json;
mod location;
mod outputs;
mod picture;
mod ran;
mod sarif;
mod seeds;
mod text;

use super::case::args::CaseArgs;
use super::case::Case;
use super::headings::OUTPUT;
use crate::cmd::run::recordings::RecordArgs;
use crate::failure::{print, print_coloured, Failure, Outcome, Result};
use crate::hardware::{Engine, Hardware};
use bcu_machine::check::finding::Finding;
use bcu_machine::check::{check_exploration, CheckVerdict};
use bcu_machine::exploration::{Exploration, Limits, Selection};
use bcu_machine::issued::Issued;
use bcu_machine::priorities::DEPTHS;
use bcu_machine::Observer;
use format::{FailOn, Format};
use outputs::{Outputs, Written};
use ran::{check_ran, Run};
use seeds::Seeds;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The heading of the options that are specific to checks.
const CHECKS: &str = "Checks";

/// The text below the short help.
const MORE: &str = "\
Examples:
  bcu check kernel.ptx                every misuse with its place, and what to do
  bcu check kernel.ptx --seeds 100    100 seeds, in parallel
  bcu check --help                    all options, examples and exit codes";

const EXAMPLES: &str = "\
Examples:
  bcu check kernel.ptx                          every misuse with its place, and what to do
  bcu check kernel.ptx --strict                 also what only a strict reading of PTX forbids
  bcu check kernel.ptx --format json            for an editor
  bcu check kernel.ptx --format sarif           for code scanning; `github` for its Actions
  bcu check kernel.ptx --fail-on warning        warnings fail the check too
  bcu check kernel.ptx --schedules 100          also other orders of operations that nothing orders
  bcu check kernel.ptx --seeds 100 --jobs 4     100 seeds on 4 threads
  bcu check kernel.cu --arch sm_80 --nvcc-flags \"-G\" --arg n=1024
                                                CUDA without optimisation; arguments by their names
  bcu check a.bcu b.bcu --role a=0 --role b=1-3   warp 0 executes a.bcu, warps 1 to 3 execute b.bcu

The programs run as with `bcu run`, on the same machines and with the same files that show the run
(--timeline, --trace, --wave), and errors are reported as findings:
faults of the unit, barriers that can never complete, operands that the hardware cuts, arrivals
that no warp waits for, races on memory, buffers that differ from what a launch file
expects. One misuse is one finding, however often it happens. docs/guide/check.md lists
the codes and describes the JSON. Code that the run does not reach is checked only for constants.
The last line states whether the run proves this result for every schedule, or the first operation
that another schedule may order differently (docs/guide/schedules.md).

A project file `bcu.toml` has defaults of these options (docs/guide/project.md).

Exit codes: 0 pass, 1 fail: at least one error, or a finding of the severity of --fail-on,
2 unknown, or could not run.";

/// The number of schedules with random priorities, if it is not given.
const RANDOM_SCHEDULES: u32 = 100;

/// Check barrier programs: run them and report every misuse with its location.
#[derive(clap::Args)]
#[command(after_help = MORE, after_long_help = EXAMPLES)]
pub struct Args {
    /// Programs or a launch file; `-` is standard input.
    ///
    /// A program is a file `.ptx`, `.cu`, `.bcu` or `.visa`, a launch file is `.toml`.
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    case: CaseArgs,
    /// Report what a strict reading of PTX forbids.
    ///
    /// Hardware allows these uses, or a linked CUTLASS forbids them.
    #[arg(long, help_heading = CHECKS, hide_short_help = true)]
    strict: bool,
    /// Run N consecutive seeds in parallel.
    ///
    /// Each finding is reported once. The first seed is that of `--seed`. A finding has the first seed that shows it, how many seeds show it, and the command that repeats
    /// the first.
    #[arg(long, value_name = "N", help_heading = CHECKS, value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        conflicts_with_all = ["schedules", "reverse", "explore", "schedule", "out", "wave", "timeline", "trace"])]
    seeds: Option<u32>,
    /// Run up to N orders of unordered operations.
    ///
    /// Nothing orders these operations. Results that differ are reported.
    #[arg(long, value_name = "N", help_heading = CHECKS, conflicts_with = "schedule", value_parser = clap::value_parser!(u32).range(1..))]
    schedules: Option<u32>,
    /// Run a schedule for each of the first N pairs of operations that nothing orders, which reverses this pair alone.
    #[arg(long, value_name = "N", help_heading = CHECKS, hide_short_help = true, conflicts_with_all = ["schedules", "schedule"],
        value_parser = clap::value_parser!(u32).range(1..))]
    reverse: Option<u32>,
    /// Run schedules with random priorities of warps.
    ///
    /// The priorities change D - 1 times: they find failures that need up to D operations in a certain order, with a probability that is
    /// printed. `--schedules N` is their number, else 100; `--seed` their first seed.
    #[arg(long, value_name = "D", help_heading = CHECKS, hide_short_help = true, conflicts_with_all = ["reverse", "schedule"],
        value_parser = clap::value_parser!(u32).range(i64::from(*DEPTHS.start())..=i64::from(*DEPTHS.end())))]
    explore: Option<u32>,
    /// Schedules or seeds that run in parallel; default: one per processor.
    #[arg(long, value_name = "N", help_heading = CHECKS, hide_short_help = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Severity from which the check fails [default: error].
    ///
    /// The exit code is 1 if a finding has this severity or a higher one.
    #[arg(long, value_enum, value_name = "error|warning|note", hide_possible_values = true, help_heading = CHECKS)]
    fail_on: Option<FailOn>,
    /// Write the shortest schedule that fails, or gives another result, to this file, for `bcu run --schedule`.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    save_schedule: Option<PathBuf>,
    /// Write a picture of two orders as SVG to this file.
    ///
    /// The picture has the run, and the run of the schedule that `--save-schedule` writes, with the two operations that it reverses.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    picture: Option<PathBuf>,
    #[command(flatten)]
    files: RecordArgs,
    /// Print long lists in full, and the report of the run.
    ///
    /// The list is of the reasons why the run is no proof for every schedule. The report is that of `bcu run`.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    full: bool,
    /// How to print the findings [default: text].
    ///
    /// docs/guide/check.md describes the formats.
    #[arg(long, value_enum, value_name = "text|json|sarif|github", hide_possible_values = true, help_heading = OUTPUT)]
    format: Option<Format>,
    /// Print the findings alone.
    ///
    /// Nothing is printed if there are none. Only the format `text` has a difference.
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

impl Args {
    /// The threads that run schedules or seeds.
    fn threads(&self) -> NonZeroUsize {
        let jobs = self.jobs.and_then(|jobs| NonZeroUsize::new(jobs.into()));
        jobs.or(std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Refuses `--seeds` where only one run is possible.
    fn refuse_seeds(&self, engine: Engine) -> Result<()> {
        if self.seeds.is_some() && engine != Engine::Model {
            let help = "leave out `--engine`; repeat a single seed with `--seed N --engine ...`";
            return Err(Failure::plain("--seeds runs on the model only", Some(help)));
        }
        if self.seeds.is_some() && self.case.reads_input(&self.programs) {
            let help = "write the program to a file: each seed reads it";
            return Err(Failure::plain("--seeds cannot be used with standard input", Some(help)));
        }
        Ok(())
    }

    /// The limits of the exploration that the arguments request; `seed` is the seed of the machine.
    fn limits(&self, seed: u64) -> Option<Limits> {
        let threads = self.threads();
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
    args.refuse_seeds(args.case.engine(false))?;
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
    args.files.dispatch((&args.case, &args.programs, args.prints_lines()), hardware, load, run)
}

/// Runs the case and prints the findings. Returns the cycles of the run too.
fn check(
    args: &Args,
    files: &RecordArgs,
    (case, engine): (&Case, Engine),
    hardware: Option<&dyn Hardware>,
) -> Result<(Outcome, u64)> {
    let outputs = Outputs::start(args.save_schedule.as_deref(), args.picture.as_deref())?;
    if let Some(seeds) = args.seeds {
        let of_seeds = (case.session.machine.seed, seeds, args.threads());
        let fails = |found: &[Finding]| args.fail_on().verdict(found) != CheckVerdict::Pass;
        let (checked_run, seeds) = seeds::run((&args.case, &args.programs), of_seeds, args.strict, &fails)?;
        let outcome = args.print(case, &checked_run, Some(&seeds), None, "")?;
        return Ok((outcome, checked_run.report.cycles));
    }
    let mut issued = Issued::new(&case.ports()?).map_err(|e| Failure::plain(e, None))?;
    let (ran, recorded) = files.run(case, engine, hardware, Observer::of_changes(&mut |cycle| issued.cycle(cycle)))?;
    let mut checked_run = check_ran(case, ran, &issued, args.strict)?;
    let lines = recorded.finish(case, &checked_run.report)?;
    let texts = case.texts();
    let exploration = args.limits(case.session.machine.seed).map(|limits| explore::run(case, &texts, &limits)).transpose()?;
    let outcome = match &exploration {
        None => args.print(case, &checked_run, None, None, &lines)?,
        Some(exploration) => {
            let subject = case.session.subject(&texts, args.strict);
            let found = check_exploration(&subject, &checked_run.report, &issued, exploration);
            let found = found.map_err(|e| Failure::plain(e.message, e.help.as_deref()))?;
            let findings = &mut checked_run.checked.findings;
            findings.splice(0..0, found);
            findings.sort_by_key(|finding| finding.severity);
            let (written, explored) = outputs.write(case, exploration)?;
            let lines = explore::summary(exploration) + &explored + &lines;
            args.print(case, &checked_run, None, Some((exploration, &written)), &lines)?
        }
    };
    Ok((outcome, checked_run.report.cycles))
}

impl Args {
    fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or(FailOn::Error)
    }

    /// Whether lines on written files are printed.
    fn prints_lines(&self) -> bool {
        self.format.unwrap_or(Format::Text) == Format::Text && !self.quiet
    }

    /// Prints the findings. `lines` are on an exploration and on written files.
    fn print(
        &self,
        case: &Case,
        Run { report, checked, .. }: &Run,
        seeds: Option<&Seeds>,
        exploration: Option<(&Exploration, &Written)>,
        lines: &str,
    ) -> Result {
        let (sources, found, setup) = (&case.sources, &checked.findings, &case.setup);
        let verdict = self.fail_on().verdict(found);
        let (outcome, exit_code) = match verdict {
            CheckVerdict::Fail => (Outcome::CheckFailed, 1),
            CheckVerdict::Unknown => (Outcome::CouldNotRun, 2),
            CheckVerdict::Pass => (Outcome::Good, 0),
        };
        match self.format.unwrap_or(Format::Text) {
            Format::Text if self.quiet => print_coloured(&text::findings(sources, found, seeds))?,
            Format::Text => {
                let run = if self.full { format!("\n{report:#}") } else { String::new() };
                print_coloured(&(text::render(sources, checked, report, (verdict, setup, seeds, self.full)) + lines + &run))?;
            }
            Format::Json => print(&json::render(sources, checked, report, exploration, (self.fail_on(), setup, seeds))?)?,
            Format::Sarif => print(&sarif::render(sources, found, setup, exit_code, seeds)?)?,
            Format::Github => print(&github::render(sources, found))?,
        }
        Ok(outcome)
    }
}
