// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The units take one operation in every cycle, without a bubble. The tests send mixed operations on few barriers for ten thousand cycles:
//! to `named` alone, and as instructions to the whole unit, as rust-hdl block and as exported Verilog. Conditions of
//! `docs/contract/bcu.md`: the fault channel is always ready, no CTA is released, and a warp has one instruction in flight.

use bcu_engine::Engine;
use bcu_hw::unit::gateway::ports::GatewayKind;
use bcu_hw::{catalog, ports::Unit};
use bcu_isa::config::{named, Config};
use bcu_isa::op::{Form, OpKind, RedOp, StateWord};
use bcu_isa::{asm, instr};
use bcu_jit::Compiled;
use bcu_model::bench::Bench;
use bcu_model::dut::Dut;
use bcu_model::latency::{BCU_RELEASE, GATEWAY_RELEASE, NAMED_RELEASE};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use bcu_tb::stimulus::Rng;
use std::path::PathBuf;

const CYCLES: u64 = 10_000;

/// The unit under test, with the numbers of cycles after which its warps may issue again.
struct Target {
    unit: &'static str,
    /// The channel of the unit's operations.
    channel: &'static str,
    /// The strobe of the unit's read results.
    read: &'static str,
    /// Cycles from an operation to the warp's next operation.
    next: u64,
    /// Cycles from the completing arrival to the next operation of the released warps.
    release: u64,
    /// Offers one operation on the channel.
    offer: fn(&mut Bench, &Config, &mut Rng, &Operation),
}

const NAMED: Target =
    Target { unit: "named", channel: "op", read: "read_valid", next: 1, release: NAMED_RELEASE, offer: offer_operation };
const WHOLE: Target = Target {
    unit: "bcu",
    channel: "instr",
    read: "writeback_valid",
    next: BCU_RELEASE,
    release: BCU_RELEASE,
    offer: offer_instruction,
};

struct Operation {
    warp: u64,
    id: u64,
    what: What,
}

enum What {
    /// The count is in threads.
    Arrival {
        count: u64,
        redop: Option<RedOp>,
        waits: bool,
    },
    Read(StateWord),
}

fn offer_operation(bench: &mut Bench, config: &Config, rng: &mut Rng, op: &Operation) {
    let (kind, count, redop) = match op.what {
        What::Arrival { count, redop: Some(redop), .. } => (OpKind::Reduce, count, Some(redop)),
        What::Arrival { count, waits, .. } => (if waits { OpKind::Sync } else { OpKind::Arrive }, count, None),
        What::Read(_) => (OpKind::Read, 0, None),
    };
    let value = match redop {
        Some(RedOp::Popc) => rng.range(0, config.lanes as u64),
        Some(_) => rng.below(2),
        None => 0,
    };
    let state = if let What::Read(state) = op.what { state as u64 } else { 0 };
    bench.offer("op", &[("kind", kind as u64), ("warp", op.warp), ("id", op.id), ("count", count), ("state", state)]);
    bench.offer("op", &[("redop", redop.map_or(0, |redop| redop as u64)), ("value", value)]);
}

fn offer_instruction(bench: &mut Bench, config: &Config, rng: &mut Rng, op: &Operation) {
    let id = op.id;
    let text = match op.what {
        What::Arrival { count, redop: Some(redop), .. } => {
            format!("BAR.RED.{} {id}, {count}, P1", format!("{redop:?}").to_uppercase())
        }
        What::Arrival { count, waits, .. } => format!("BAR.{} {id}, {count}", if waits { "SYNC" } else { "ARV" }),
        What::Read(StateWord::Barrier) => format!("B2R.BAR R4, {id}"),
        What::Read(_) => "B2R.WARP R4".to_string(),
    };
    let word = instr::encode(&asm::assemble(&text, config.lanes as u32).unwrap().instr).map(u64::from);
    let lanes = u64::MAX >> (64 - config.lanes);
    let form = rng.pick(&[Form::Raw, Form::Aligned, Form::Gathered]).unwrap();
    bench.offer("instr", &[("word_0", word[0]), ("word_1", word[1]), ("word_2", word[2]), ("word_3", word[3])]);
    bench.offer("instr", &[("warp", op.warp), ("form", form as u64), ("predicate", rng.draw() & lanes)]);
    bench.offer("instr", &[("active", lanes), ("guard", lanes), ("uniform", 1)]);
}

/// The unit after the launch of one CTA with all warps and four barriers.
fn launched(target: &Target, config: &Config, dut: Box<dyn Dut>) -> Bench {
    let warps = config.warps as u64;
    let mut bench = Bench::new(dut);
    bench.set("fault_ready", 1);
    if target.unit == "named" {
        bench.set("op_uniform", 1);
        bench.send("op", &[("kind", OpKind::Launch as u64), ("warps", warps), ("live", warps), ("barriers", 4)]);
        // The launch occupies the pipeline for two cycles; this is the second.
        bench.cycle();
    } else {
        let [warps, lanes] = [config.warps, config.lanes].map(|width| u64::MAX >> (64 - width));
        bench.send("launch", &[("warps", warps), ("lanes", lanes), ("barriers", 4)]);
        bench.until("live");
    }
    bench
}

/// A generation in progress: the requirements on its further arrivals.
#[derive(Clone, Default)]
struct Open {
    count: u64,
    redop: Option<RedOp>,
    arrived: Vec<u64>,
    waiting: Vec<u64>,
}

/// Sends an operation in every cycle for one CTA and counts events; no operation is misuse.
fn play(target: &Target, config: &Config, dut: Box<dyn Dut>, cycles: u64) {
    let (warps, lanes) = (config.warps as u64, config.lanes as u64);
    let mut rng = Rng::new(1, "throughput");
    let mut bench = launched(target, config, dut);
    let mut rows = vec![Open::default(); 4];
    // For each warp: the cycle in which its last operation is complete, the cycle in which it is released, and whether its release is not
    // known yet.
    let mut next_at = vec![0; warps as usize];
    let mut free_at = vec![0; warps as usize];
    let mut waiting = vec![false; warps as usize];
    let (mut last_id, mut repeated, mut released, mut read, mut idle) = (0, 0, 0, 0, 0);
    for cycle in 0..cycles {
        let ready: Vec<u64> = (0..warps).filter(|w| next_at[*w as usize] <= cycle).collect();
        if ready.is_empty() {
            bench.set(&format!("{}_valid", target.channel), 0);
            bench.cycle();
            idle += 1;
            continue;
        }
        // Several tries to find a legal arrival; if none is found, and sometimes without a try, the operation is a read.
        let tries = if rng.chance(800) { 8 } else { 0 };
        let drawn = (0..tries).find_map(|_| {
            let id = if rng.chance(500) { last_id } else { rng.below(4) };
            let is_free = |w: usize| !waiting[w] && free_at[w] <= cycle;
            let fits = |w: &u64| is_free(*w as usize) && !rows[id as usize].arrived.contains(w);
            let able: Vec<u64> = ready.iter().copied().filter(fits).collect();
            let warp = rng.pick(&able)?;
            let mut row = rows[id as usize].clone();
            if row.arrived.is_empty() {
                row.count = rng.range(2, warps.min(5));
                row.redop = rng.pick(&[None, None, Some(RedOp::And), Some(RedOp::Or), Some(RedOp::Popc)]).flatten();
            }
            row.arrived.push(warp);
            let waits = row.redop.is_some() || rng.chance(500);
            if waits {
                row.waiting.push(warp);
            }
            let complete = row.arrived.len() as u64 == row.count;
            // A warp may wait only if enough warps for every other open barrier remain.
            let enough = |at: usize, open: &Open| {
                let row = if at as u64 == id { &row } else { open };
                let goes_on = |w: &u64| !waiting[*w as usize] && (!waits || *w != warp) && !row.arrived.contains(w);
                let able = (0..warps).filter(goes_on).count();
                row.arrived.is_empty() || row.arrived.len() + able >= row.count as usize
            };
            (complete || rows.iter().enumerate().all(|(at, open)| enough(at, open))).then_some((id, warp, waits, complete, row))
        });
        let op = match drawn {
            Some((id, warp, waits, complete, row)) => {
                let what = What::Arrival { count: row.count * lanes, redop: row.redop, waits };
                next_at[warp as usize] = cycle + target.next;
                waiting[warp as usize] = waits;
                repeated += u64::from(id == last_id);
                last_id = id;
                rows[id as usize] = row;
                if complete {
                    let row = std::mem::take(&mut rows[id as usize]);
                    for w in row.waiting.iter().map(|w| *w as usize) {
                        waiting[w] = false;
                        free_at[w] = cycle + target.release;
                    }
                }
                Operation { warp, id, what }
            }
            None => {
                // A waiting warp may issue a read as well.
                let warp = rng.pick(&ready).unwrap();
                next_at[warp as usize] = cycle + target.next;
                let state = rng.pick(&[StateWord::Warp, StateWord::Barrier]).unwrap();
                Operation { warp, id: last_id, what: What::Read(state) }
            }
        };
        (target.offer)(&mut bench, config, &mut rng, &op);
        bench.cycle();
        assert!(bench.finish_transfer(target.channel), "{}: no operation was taken in cycle {cycle}", config.name);
        assert_eq!(bench.get("fault_valid"), 0, "{}: fault {} in cycle {cycle}", config.name, bench.get("fault_code"));
        released += bench.get("release_valid");
        read += bench.get(target.read);
    }
    // If an operation takes more cycles than there are warps, the number of operations is limited, because each warp has at most one in
    // flight.
    let most = (cycles * warps).div_ceil(target.next).min(cycles);
    assert!(
        cycles - idle >= most - warps.min(cycles - most),
        "{}: no warp may issue in {idle} of {cycles} cycles",
        config.name
    );
    assert!(released > cycles / 50 && read > cycles / 20 && repeated > cycles / 20, "{released} {read} {repeated}");
}

/// Plays on the machine code and, for fewer cycles, on the rust-hdl block.
fn unit(target: &Target, names: &[&str]) {
    for name in names {
        let config = named(name).unwrap();
        let unit = || catalog::build(&config, target.unit).unwrap();
        play(target, &config, Box::new(Compiled::new(unit()).unwrap()), CYCLES);
        play(target, &config, Box::new(Engine::new(unit())), CYCLES / 20);
    }
}

fn export(target: &Target, name: &str) {
    let config = named(name).unwrap();
    let unit: Box<dyn Unit> = catalog::build(&config, target.unit).unwrap();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let verilated = Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap();
    play(target, &config, Box::new(verilated.instance(1)), CYCLES);
}

#[test]
fn the_unit_takes_an_operation_every_cycle() {
    unit(&NAMED, &["tiny", "small", "default", "large"]);
}

/// With eight warps an instruction is taken in eight of nine cycles, because the last instruction of each warp is in flight for nine
/// cycles.
#[test]
fn the_whole_unit_takes_an_instruction_every_cycle() {
    unit(&WHOLE, &["small", "default"]);
}

#[test]
fn the_exported_verilog_takes_an_operation_every_cycle() {
    export(&NAMED, "small");
}

#[test]
fn the_exported_whole_unit_takes_an_instruction_every_cycle() {
    export(&WHOLE, "default");
}

/// Signals and waits of 64 threads, one in every cycle. In some phases all threads use one barrier, so that each operation finds the row of
/// the previous operation. In other phases single threads use the barriers in turn.
#[test]
fn the_gateway_takes_an_operation_in_every_cycle() {
    let config = named("intel").unwrap();
    let mut bench = Bench::new(Box::new(Compiled::new(catalog::build(&config, "gateway").unwrap()).unwrap()));
    bench.set_all(&[("fault_ready", 1), ("op_uniform", 1)]);
    let threads = config.warps as u64;
    bench.send("op", &[("kind", GatewayKind::Launch as u64), ("warps", threads), ("barriers", 32)]);
    bench.cycle();
    let (mut released, mut taken_count) = (0, 0);
    for cycle in 0..CYCLES / threads * threads {
        let (round, warp) = (cycle / threads, cycle % threads);
        // Two rounds use one barrier, then two rounds use the barriers in turn.
        let (together, waits) = (round & 2 == 0, round & 1 == 1);
        let (id, count) = if together { (round >> 2 & 31, threads) } else { (cycle & 31, 1) };
        let kind = if waits { GatewayKind::Wait } else { GatewayKind::Signal };
        let op = [("kind", kind as u64), ("warp", warp), ("id", id), ("producers", count), ("consumers", count)];
        bench.offer("op", &op);
        bench.cycle();
        assert_eq!((bench.get("op_ready"), bench.get("fault_valid")), (1, 0), "cycle {cycle}");
        released += bench.get("release_valid");
        taken_count += u64::from(waits || !together || warp == threads - 1);
    }
    bench.set("op_valid", 0);
    for _ in 0..GATEWAY_RELEASE {
        bench.cycle();
        released += bench.get("release_valid");
    }
    assert_eq!(released, taken_count);
}
