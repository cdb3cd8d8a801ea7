// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run`: runs programs and prints a verdict and tables; optionally writes a waveform and a picture.

mod json;
mod occupancy;
mod outcome;
mod picture;
pub mod recordings;
mod shared;
mod slow;
mod trace;
mod wave;

use super::case::args::CaseArgs;
use super::case::{Case, Format};
use super::headings::OUTPUT;
use crate::failure::{complain, print, Outcome, Result};
use crate::hardware::{Engine, Hardware};
use crate::outputs::are_distinct;
use crate::terminal::columns;
use bcu_machine::text::View;
use bcu_machine::Observer;
use bcu_program::launch::LaunchResult;
use outcome::outcome;
use recordings::RecordArgs;
use std::path::PathBuf;

/// The text below the short help.
const MORE: &str = "\
Examples:
  bcu run                                  a built-in producer/consumer program
  bcu run kernel.ptx --timeline run.svg    a picture of which warp waits when
  bcu run kernel.cu --arg n=1024           CUDA, compiled by nvcc
  bcu run --help                           all options, BCU assembly, exit codes";

const EXAMPLES: &str = "\
Examples:
  bcu run                                       a built-in producer/consumer program
  bcu run kernel.ptx --wave run.vcd             and look at it: gtkwave run.gtkw
  bcu run kernel.ptx --timeline run.svg         a picture of which warp waits when
  bcu run kernel.ptx --timeline run.svg --from 200 --to 300
                                                the same of 101 cycles
  bcu run kernel.ptx --trace run.json           the same to zoom into, for https://ui.perfetto.dev
  bcu run hang.bcu                              prints which warp waits for which; exit code 1
  generate | bcu run - --lang ptx               a program from standard input
  bcu run one.bcu --warps 8                     the same program on 8 warps
  bcu run a.bcu b.bcu                           warp 0 executes a.bcu, warp 1 executes b.bcu
  bcu run a.bcu b.bcu --role a=0 --role b=1-3   warp 0 executes a.bcu, warps 1 to 3 execute b.bcu
  bcu run k.ptx --role load=0 --role math=1-3   kernels of one PTX file on different warps
  bcu run kernel.ptx --machine slow.toml        several CTAs, memory latencies, schedule policy
  bcu run k.ptx --kernel scan --grid 4 --block 128 --arg x=f32:[512]:iota --arg n=512 --out x=y.npy
                                                one kernel of a file; a buffer is written at the end
  bcu run kernel.cu --arg n=64 --arg x=f32:[64]:2 --expect x=3
                                                CUDA, compiled by nvcc; parameters by their names
  bcu run launch.toml                           launches with buffers and expected results

Programs: `.bcu` is BCU assembly, `.ptx` is PTX, `.cu` is CUDA that nvcc compiles first, `.visa` is
vISA text with Intel's named barriers (docs/guide/visa.md), which runs on the configuration `intel`,
and `.toml` is a launch file (docs/guide/launch.md). One file is a whole CTA: it assigns programs to
warps (`.warps 0-1 producer` in BCU assembly, `.threads 0-1 producer` in vISA, `// bcu: warps 0-1
run producer` in PTX). Of several files, each is the program of one warp, in order, or of the warps
that --role gives it; it is still read for the whole CTA, so a warp has its number in the CTA.

BCU assembly, one instruction per line:
  .cta_warps 4              // warps of the CTA
  .warps 0-1 producer       // the warps that execute the lines below, and their name
  BAR.ARV 0x1, 0x80         // arrive at barrier 1 of 128 threads and continue
  BAR.SYNC 0x2, 0x80        // arrive and wait; without a count: all warps of the CTA
  ST.SHARED [0x40], WARPID  // a word of memory: LD or ST, SHARED or GLOBAL; or only ST.SHARED
  FENCE.MEM                 // wait until the accesses before it are performed
  MOV R4, 0x2               // BAR.SYNC R4, 0x80 takes the barrier from a register; also LANEID,
                            // WARPID, CTARANK, and ADD, SUB, AND, OR, XOR, SHL, SHR of two sources
  SETP P0, 0xffff           // a predicate by lane; SETP.LT P0, R4, 3 compares
  BAR.RED.POPC 0x3, 0x40, P0  // wait for the reduction of the predicates of 64 threads
  B2R.RESULT R5             // its result
  LOOP 4                    // the lines up to END, this many times
    @!P0 ST.GLOBAL          // any line may have a guard
  END
  ACTIVE 0xff               // the lines up to END, in these lanes only
    ADD R4, R4, 1
  END
  WARPSYNC 0xff             // these lanes wait for each other; ELECT P0, 0xff elects one
  BAR.SYNC.GATHER 0x4       // arrive when all lanes have; .ALIGNED: a fault if some are missing
  NOP 10                    // ten cycles without a barrier
  EXIT

Machine file (TOML, every key may be left out):
  policy = \"round_robin\"     # or random, oldest
  seed = 1
  sms = 1                    # multiprocessors; with clusters as many as the configuration has
  issue_per_cycle = 1        # to 4, each of another warp
  max_cycles = 100000
  hang_after = 32            # cycles without an event
  fault_period = 1           # a fault is accepted in one of this many cycles
  fault_policy = \"report\"    # or trap, hang: the state of a warp after its fault
  leader_policy = \"lowest\"   # or highest: the lane that elect.sync elects
  fill = \"unknown\"           # or zero, random: memory that PTX has not written
  [latency]
  shared = 20
  global = 200
  spread = 0                 # up to this many cycles more, by the seed
  [[cta]]                    # as often as there are kinds of CTAs
  count = 2
  cluster = 1                # to 16, which divides count: the CTAs of a cluster
  warps = 4                  # or threads = 100
  barriers = 16
  programs = [\"producer\", \"consumer\", \"consumer\", \"consumer\"]

Programs run on the model of the unit, which is compared with the rust-hdl unit at every port in
every cycle by the regression. --engine rtl and --engine jit replace it by the rust-hdl unit,
simulated by rust-hdl or as machine code, and compare that with the model in every cycle of the run.

--wave out.vcd writes the waveform of the rust-hdl unit; --engine jit writes the same file, for a
long run many times faster, and --engine model only the ports and the rows of warps. The option also
writes out.gtkw for GTKWave, out.sucl and the folder .surfer for Surfer. They show the instruction
of each warp, the ports in groups, and all signals inside the unit, from the first launch on, with
markers at the first fault and at the detection of a hang. A payload is z while its valid is 0.
All of them are written or none.
--timeline out.svg writes a picture: a row per warp, bars for the reason that it is held, a row per
mbarrier with its phases, lines where a barrier releases warps, arrows from each warp that waits for
ever to the missing warps; point at an item for its details. --from and --to select cycles of it.
--trace out.json writes a trace for https://ui.perfetto.dev: a process per CTA with a track per
warp and per copies of a warp, slices for instructions and waits, arrows from the last arrival to
the warps that it releases, counters, and faults. A cycle is shown as 1 us.

Exit codes: 0 completed, 1 hung, unfinished at its limit or interrupted, a fault was reported, a
buffer differs from its expected contents, or the program does what no hardware can do, 2 could not
run.";

/// Run barrier programs on the unit, cycle by cycle, and report the result.
#[derive(clap::Args)]
#[command(after_help = MORE, after_long_help = EXAMPLES)]
pub struct Args {
    /// Programs or a launch file; `-`: standard input; none: an example.
    ///
    /// A program is a file `.ptx`, `.cu`, `.bcu` or `.visa`, a launch file is `.toml`. The built-in example is
    /// examples/producer_consumer.ptx.
    #[arg(value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    case: CaseArgs,
    #[command(flatten)]
    files: RecordArgs,
    /// Print long lists in full; by default only their first and last lines.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    full: bool,
    /// Print the words of shared memory after the run, in the type of the accesses to it.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    show_shared: bool,
    /// How to print the report [default: text].
    ///
    /// JSON has `format_version` 1.
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, help_heading = OUTPUT)]
    format: Option<Format>,
    /// Print only the verdict.
    ///
    /// The JSON is the whole report.
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

impl Args {
    fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }

    /// Whether lines on written files are printed.
    fn prints_lines(&self) -> bool {
        self.format() == Format::Text && !self.quiet
    }
}

/// Lines that fit on a terminal; after a longer report the verdict is repeated.
const SCREEN: usize = 30;

/// Runs on the engine that the arguments select.
pub fn run(args: Args, hardware: Option<&dyn Hardware>) -> Result {
    are_distinct(&args.files.named(), &[])?;
    let load = || args.case.load(&args.programs);
    let run = |case: &Case, files: &RecordArgs, engine| report(&args, files, (case, engine), hardware);
    args.files.dispatch((&args.case, &args.programs, args.prints_lines()), hardware, load, run)
}

/// Runs the case and prints the result. Returns the cycles of the run too.
fn report(
    args: &Args,
    files: &RecordArgs,
    (case, engine): (&Case, Engine),
    hardware: Option<&dyn Hardware>,
) -> Result<(Outcome, u64)> {
    if !args.quiet {
        case.warn();
    }
    let (ran, recorded) = files.run(case, engine, hardware, Observer::of_changes(&mut |_| {}))?;
    let LaunchResult { mismatches, compared, .. } = ran.result.clone();
    if let (Format::Json, Some(report)) = (args.format(), ran.stopped()) {
        print(&json::render(report, &case.setup)?)?;
    }
    let mut report = ran.report()?;
    report.mismatches = case.explain(&mismatches, &report);
    let mut hints = recorded.finish(case, &report)?;
    if compared > 0 && mismatches.is_empty() {
        hints += &format!("\nbuffers: {compared} compared, as expected\n");
    }
    match args.format() {
        Format::Text if args.quiet => {
            print(&report.to_string().lines().take(1).map(|line| format!("{line}\n")).collect::<String>())?
        }
        Format::Text => {
            let built_in = "built-in program producer_consumer.ptx; run your own with `bcu run FILE`\n";
            let shared = args.show_shared.then(|| shared::word_type(&case.texts()));
            let viewed = report.view(View { shared, columns: columns() });
            let text = if args.full { format!("{viewed:#}") } else { viewed.to_string() };
            // The compiler and the project file are named after the verdict.
            let text = text.replacen('\n', &format!("\n{}", case.setup.lines()), 1);
            // A long report scrolls its first line, the verdict, off the screen, so the verdict is repeated at the end.
            let verdict = text.lines().next().filter(|_| text.lines().count() > SCREEN);
            let again = verdict.map_or(String::new(), |verdict| format!("\n{verdict}\n"));
            print(&format!("{}{text}{hints}{again}", if args.programs.is_empty() { built_in } else { "" }))?;
        }
        Format::Json => print(&json::render(&report, &case.setup)?)?,
    }
    report.mismatches.iter().for_each(|mismatch| complain(&format!("error: {mismatch}")));
    Ok((outcome(&report, mismatches.len()), report.cycles))
}
