// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run`: programs in, verdict and tables out; the waveform beside.

mod programs;
mod wave;

use super::config;
use crate::diag::Source;
use crate::failure::{print, Failure, Outcome, Result};
use bcu_hw::catalog;
use bcu_hw::config::Config;
use bcu_sim::engine::Engine;
use bcu_sim::machine::{self, FaultPolicy, Machine, Report, RunError, Verdict};
use bcu_sim::program::WarpProgram;
use programs::RoleArg;
use std::path::{Path, PathBuf};
use wave::Recorder;

const EXAMPLES: &str = "\
Examples:
  bcu run                                       a built-in producer/consumer program
  bcu run kernel.ptx --wave run.vcd             and look at it: gtkwave run.gtkw
  bcu run hang.bcu                              says who waits for whom; exit code 1
  bcu run one.bcu --warps 8                     the same program on 8 warps
  bcu run a.bcu b.bcu                           warp 0 executes a.bcu, warp 1 executes b.bcu
  bcu run a.bcu b.bcu --role a=0 --role b=1-3   warp 0 executes a.bcu, warps 1 to 3 execute b.bcu
  bcu run k.ptx --role load=0 --role math=1-3   kernels of one PTX file on different warps
  bcu run kernel.ptx --machine slow.toml        several CTAs, memory latencies, schedule policy

Programs: `.bcu` is BCU assembly, `.ptx` is PTX. One file is a whole CTA: it says which warps do
what (`.warps 0-1 producer` in BCU assembly, `// bcu: warps 0-1 run producer` in PTX). Of several
files, each is the program of one warp, in order, or of the warps that --role gives it; it is
still read for the whole CTA, so that a warp knows its number.

BCU assembly, one instruction per line:
  .cta_warps 4              // warps of the CTA
  .warps 0-1 producer       // who runs the lines below, and what to call them
  BAR.ARV 0x1, 0x80         // arrive at barrier 1 of 128 threads and go on
  BAR.SYNC 0x2, 0x80        // arrive and wait; without a count: all warps of the CTA
  ST.SHARED                 // a memory access: LD or ST, SHARED or GLOBAL
  MOV R4, 0x2               // BAR.SYNC R4, 0x80 takes the barrier from a register; also LANEID,
                            // WARPID, and ADD, SUB, AND, OR, XOR, SHL, SHR of two sources
  SETP P0, 0xffff           // a predicate by lane; SETP.LT P0, R4, 3 compares
  BAR.RED.POPC 0x3, 0x40, P0  // wait for the reduction of the predicates of 64 threads
  B2R.RESULT R5             // its result
  LOOP 4                    // the lines up to END, so many times
    @!P0 ST.GLOBAL          // any line may have a guard
  END
  ACTIVE 0xff               // the lines up to END, in these lanes only
    ADD R4, R4, 1
  END
  NOP 10                    // ten cycles without a barrier
  EXIT

Machine file (TOML, every key may be left out):
  policy = \"round_robin\"     # or random, oldest
  seed = 1
  max_cycles = 100000
  hang_after = 32            # cycles in which nothing happens
  fault_period = 1           # a fault is taken in one of so many cycles
  fault_policy = \"report\"    # or trap, hang: what becomes of a warp at fault
  [latency]
  shared = 20
  global = 200
  [[cta]]                    # as often as there are kinds of CTAs
  count = 2
  warps = 4                  # or threads = 100
  barriers = 16
  programs = [\"producer\", \"consumer\", \"consumer\", \"consumer\"]

With --wave out.vcd come out.gtkw for GTKWave, out.sucl and the folder .surfer for Surfer. They
show what each warp does, the ports in groups, and all signals inside the unit. All of them are
written or none.

Exit codes: 0 completed, 1 hung or a fault was reported, 2 could not run.";

/// Run barrier programs on the unit, cycle by cycle, and tell what happened.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Programs, `.bcu` or `.ptx`; none: the built-in examples/producer_consumer.ptx.
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
    /// What becomes of a warp whose operation is refused; overrides the machine file.
    #[arg(long, value_name = "POLICY", value_parser = fault_policy)]
    fault_policy: Option<FaultPolicy>,
    /// Seed of everything random; overrides the machine file.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

fn fault_policy(text: &str) -> std::result::Result<FaultPolicy, String> {
    let found = FaultPolicy::ALL.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| format!("expected {}", FaultPolicy::ALL.map(|(name, _)| name).join(", ")))
}

pub fn run(args: Args) -> Result {
    let config = config(&args.config)?;
    let description = match &args.machine {
        Some(path) => Source::read(path)?,
        None => Source { name: "machine".to_string(), text: String::new() },
    };
    let mut machine = Machine::parse(&description.text).map_err(|e| description.errors(&[e]))?;
    machine.seed = args.seed.unwrap_or(machine.seed);
    machine.fault_policy = args.fault_policy.unwrap_or(machine.fault_policy);
    if args.warps.is_some() && !machine.ctas.is_empty() {
        return Err(Failure::plain("--warps does not go with a machine file that describes CTAs", Some("give `warps` there")));
    }
    let lanes = config.lanes as u32;
    let asked = args.warps.map(|w| w.saturating_mul(lanes)).or_else(|| machine.threads(config.lanes));
    if let Some(warps) = asked.map(|t| t.div_ceil(lanes)).filter(|w| *w as usize > config.warps) {
        let message = format!("a CTA of {warps} warps, but the configuration has {} warps of {lanes} lanes", config.warps);
        return Err(Failure::plain(message, Some("take fewer warps, or a larger configuration: `bcu configs` lists them")));
    }
    let sources = programs::read(&args.programs)?;
    let (programs, threads) = programs::load(&sources, &config, asked, &args.roles)?;
    machine.fill(threads);
    let shown = match &machine.ctas[..] {
        [only] if only.count.is_none() && only.programs.is_empty() => threads.div_ceil(lanes) as usize,
        _ => config.warps,
    };
    let wave = args.wave.as_deref().map(|path| (path, shown));
    let (report, wave) = execute(&config, &machine, &programs, &description, wave)?;
    match args.format {
        Format::Text => {
            let built_in = "built-in program producer_consumer.ptx; run your own with `bcu run FILE`\n";
            print(&format!("{}{report}{wave}", if args.programs.is_empty() { built_in } else { "" }))?;
        }
        Format::Json => {
            let text = serde_json::to_string_pretty(&report).map_err(|e| Failure::plain(e, None))?;
            print(&(text + "\n"))?;
        }
    }
    Ok(if report.verdict == Verdict::Completed { Outcome::Good } else { Outcome::CheckFailed })
}

/// Runs, and writes the waveform of as many warp slots as asked for; gives the report, and how to look at the waveform.
fn execute(
    config: &Config,
    machine: &Machine,
    programs: &[WarpProgram],
    description: &Source,
    wave: Option<(&Path, usize)>,
) -> Result<(Report, String)> {
    let no_unit = || Failure::plain(format!("the catalogue has no unit of the size of `{}`", config.name), None);
    let mut engine = Engine::new(catalog::build(config, "bcu").ok_or_else(no_unit)?);
    let recorder = wave.map(|(path, warps)| Recorder::start(path, &mut engine, warps)).transpose()?;
    let report = machine::run(&mut engine, config, machine, programs, &mut |cycle| {
        recorder.iter().for_each(|recorder| recorder.cycle(cycle));
    });
    if let Err(RunError::Misfit(error)) = report {
        return Err(match description.text.is_empty() {
            false => description.errors(&[error]),
            true => Failure::plain(error.message, error.help.as_deref()),
        });
    }
    let unsettled = engine.failure().map(ToString::to_string);
    // A unit that went wrong is looked at in its waveform, so that is written first.
    let wave = recorder.map_or(Ok(String::new()), |recorder| recorder.finish(engine))?;
    let help = "this is an error of the unit, not of the program; `bcu regress` looks for more";
    match (unsettled, report) {
        (None, Ok(report)) => Ok((report, wave)),
        (Some(error), _) => Err(Failure::check(error, Some(help))),
        (None, Err(error)) => Err(Failure::check(error, Some(help))),
    }
}
