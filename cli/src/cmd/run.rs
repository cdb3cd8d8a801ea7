// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run`: programs in, verdict and tables out; the waveform beside.

mod programs;
mod wave;

use super::config;
use crate::diag::Source;
use crate::failure::{complain, print, Failure, Outcome, Result};
use crate::files;
use bcu_hw::catalog;
use bcu_hw::config::Config;
use bcu_sim::engine::Engine;
use bcu_sim::machine::{self, Machine, Report, RunError, Verdict};
use bcu_sim::program::WarpProgram;
use programs::RoleArg;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu run                                       a built-in producer/consumer program
  bcu run kernel.ptx --wave run.vcd             and look at it: gtkwave run.vcd run.gtkw
  bcu run hang.bcu                              says who waits for whom; exit code 1
  bcu run one.bcu --warps 8                     the same program on 8 warps
  bcu run a.bcu b.bcu                           warp 0 executes a.bcu, warp 1 executes b.bcu
  bcu run a.bcu b.bcu --role a=0 --role b=1-3   warp 0 executes a.bcu, warps 1 to 3 execute b.bcu
  bcu run k.ptx --role load=0 --role math=1-3   kernels of one PTX file on different warps
  bcu run kernel.ptx --machine slow.toml        several CTAs, memory latencies, schedule policy

Programs: `.bcu` is BCU assembly, `.ptx` is PTX. One file is a whole CTA: it says which warps do
what (`.warps 0-1 producer` in BCU assembly, `// bcu: warps 0-1 run producer` in PTX). Of several
files, each is the program of one warp, in order, or of the warps that --role gives it.

Machine file (TOML, every key may be left out):
  policy = \"round_robin\"     # or random, oldest
  seed = 1
  max_cycles = 100000
  hang_after = 32            # cycles in which nothing happens
  fault_period = 1           # a fault is taken in one of so many cycles
  [latency]
  shared = 20
  global = 200
  [[cta]]                    # as often as there are kinds of CTAs
  count = 2
  warps = 4                  # or threads = 100
  barriers = 16
  programs = [\"producer\", \"consumer\", \"consumer\", \"consumer\"]

Exit codes: 0 completed, 1 hung or a fault was reported, 2 could not run.";

/// Run barrier programs on the unit, cycle by cycle, and tell what happened.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Programs, `.bcu` or `.ptx`; none: a built-in program.
    #[arg(value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
    /// Hardware configuration: a name (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    config: String,
    /// Machine around the unit: a TOML file, see below.
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// Warps of the CTA; default: as the program says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    warps: Option<u32>,
    /// Which warps execute a PTX entry or, with several programs, a file: `producer=0`, `consumer=1-3`, `math=1,4-7`.
    #[arg(long = "role", value_name = "ENTRY=WARPS")]
    roles: Vec<RoleArg>,
    /// Write the waveform as VCD to this file, and files for GTKWave and Surfer beside it.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// How to print the report; JSON has `format_version` 1.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Seed of everything random; overrides the machine file.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

pub fn run(args: Args) -> Result {
    let config = config(&args.config)?;
    let description = match &args.machine {
        Some(path) => Source { name: path.display().to_string(), text: files::read(path)? },
        None => Source { name: "machine".to_string(), text: String::new() },
    };
    let mut machine = Machine::parse(&description.text).map_err(|e| description.errors(&[e]))?;
    machine.seed = args.seed.unwrap_or(machine.seed);
    if args.warps.is_some() && !machine.ctas.is_empty() {
        return Err(Failure::plain("--warps does not go with a machine file that describes CTAs", Some("give `warps` there")));
    }
    let sources = programs::read(&args.programs)?;
    let threads = args.warps.map(|w| w * config.lanes as u32).or_else(|| machine.threads(config.lanes));
    let (programs, threads) = programs::load(&sources, &config, threads, &args.roles)?;
    machine.fill(threads);
    let report = execute(&config, &machine, &programs, args.wave.as_deref());
    let report = match report {
        Ok(report) => report?,
        Err(RunError::Misfit(error)) if args.machine.is_some() => return Err(description.errors(&[error])),
        Err(RunError::Misfit(error)) => return Err(Failure::plain(error.message, error.help.as_deref())),
        Err(error) => {
            complain(&format!(
                "error: {error}\nhelp: this is an error of the unit, not of the program; `bcu regress` looks for more"
            ));
            return Ok(Outcome::CheckFailed);
        }
    };
    match args.format {
        Format::Text => print(&report.to_string())?,
        Format::Json => {
            let text = serde_json::to_string_pretty(&report).map_err(|e| Failure::plain(e, None))?;
            print(&(text + "\n"))?;
        }
    }
    Ok(if report.verdict == Verdict::Completed { Outcome::Good } else { Outcome::CheckFailed })
}

/// The outer result tells of the run, the inner one of the wave file.
fn execute(
    config: &Config,
    machine: &Machine,
    programs: &[WarpProgram],
    wave: Option<&std::path::Path>,
) -> std::result::Result<Result<Report>, RunError> {
    let Some(unit) = catalog::build(config, "bcu") else {
        return Ok(Err(Failure::plain(format!("the catalogue has no unit of the size of `{}`", config.name), None)));
    };
    let mut engine = Engine::new(unit);
    let recorder = match wave.map(|path| wave::Recorder::start(path, &mut engine, config.warps)).transpose() {
        Ok(recorder) => recorder,
        Err(failure) => return Ok(Err(failure)),
    };
    let report = machine::run(&mut engine, config, machine, programs, &mut |cycle| {
        if let Some(recorder) = &recorder {
            recorder.cycle(cycle);
        }
    });
    if let Some(unsettled) = engine.failure() {
        return Ok(Err(Failure::plain(unsettled, None)));
    }
    let report = report?;
    if let Some(recorder) = recorder {
        if let Err(failure) = recorder.finish(engine, report.cycles) {
            return Ok(Err(failure));
        }
    }
    Ok(Ok(report))
}
