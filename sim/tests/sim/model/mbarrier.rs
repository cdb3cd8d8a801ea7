// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` at its ports: waits, memory, retirement of CTAs, faults.

use super::bench::{for_seeds, small, tiny, Random};
use super::mbarrier_sm::Sm;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_model::op::Code;
use bcu_model::sizes::Objects;
use MbarrierKind::*;

#[test]
fn warps_wait_until_the_phase_flips() {
    let mut sm = Sm::new(small(), 3);
    sm.op(0, Init, 8, 2, 0);
    sm.op(1, TryWait, 8, 0, 0);
    sm.op(2, TryWait, 8, 0, 0);
    assert!(sm.tokens.is_empty() && sm.wakes.is_empty());
    assert_eq!(sm.bench.get("suspended"), 0b110, "with the commit of the second");
    sm.op(0, Arrive, 8, 1, 0);
    sm.op(3, Arrive, 8, 1, 0);
    sm.steps(4);
    assert_eq!(sm.wakes, [(0b110, 1)]);
    assert_eq!(sm.bench.get("suspended"), 0);
    assert_eq!(sm.tokens, [(0, 0x7fff_f000_001f_fffc, 0), (3, 0x7fff_f800_001f_fffc, 0)]);
    sm.op(1, TestWait, 8, 0, 0);
    assert_eq!(sm.tokens[2], (1, 0xffff_f000_001f_fffc, 1));
    assert!(sm.faults.is_empty());
}

#[test]
fn a_warp_waits_no_longer_than_its_limit() {
    let mut sm = Sm::new(tiny(), 1);
    sm.op(0, Init, 0, 1, 0);
    sm.op(3, TryWait, 0, 0, 0);
    sm.steps(2 * 64 + 10);
    assert_eq!(sm.wakes, [(0b1000, 0)]);
}

#[test]
fn an_object_that_gives_way_is_written_and_read_again() {
    // 8 entries and 32 words: words 0 and 9 share an entry.
    let mut sm = Sm::new(tiny(), 5);
    sm.op(0, Init, 0, 3, 0);
    sm.op(1, TryWait, 0, 0, 0);
    sm.op(0, Init, 9 * 8, 4, 0);
    assert_eq!(sm.wakes, [(0b10, 0)], "a warp suspended on a dropped entry is answered false");
    assert_eq!(sm.memory.get(&0), Some(&0x7fff_e800_001f_fffa));
    sm.op(0, Arrive, 0, 1, 0);
    assert_eq!(sm.tokens, [(0, 0x7fff_e800_001f_fffa, 0)]);
    sm.op(2, TryWait, 0, 0, 0);
    sm.op(0, TestWait, 9 * 8, 0, 0);
    assert_eq!(sm.wakes.len(), 1, "a wait evicts no entry with suspended warps");
    sm.op(0, Inval, 0, 0, 0);
    assert_eq!((sm.memory.get(&0), sm.wakes.last()), (Some(&0), Some(&(0b100, 0))));
    sm.op(0, Arrive, 0, 1, 0);
    assert_eq!(sm.faults, [Code::MbarrierInvalid.value()]);
}

#[test]
fn a_cta_that_goes_leaves_its_objects_only_if_they_are_saved() {
    for (saved, word) in [(0, None), (1, Some(0x7fff_e800_001f_fffa))] {
        let mut sm = Sm::new(small(), 7);
        sm.op(0, Init, 16, 3, 0);
        sm.op(1, TryWait, 16, 0, 0);
        sm.bench.set_all(&[("retire_valid", 1), ("retire_saved", saved), ("retire_warps", 0b11)]);
        sm.run_cycle();
        sm.bench.set("retire_valid", 0);
        sm.run_cycle();
        assert_eq!(sm.bench.get("suspended"), 2 * saved, "answered when its object is saved, or by nothing");
        let mut cycles = 1;
        while sm.bench.get("retired_valid") == 0 {
            sm.run_cycle();
            cycles += 1;
            assert!(cycles < 200);
        }
        assert!(sm.answers.is_empty());
        assert_eq!(sm.memory.get(&2).copied(), word);
        assert_eq!(sm.wakes, if saved == 1 { vec![(0b10, 0)] } else { vec![] });
        sm.op(0, Arrive, 16, 1, 0);
        assert_eq!(sm.faults, [Code::RankAbsent.value()]);
    }
}

/// Cycles from `retire` to `retired`.
fn goes_in(sm: &mut Sm) -> usize {
    sm.bench.set("retire_valid", 1);
    sm.run_cycle();
    sm.bench.set("retire_valid", 0);
    let before = sm.cycle;
    while sm.bench.get("retired_valid") == 0 {
        sm.run_cycle();
    }
    sm.cycle - before
}

#[test]
fn a_cta_goes_at_once_if_it_has_no_objects_and_else_in_a_cycle_for_each_entry() {
    let mut sm = Sm::new(small(), 1);
    sm.op(0, Arrive, 0x100_0000, 1, 0);
    sm.steps(4);
    assert_eq!(goes_in(&mut sm), 4, "a refused operation leaves no state");
    for objects in [1, 3] {
        let mut sm = Sm::new(small(), 1);
        (0..objects).for_each(|at| sm.op(0, Init, at * 8, 1, 0));
        sm.steps(4);
        assert_eq!(goes_in(&mut sm), 8 + 7 + 3 * objects as usize);
    }
}

#[test]
fn each_misuse_has_its_fault_in_order_of_precedence() {
    let top = 1 << 20;
    let cases = [
        (Init, 0x0100_0000, 1, 0, Code::RankOutOfRange),
        (TryWait, 0x0100_0000, 0, 0, Code::WaitRemote),
        (Arrive, 0x0200_0001, 0, 0, Code::RankOutOfRange),
        (Init, 4, 0, 0, Code::AddressMisaligned),
        (Init, 0x1_0004, 0, 0, Code::AddressMisaligned),
        (Init, 0x1_0000, 0, 0, Code::AddressOutOfRange),
        (Init, 0, 0, 0, Code::MbarrierCount),
        (Arrive, 0, top, 0, Code::MbarrierCount),
        (Arrive, 0, 1, 0, Code::MbarrierInvalid),
    ];
    for (kind, address, count, bytes, code) in cases {
        let mut sm = Sm::new(tiny(), 1);
        sm.op(0, kind, address, count, bytes);
        sm.run_cycle();
        assert_eq!(sm.faults, [code.value()], "{kind:?} {address:#x} {count}");
    }
    let objects = [
        (Arrive, 2, 0, Code::MbarrierOverArrival),
        (Drop, 1, 0, Code::None),
        (DropNoComplete, 1, 0, Code::MbarrierDropToZero),
        (ArriveNoComplete, 1, 0, Code::MbarrierCompletes),
        (Expect, 0, (1 << 21) - 1, Code::MbarrierTxRange),
        (AddPending, top - 1, 0, Code::MbarrierCount),
    ];
    for (kind, count, bytes, code) in objects {
        let mut sm = Sm::new(tiny(), 1);
        sm.op(0, Init, 8, 1, 0);
        sm.op(1, kind, 8, count, bytes);
        sm.run_cycle();
        let expected = if code == Code::None { vec![] } else { vec![code.value()] };
        assert_eq!(sm.faults, expected, "{kind:?} {count} {bytes}");
    }
    let mut sm = Sm::new(tiny(), 1);
    sm.op(0, Init, 8, 1, 0);
    sm.op(0, Complete, 8, 0, 4);
    sm.op(0, Arrive, 8, 1, 0);
    sm.op(0, Expect, 8, 0, 4);
    sm.run_cycle();
    assert_eq!(sm.faults, [Code::MbarrierExpectLate.value()]);
    sm.bench.set("op_uniform", 0);
    sm.op(0, TryWait, 0x0100_0000, 0, 0);
    sm.run_cycle();
    assert_eq!(sm.faults[1], Code::OperandNotUniform.value());
}

/// Tokens and final words depend neither on the number of cached objects nor on the latency of memory.
#[test]
fn the_cache_changes_nothing_but_time() {
    for_seeds("the_cache_changes_nothing_but_time", 6, |seed| {
        let run = |latency: usize, spread: u64| {
            let mut random = Random(seed);
            let sizes = small().with_objects(Objects { smem_bytes: 512, cached: 8, limit_bits: 2 }).unwrap();
            let mut sm = Sm::new(sizes, latency);
            sm.bench.set("op_all_live_lanes", 0);
            for _ in 0..300 {
                let kind = MbarrierKind::ALL[random.below(13) as usize];
                let counts = matches!(kind, Init | AddPending) || kind.arrives();
                let moves = kind.expects() || kind == Complete;
                let (count, bytes) = (1 + random.below(2), random.below(3));
                // The same six objects, in one entry or in several entries.
                let at = random.below(6) * spread * 8;
                let warp = random.below(8);
                sm.op(warp, kind, at, if counts { count } else { 0 }, if moves { bytes } else { 0 });
            }
            sm.steps(2);
            sm.bench.set_all(&[("retire_valid", 1), ("retire_saved", 1)]);
            sm.run_cycle();
            sm.bench.set("retire_valid", 0);
            sm.steps(800);
            let words: Vec<_> = (0..6).map(|at| sm.memory.get(&(at * spread)).copied().unwrap_or(0)).collect();
            (sm.tokens, sm.faults, words)
        };
        // Words 0, 9, 18, … share one entry; words 0 to 5 use six entries.
        let apart = run(1, 1);
        assert_eq!(run(50, 9), apart);
        assert!(!apart.0.is_empty());
    });
}
