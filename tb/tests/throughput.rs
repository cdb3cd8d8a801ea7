// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One operation in every cycle, without a bubble: ten thousand cycles of mixed operations on few barriers, on the rust-hdl block and on
//! the exported Verilog. Conditions are those of `docs/interface.md`: the fault channel is taken, and no CTA is released.

use bcu_hw::config::{named, Config};
use bcu_hw::unit::op::{OpKind, RedOp, StateWord};
use bcu_hw::{catalog, ports::Unit};
use bcu_sim::bench::Bench;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_tb::cosim::verilator::Verilated;
use bcu_tb::lockstep::units::design;
use bcu_tb::stimulus::Rng;
use std::path::PathBuf;

const CYCLES: u64 = 10_000;

/// A generation under way: what its arrivals must look like.
#[derive(Clone, Default)]
struct Open {
    count: u64,
    redop: Option<RedOp>,
    arrived: Vec<u64>,
    waiting: Vec<u64>,
}

/// Keeps one CTA busy and counts what happens; every cycle has an operation, and no operation is a misuse.
fn play(config: &Config, dut: Box<dyn Dut>) {
    let (warps, lanes) = (config.warps as u64, config.lanes as u64);
    let mut rng = Rng::new(1, "throughput");
    let mut bench = Bench::new(dut);
    bench.set("fault_ready", 1);
    bench.set("op_uniform", 1);
    bench.send("op", &[("kind", OpKind::Launch as u64), ("warps", warps), ("live", warps), ("barriers", 4)]);

    let mut rows = vec![Open::default(); 4];
    // The cycle from which each warp may issue again; never, while it waits.
    let mut free_at = vec![0; warps as usize];
    let (mut last_id, mut repeated, mut released, mut read) = (0, 0, 0, 0);
    for now in 0..CYCLES {
        let free: Vec<u64> = (0..warps).filter(|w| free_at[*w as usize] <= now).collect();
        // A few tries to find an arrival; a read otherwise, and sometimes anyway.
        let tries = if rng.chance(800) { 8 } else { 0 };
        let step = (0..tries).find_map(|_| {
            let id = if rng.chance(500) { last_id } else { rng.below(4) };
            let able: Vec<u64> = free.iter().copied().filter(|w| !rows[id as usize].arrived.contains(w)).collect();
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
            // Whoever waits must leave enough free warps to every open barrier.
            let enough = |at: usize, open: &Open| {
                let row = if at as u64 == id { &row } else { open };
                let able = free.iter().filter(|w| (!waits || **w != warp) && !row.arrived.contains(w)).count();
                row.arrived.is_empty() || row.arrived.len() + able >= row.count as usize
            };
            (complete || rows.iter().enumerate().all(|(at, open)| enough(at, open))).then_some((id, warp, waits, complete, row))
        });
        match step {
            Some((id, warp, waits, complete, row)) => {
                let kind = match (row.redop, waits) {
                    (Some(_), _) => OpKind::Reduce,
                    (None, true) => OpKind::Sync,
                    (None, false) => OpKind::Arrive,
                };
                let redop = row.redop.unwrap_or(RedOp::And);
                let value = match row.redop {
                    Some(RedOp::Popc) => rng.range(0, lanes),
                    Some(_) => rng.below(2),
                    None => 0,
                };
                let payload = [("kind", kind as u64), ("warp", warp), ("id", id), ("count", row.count * lanes)];
                bench.offer("op", &payload);
                bench.offer("op", &[("redop", redop as u64), ("value", value)]);
                if waits {
                    free_at[warp as usize] = u64::MAX;
                }
                repeated += u64::from(id == last_id);
                last_id = id;
                rows[id as usize] = row;
                if complete {
                    // Released two cycles later, in the cycle in which it may issue again.
                    let row = std::mem::take(&mut rows[id as usize]);
                    row.waiting.iter().for_each(|w| free_at[*w as usize] = now + 2);
                }
            }
            None => {
                let state = rng.pick(&[StateWord::Warp, StateWord::Barrier]).unwrap();
                let payload =
                    [("kind", OpKind::Read as u64), ("warp", rng.below(warps)), ("id", last_id), ("state", state as u64)];
                bench.offer("op", &payload);
            }
        }
        bench.cycle();
        assert!(bench.taken("op"), "{}: no operation was taken in cycle {now}", config.name);
        assert_eq!(bench.get("fault_valid"), 0, "{}: fault {} in cycle {now}", config.name, bench.get("fault_code"));
        released += bench.get("release_valid");
        read += bench.get("read_valid");
    }
    assert!(released > CYCLES / 20 && read > CYCLES / 20 && repeated > CYCLES / 20, "{released} {read} {repeated}");
}

#[test]
fn the_block_takes_an_operation_every_cycle() {
    for name in ["tiny", "small", "default", "large"] {
        let config = named(name).unwrap();
        play(&config, Box::new(Engine::new(catalog::build(&config, "named").unwrap())));
    }
}

#[test]
fn the_exported_verilog_takes_an_operation_every_cycle() {
    let config = named("small").unwrap();
    let unit: Box<dyn Unit> = catalog::build(&config, "named").unwrap();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("throughput");
    let verilated = Verilated::build(&design(&*unit).unwrap(), &cache).unwrap();
    play(&config, Box::new(verilated.instance(1)));
}
