// SPDX-License-Identifier: Apache-2.0 OR MIT
//! On cache hits `mbarrier` performs one operation in every cycle, from any mix of sources. The test runs ten thousand cycles of arrivals,
//! bytes and tests on few objects, with phase flips, on the compiled unit and on the exported Verilog. No source starves another one:
//! refused operations fill the queue while the entries of a CTA are walked, and the other channels have a turn for each step of the walk.

use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_hw::{catalog, ports::Unit};
use bcu_isa::config::{named, Config};
use bcu_jit::Compiled;
use bcu_model::bench::Bench;
use bcu_model::dut::Dut;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use bcu_tb::stimulus::Rng;
use std::path::PathBuf;

const CYCLES: u64 = 10_000;
/// Number of objects that expect three arrivals. One more object receives only bytes.
const OBJECTS: u64 = 4;
/// A number of expected bytes that is enough for the whole run.
const BYTES: u64 = 1 << 19;

/// For each source, the share of cycles in which it has an operation, in thousandths.
#[derive(Clone, Copy, Debug)]
struct Mix {
    op: u64,
    tx: u64,
    net: u64,
}

/// The unit with a CTA and its objects, all of them cached.
fn prepared(dut: Box<dyn Dut>) -> Bench {
    let mut bench = Bench::new(dut);
    let levels = ["mem_request_ready", "fault_ready", "wait_limit", "op_uniform"];
    levels.iter().for_each(|port| bench.set(port, 1));
    bench.set("launch_valid", 1);
    bench.cycle();
    bench.set("launch_valid", 0);
    for object in 0..OBJECTS + 1 {
        bench.send("op", &[("kind", MbarrierKind::Init as u64), ("address", object << 3), ("count", 3)]);
    }
    bench.send("op", &[("kind", MbarrierKind::Expect as u64), ("count", 0), ("bytes", BYTES)]);
    bench.cycles(8);
    bench
}

/// Offers an operation on `op`: an arrival, a test, or expected bytes.
fn offer_op(bench: &mut Bench, rng: &mut Rng, warp: u64) {
    let object = rng.below(OBJECTS);
    let (kind, object, count, bytes) = match rng.below(4) {
        0 => (MbarrierKind::TestWait, object, 0, 0),
        1 => (MbarrierKind::Expect, OBJECTS, 0, rng.below(2)),
        _ => (MbarrierKind::Arrive, object, 1, 0),
    };
    bench.offer("op", &[("kind", kind as u64), ("warp", warp), ("address", object << 3), ("count", count), ("bytes", bytes)]);
}

fn offer_net(bench: &mut Bench, rng: &mut Rng) {
    let (kind, object, count, bytes) = match rng.below(3) {
        0 => (MbarrierKind::Expect, OBJECTS, 0, rng.below(3)),
        1 => (MbarrierKind::Complete, OBJECTS, 0, rng.below(3)),
        _ => (MbarrierKind::Arrive, rng.below(OBJECTS), 1, 0),
    };
    bench.offer("net_in", &[("kind", kind as u64), ("object", object), ("count", count), ("bytes", bytes)]);
}

fn offer_tx(bench: &mut Bench, rng: &mut Rng) {
    let (object, count, bytes) = if rng.chance(500) { (OBJECTS, 0, rng.below(3)) } else { (rng.below(OBJECTS), 1, 0) };
    bench.offer("tx", &[("object", object), ("count", count), ("bytes", bytes)]);
}

/// Checks that one operation is done in each cycle in which a source has an operation.
fn play(config: &Config, dut: Box<dyn Dut>, mix: Mix) {
    let mut rng = Rng::new(1, "throughput_mbarrier");
    let mut bench = prepared(dut);
    let mut busy = vec![false; config.warps];
    let (mut offers, mut sends, mut receives) = (None, false, false);
    // The number of consecutive cycles for which each channel has waited.
    let mut waits = [0; 3];
    let (mut taken_count, mut idle, mut flips) = (0, 0, 0);
    for _ in 0..CYCLES {
        if offers.is_none() && rng.chance(mix.op) {
            offers = busy.iter().position(|busy| !busy);
            assert!(mix.op < 1000 || offers.is_some(), "more than {} operations are in flight", config.warps);
            if let Some(warp) = offers {
                offer_op(&mut bench, &mut rng, warp as u64);
            }
        }
        if !sends && rng.chance(mix.tx) {
            offer_tx(&mut bench, &mut rng);
            sends = true;
        }
        if !receives && rng.chance(mix.net) {
            offer_net(&mut bench, &mut rng);
            receives = true;
        }
        idle += u64::from(offers.is_none() && !sends && !receives);
        bench.cycle();
        if let Some(warp) = offers.filter(|_| bench.finish_transfer("op")) {
            busy[warp] = true;
            offers = None;
            taken_count += 1;
        }
        if sends && bench.finish_transfer("tx") {
            sends = false;
            taken_count += 1;
        }
        if bench.get("commit_valid") == 1 {
            busy[bench.get("commit_warps").trailing_zeros() as usize] = false;
        }
        if receives && bench.finish_transfer("net_in") {
            receives = false;
            taken_count += 1;
        }
        for (waits, offered) in waits.iter_mut().zip([offers.is_some(), sends, receives]) {
            *waits = if offered { *waits + 1 } else { 0 };
            assert!(*waits <= 2, "{mix:?}: three sources, and one waits for more than a turn of each other");
        }
        assert_eq!(bench.get("fault_valid"), 0, "fault {}", bench.get("fault_code"));
        assert_eq!(bench.get("mem_request_valid"), 0, "all of it hits");
        flips += u64::from(bench.get("token_valid") == 1 && bench.get("token_word") >> 63 == 1);
    }
    // The bound includes the transfers that are left in the two places of `tx` at the end of the run, and the cycles in which all sources
    // were idle.
    assert!(taken_count + idle >= CYCLES, "{}: {mix:?}: {taken_count} operations, {idle} cycles without any", config.name);
    assert!(mix.op == 0 || flips > CYCLES / 50, "{flips} tokens of an odd phase");
}

const MIXES: [Mix; 8] = [
    Mix { op: 1000, tx: 0, net: 0 },
    Mix { op: 0, tx: 1000, net: 0 },
    Mix { op: 0, tx: 0, net: 1000 },
    Mix { op: 1000, tx: 1000, net: 0 },
    Mix { op: 1000, tx: 1000, net: 1000 },
    Mix { op: 700, tx: 300, net: 0 },
    Mix { op: 200, tx: 900, net: 0 },
    Mix { op: 300, tx: 300, net: 500 },
];

#[test]
fn a_hit_is_done_in_every_cycle() {
    for name in ["small", "warp8_bare", "default", "large"] {
        let config = named(name).unwrap();
        for mix in MIXES.into_iter().filter(|mix| mix.net == 0 || config.has_clusters()) {
            play(&config, Box::new(Compiled::new(catalog::build(&config, "mbarrier").unwrap()).unwrap()), mix);
        }
    }
}

#[test]
fn the_exported_mbarrier_does_a_hit_in_every_cycle() {
    let config = named("small").unwrap();
    let unit: Box<dyn Unit> = catalog::build(&config, "mbarrier").unwrap();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let verilated = Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap();
    MIXES.into_iter().for_each(|mix| play(&config, Box::new(verilated.instance(1)), mix));
}

/// The CTA that retires while all sources have operations. The operations are on objects of CTA 0.
const RETIRING_CTA: u64 = 1;
/// The maximum number of consecutive cycles in which `op` is not ready.
const OP_WAITS: u64 = 3;
/// The number of places in each of the queues of `tx` and `net_in`. The number of transfers may differ from the number of turns by this
/// number.
const PLACES: u64 = 2;

/// Retires a CTA while every warp has a refused operation in flight and the other channels always have an operation. Asserts that no source
/// waits longer than its limit, and that the other channels have a turn for each step of the walk.
fn walk(config: &Config, dut: Box<dyn Dut>) {
    let mut rng = Rng::new(2, "throughput_mbarrier");
    let mut bench = prepared(dut);
    bench.set("launch_cta", RETIRING_CTA);
    bench.set("launch_valid", 1);
    bench.cycle();
    bench.set("launch_valid", 0);
    // The object is in an entry that the operations do not use, because memory never answers in this test.
    bench.send("op", &[("kind", MbarrierKind::Init as u64), ("cta", RETIRING_CTA), ("address", 8), ("count", 1), ("bytes", 0)]);
    bench.cycles(8);
    let mut busy = vec![false; config.warps];
    let mut offers: Option<usize> = None;
    let (mut fresh, mut has_retired) = ([true; 2], false);
    let (mut op_waits, mut turns, mut since) = (0, [0; 2], [0; 2]);
    for cycle in 0.. {
        if offers.is_none() {
            offers = busy.iter().position(|busy| !busy);
            if let Some(warp) = offers {
                // The operation is an Arrive with a count of 0. It is refused, which takes four cycles.
                let payload =
                    [("kind", MbarrierKind::Arrive as u64), ("warp", warp as u64), ("cta", 0), ("count", 0), ("bytes", 0)];
                bench.offer("op", &payload);
            }
        }
        if fresh[0] {
            offer_tx(&mut bench, &mut rng);
        }
        if fresh[1] {
            offer_net(&mut bench, &mut rng);
        }
        // The CTA retires in cycle `100 * warps`. By then the queue holds as many operations as it can.
        bench.set_all(&[
            ("retire_valid", u64::from(cycle == 100 * config.warps)),
            ("retire_cta", RETIRING_CTA),
            ("retire_warps", 0),
        ]);
        bench.cycle();
        has_retired |= cycle == 100 * config.warps;
        op_waits = if offers.is_some() && bench.get("op_ready") == 0 { op_waits + 1 } else { 0 };
        assert!(op_waits <= OP_WAITS, "{}: an operation waits for {op_waits} cycles", config.name);
        if let Some(warp) = offers.filter(|_| bench.finish_transfer("op")) {
            busy[warp] = true;
            offers = None;
        }
        if bench.get("commit_valid") == 1 {
            busy[bench.get("commit_warps").trailing_zeros() as usize] = false;
        }
        fresh = [bench.finish_transfer("tx"), bench.finish_transfer("net_in")];
        for channel in 0..2 {
            since[1 - channel] += u64::from(fresh[channel]);
            if fresh[channel] {
                turns[channel] += u64::from(has_retired);
                assert!(
                    since[channel] <= PLACES,
                    "{}: a channel has had {} turns since another's last",
                    config.name,
                    since[channel]
                );
                since[channel] = 0;
            }
        }
        if bench.get("retired_valid") == 1 {
            break;
        }
        assert!(cycle < 1000 * config.warps * config.mbarrier_objects, "{}: the CTA does not go", config.name);
    }
    let steps = config.mbarrier_objects as u64;
    assert!(turns.iter().all(|turns| turns + PLACES >= steps), "{}: {turns:?} turns in a walk of {steps} steps", config.name);
}

#[test]
fn a_walk_keeps_no_source_waiting() {
    for name in ["small", "default"] {
        let config = named(name).unwrap();
        walk(&config, Box::new(Compiled::new(catalog::build(&config, "mbarrier").unwrap()).unwrap()));
    }
}
