// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Speed of the execution of kernels, in three rows. "on the compiled unit" runs a kernel on the
//! unit as machine code. "on recorded outputs" runs it on a stand-in that replays the unit's
//! outputs. "model alone" clocks only the model, which also runs beside every execution to check
//! it. The difference of the last two is the time of the executor alone.
//!
//! `cargo bench --manifest-path lab/Cargo.toml --bench execute [-- KERNEL [ROW]]`; KERNEL selects one kernel and ROW one row, for a
//! profiler. A lane-instruction is one lane of a warp in one instruction; all lanes of a warp are counted, whatever the guards are.

use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Port;
use bcu_jit::Compiled;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Loaded};
use std::error::Error;
use std::process::{Command, ExitCode};
use std::time::Instant;

type Failure = Box<dyn Error>;

/// Every row is measured once per round, so that a slow period of the computer affects all rows.
const ROUNDS: usize = 3;
const RECORDED: &str = "on recorded outputs";
const COMPILED: &str = "on the compiled unit";
const ALONE: &str = "model alone";
const NAMES: [&str; 3] = [RECORDED, COMPILED, ALONE];
/// The argument with which this program starts itself to measure the peak memory of a run.
const PEAK: &str = "peak-of";
const LANES: u64 = 32;

const ARITHMETIC: &str = "// bcu: threads 256
    mov.u32 r1, %tid.x;
    mov.u32 r2, ROUNDS;
AGAIN:
    add.u32 r3, r1, r2;
    mad.lo.u32 r1, r3, 1664525, 1013904223;
    xor.b32 r4, r1, r3;
    shr.u32 r5, r4, 7;
    add.u32 r1, r1, r5;
    min.u32 r6, r1, r4;
    sub.u32 r2, r2, 1;
    setp.ne.u32 p1, r2, 0;
    @p1 bra AGAIN;
    exit;";

const REDUCTION: &str = "// bcu: threads 256
    mov.u32 r1, %tid.x;
    shl.b32 r2, r1, 2;
    mov.u32 r9, ROUNDS;
AGAIN:
    add.u32 r3, r1, r9;
    st.shared.u32 [r2], r3;
    mov.u32 r4, 128;
HALF:
    bar.sync 0;
    setp.lt.u32 p1, r1, r4;
    shl.b32 r5, r4, 2;
    add.u32 r5, r5, r2;
    @p1 ld.shared.u32 r6, [r5];
    @p1 ld.shared.u32 r7, [r2];
    @p1 add.u32 r7, r7, r6;
    @p1 st.shared.u32 [r2], r7;
    shr.u32 r4, r4, 1;
    setp.ne.u32 p2, r4, 0;
    @p2 bra HALF;
    bar.sync 0;
    sub.u32 r9, r9, 1;
    setp.ne.u32 p2, r9, 0;
    @p2 bra AGAIN;
    exit;";

const BARRIERS: &str = "// bcu: threads 256
    mov.u32 r2, ROUNDS;
AGAIN:
    bar.sync 0;
    sub.u32 r2, r2, 1;
    setp.ne.u32 p1, r2, 0;
    @p1 bra AGAIN;
    exit;";

/// Name, text and number of rounds of each measured kernel.
const KERNELS: [(&str, &str, u32); 3] =
    [("arithmetic", ARITHMETIC, 500), ("shared reduction", REDUCTION, 40), ("barriers", BARRIERS, 400)];

const VARIABLE: &str = ".version 8.0\n.target sm_90\n.address_size 64
.global .align 4 .b8 large[67108864];
.visible .entry k ()
{
    .reg .u32 %r;
    .reg .u64 %a;
    mov.u64 %a, large;
    ld.global.u32 %r, [%a];
    st.global.u32 [%a+4], %r;
    ret;
}";

const PARAMETER: &str = ".version 8.0\n.target sm_90\n.address_size 64
.func f (.param .align 4 .b8 given[61440])
{
    .reg .u32 %r;
    ld.param.u32 %r, [given];
    ret;
}
.visible .entry k ()
{
    .param .align 4 .b8 large[61440];
    st.param.u32 [large], 1;
    call f, (large);
    ret;
}";

/// The two large objects: description, and the text that contains the object.
const LARGE: [(&str, &str); 2] = [("a variable of 64 MiB", VARIABLE), ("a call with 60 KiB, 32 lanes", PARAMETER)];

struct Bench {
    config: Config,
    loaded: Loaded,
    machine: Machine,
}

impl Bench {
    fn new(text: &str, rounds: u32) -> Result<Bench, Failure> {
        let config = named("default").ok_or("`default`: unknown configuration")?;
        let text = text.replace("ROUNDS", &rounds.to_string());
        let threads = (!text.starts_with("//")).then_some([LANES as u32, 1, 1]);
        let loaded = load(Kind::Ptx, &text, &Launch { threads, ..Launch::new(LANES as u32) }).map_err(|e| format!("{e:#?}"))?;
        let mut machine = Machine::parse("max_cycles = 100000000").map_err(|e| e.message)?;
        machine.size(loaded.threads);
        Ok(Bench { config, loaded, machine })
    }

    fn model(&self) -> Result<Box<dyn Dut>, Failure> {
        Ok(by_name("bcu", Sizes::try_from(&self.config)?).ok_or("`bcu`: the unit has no model")?)
    }

    fn compiled(&self) -> Result<Compiled, Failure> {
        Ok(Compiled::new(catalog::build(&self.config, "bcu").ok_or("`bcu` is not in the catalogue")?)?)
    }

    /// Runs the kernel; returns the time in seconds, and the report.
    fn run(&self, dut: &mut dyn Dut, record: Option<&mut Record>) -> Result<(f64, Report), Failure> {
        let start = Instant::now();
        let report = match record {
            None => run(dut, &self.config, &self.machine, &self.loaded.programs, &mut |_| ())?,
            Some(record) => run(dut, &self.config, &self.machine, &self.loaded.programs, &mut |cycle| {
                record.inputs.extend_from_slice(cycle.inputs);
                record.outputs.extend_from_slice(cycle.outputs);
            })?,
        };
        let seconds = start.elapsed().as_secs_f64();
        if report.verdict != Verdict::Completed {
            return Err(report.to_string().into());
        }
        Ok((seconds, report))
    }
}

/// The port values of a run.
#[derive(Default)]
struct Record {
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

/// A stand-in for the unit that outputs recorded values, so that the unit costs no time.
struct Playback<'r> {
    ports: Vec<Port>,
    outputs: std::slice::Iter<'r, u64>,
}

impl Dut for Playback<'_> {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, _: &[u64], outputs: &mut [u64]) {
        outputs.iter_mut().zip(&mut self.outputs).for_each(|(shown, recorded)| *shown = *recorded);
    }
}

fn instructions(report: &Report) -> u64 {
    report.warps.iter().map(|warp| warp.steps as u64 * LANES).sum()
}

fn table(name: &str, text: &str, rounds: u32, only: Option<&str>) -> Result<(), Failure> {
    let bench = Bench::new(text, rounds)?;
    let mut record = Record::default();
    let (_, report) = bench.run(&mut *bench.model()?, Some(&mut record))?;
    let width = record.inputs.len() / report.cycles as usize;
    let rows: Vec<&str> = NAMES.into_iter().filter(|row| only.is_none_or(|only| only == *row)).collect();
    let mut code = if rows.contains(&COMPILED) { Some(bench.compiled()?) } else { None };
    let mut best = vec![f64::INFINITY; rows.len()];
    for _ in 0..ROUNDS {
        for (row, best) in rows.iter().zip(&mut best) {
            let seconds = match (*row, &mut code) {
                (COMPILED, Some(code)) => {
                    code.restart();
                    bench.run(code, None)?.0
                }
                (ALONE, _) => {
                    let mut model = bench.model()?;
                    let outputs = model.ports().iter().filter(|port| port.dir == bcu_isa::ports::Dir::Out).count();
                    let mut outputs = vec![0; outputs];
                    let start = Instant::now();
                    record.inputs.chunks_exact(width).for_each(|inputs| model.cycle(inputs, &mut outputs));
                    start.elapsed().as_secs_f64()
                }
                _ => {
                    let ports = bench.model()?.ports().to_vec();
                    bench.run(&mut Playback { ports, outputs: record.outputs.iter() }, None)?.0
                }
            };
            *best = best.min(seconds);
        }
    }
    let count = instructions(&report);
    println!("{name}: {count} lane-instructions, {} cycles; best of {ROUNDS} rounds", report.cycles);
    println!("{:<24} {:>22} {:>12} {:>15}", "row", "lane-instructions/s", "cycles/s", "time to model");
    let seconds_of = |name: &str| rows.iter().zip(&best).find(|(row, _)| **row == name).map(|(_, seconds)| *seconds);
    let line = |row: &str, seconds: f64| {
        let ratio = seconds_of(ALONE).map_or(String::new(), |model| format!("{:.2}", seconds / model));
        println!("{row:<24} {:>22.0} {:>12.0} {ratio:>15}", count as f64 / seconds, report.cycles as f64 / seconds);
    };
    rows.iter().zip(&best).for_each(|(row, seconds)| line(row, *seconds));
    if let (Some(both), Some(model)) = (seconds_of(RECORDED), seconds_of(ALONE)) {
        line("executor, by difference", both - model);
    }
    println!();
    Ok(())
}

/// The peak memory of this process, in KiB; only Linux reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}

/// A run of ten million lane-instructions on the model, in a separate process.
fn peak_of_run() -> Result<(), Failure> {
    let bench = Bench::new(ARITHMETIC, 4340)?;
    let before = peak().unwrap_or(0);
    let (seconds, report) = bench.run(&mut *bench.model()?, None)?;
    let after = peak().unwrap_or(0);
    println!(
        "{} lane-instructions on the model: {seconds:.2} s, at most {after} KiB of memory, {before} KiB before",
        instructions(&report)
    );
    Ok(())
}

fn measure_all(args: &[String]) -> Result<(), Failure> {
    if args.first().is_some_and(|arg| arg == PEAK) {
        return peak_of_run();
    }
    let (kernel, row) = (args.first().map(String::as_str), args.get(1).map(String::as_str));
    if row.is_some_and(|row| !NAMES.contains(&row))
        || kernel.is_some_and(|name| !KERNELS.iter().any(|(known, ..)| *known == name))
    {
        let kernels = KERNELS.map(|(name, ..)| name).join("`, `");
        return Err(format!("expected `[KERNEL [ROW]]`:\n  KERNEL: `{kernels}`\n  ROW: `{}`", NAMES.join("`, `")).into());
    }
    for (name, text, rounds) in KERNELS.iter().filter(|(name, ..)| kernel.is_none_or(|kernel| kernel == *name)) {
        table(name, text, *rounds, row)?;
    }
    if kernel.is_none() {
        for (what, text) in LARGE {
            let start = Instant::now();
            let bench = Bench::new(text, 0)?;
            bench.run(&mut *bench.model()?, None)?;
            println!("{what}: {:.2} s", start.elapsed().as_secs_f64());
        }
        let output = Command::new(std::env::current_exe()?).arg(PEAK).output()?;
        print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn main() -> ExitCode {
    // Cargo adds the argument `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    match measure_all(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}
