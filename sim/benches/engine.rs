// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycles per second of the engine on `named`: alone, with a trace of the ports, and with a trace of all signals, in one run.
//!
//! `cargo bench -p bcu-sim --bench engine [-- CONFIG [CYCLES [TRACE]]]`; CONFIG is `default` if not given, TRACE one of the three
//! alone, for a profiler. Every warp that is not blocked
//! keeps arriving at barrier 0 of its CTA, so that a barrier completes every few cycles.

use bcu_hw::ports::{Dir, Port};
use bcu_hw::{catalog, config};
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::trace::vcd::Vcd;
use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

/// Counts what is written, and drops it: a disk is not what is measured.
#[derive(Default)]
struct Sink(u64);

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Trace {
    Nothing,
    Ports,
    Everything,
}

/// Arrivals at full rate.
struct Traffic {
    warps: u64,
    slots: u64,
    launched: u64,
    random: u64,
    inputs: Vec<usize>,
    ready: usize,
    blocked: usize,
}

/// The inputs that the traffic sets, in the order of [`Traffic::next`].
const DRIVEN: [&str; 10] =
    ["reset", "op_valid", "op_kind", "op_uniform", "op_warp", "op_cta", "op_warps", "op_live", "op_barriers", "fault_ready"];

impl Traffic {
    fn new(config: &config::Config, ports: &[Port]) -> Option<Self> {
        let place = |dir: Dir, name: &str| ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name);
        Some(Traffic {
            warps: config.warps as u64,
            slots: config.cta_slots as u64,
            launched: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            inputs: DRIVEN.iter().map(|name| place(Dir::In, name)).collect::<Option<_>>()?,
            ready: place(Dir::Out, "op_ready")?,
            blocked: place(Dir::Out, "blocked")?,
        })
    }

    /// The inputs of a cycle from the outputs of the one before.
    fn next(&mut self, cycle: u64, outputs: &[u64], inputs: &mut [u64]) {
        const SYNC: u64 = 0;
        const LAUNCH: u64 = 6;
        let set = |inputs: &mut [u64], values: [u64; 10]| {
            self.inputs.iter().zip(values).for_each(|(&place, value)| inputs[place] = value);
        };
        let share = self.warps / self.slots;
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        if cycle == 0 {
            set(inputs, [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
        } else if self.launched < self.slots {
            // The unit clears its tables after reset, then takes one launch a cycle.
            let ready = outputs[self.ready];
            set(inputs, [0, ready, LAUNCH, 1, 0, self.launched, share, share, 4, 1]);
            self.launched += ready;
        } else {
            let warp = self.random % self.warps;
            let free = outputs[self.ready] & !(outputs[self.blocked] >> warp) & (inputs[self.inputs[4]] != warp) as u64;
            set(inputs, [0, free & 1, SYNC, 1, warp, warp / share, 0, 0, 0, 1]);
        }
    }
}

fn measure(config: &config::Config, trace: Trace, cycles: u64) -> Result<(f64, f64, f64, u64), String> {
    let unit = catalog::build(config, "named").ok_or("`named` is not in the catalogue in this size")?;
    let mut engine = Engine::new(unit);
    let ports = engine.ports().to_vec();
    let count = |dir: Dir| ports.iter().filter(|p| p.dir == dir).count();
    let (mut inputs, mut outputs) = (vec![0; count(Dir::In)], vec![0; count(Dir::Out)]);
    let mut traffic = Traffic::new(config, &ports).ok_or("`named` has other ports than this benchmark drives")?;
    let release = ports.iter().filter(|p| p.dir == Dir::Out).position(|p| p.name == "release_valid").unwrap_or(0);
    let vcd = match trace {
        Trace::Everything => Vcd::of_unit(Sink::default(), engine.unit(), &[]),
        _ => Vcd::of_ports(Sink::default(), "named", &ports, &[]),
    };
    let vcd = Rc::new(RefCell::new(vcd.map_err(|e| e.to_string())?));
    if trace == Trace::Everything {
        let vcd = vcd.clone();
        engine.watch(move |block| vcd.borrow_mut().capture(block));
    }
    let mut releases = 0;
    let start = Instant::now();
    for cycle in 0..cycles {
        traffic.next(cycle, &outputs, &mut inputs);
        engine.cycle(&inputs, &mut outputs);
        releases += outputs[release];
        if trace != Trace::Nothing {
            vcd.borrow_mut().cycle(&inputs, &outputs).map_err(|e| e.to_string())?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if let Some(failure) = engine.failure() {
        return Err(failure.to_string());
    }
    let passes = engine.passes() as f64 / cycles as f64;
    drop(engine);
    let written = Rc::into_inner(vcd).ok_or("the trace is still in use")?.into_inner().finish().map_err(|e| e.to_string())?;
    let bytes = if trace == Trace::Nothing { 0.0 } else { written.0 as f64 / cycles as f64 };
    Ok((cycles as f64 / seconds, passes, bytes, releases))
}

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let name = args.first().map_or("default", String::as_str);
    let cycles = args.get(1).map_or(Ok(100_000), |n| n.parse());
    let (Some(config), Ok(cycles)) = (config::named(name), cycles) else {
        let names: Vec<_> = config::NAMED.iter().map(|(n, _)| *n).collect();
        eprintln!(
            "expected `[CONFIG [CYCLES [TRACE]]]`, CONFIG one of {}, CYCLES a number, TRACE none, ports or everything",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    println!("`named` at `{name}`, {cycles} cycles, best of 3");
    println!(
        "{:<14} {:>10} {:>6} {:>13} {:>12} {:>9}",
        "trace", "cycles/s", "ratio", "passes/cycle", "bytes/cycle", "releases"
    );
    let mut first = None;
    for (label, trace) in [("none", Trace::Nothing), ("ports", Trace::Ports), ("everything", Trace::Everything)] {
        if args.get(2).is_some_and(|only| only != label) {
            continue;
        }
        let mut best: Option<(f64, f64, f64, u64)> = None;
        for _ in 0..3 {
            match measure(&config, trace, cycles) {
                Ok(run) if best.is_none_or(|b| run.0 > b.0) => best = Some(run),
                Ok(_) => {}
                Err(message) => {
                    eprintln!("{message}");
                    return ExitCode::FAILURE;
                }
            }
        }
        if let Some((rate, passes, bytes, releases)) = best {
            let ratio = rate / *first.get_or_insert(rate);
            println!("{label:<14} {rate:>10.0} {ratio:>6.3} {passes:>13.1} {bytes:>12.1} {releases:>9}");
        }
    }
    ExitCode::SUCCESS
}
