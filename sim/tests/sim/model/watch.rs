// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `watch` at its ports: which CTA slots are reported, when, and how often.

use super::bench::{default_sizes, small, tiny, unit};
use bcu_sim::bench::Bench;
use bcu_sim::model::op::{Code, Kind};

/// `small` after reset: warps 0 to 3 in slot 0, 4 to 7 in slot 1, all live; the operation port is ready.
fn bench() -> Bench {
    let mut bench = unit("watch", small());
    bench.set_all(&[("live", 0xff), ("warp_cta_0", 0xf0), ("dead_ready", 1)]);
    bench
}

/// How often each of the two slots is reported in the next cycles.
fn reports(bench: &mut Bench, cycles: usize) -> [usize; 2] {
    let mut reports = [0; 2];
    for _ in 0..cycles {
        bench.cycle();
        if bench.get("dead_valid") == 1 {
            reports[bench.get("dead_cta") as usize] += 1;
        }
    }
    reports
}

/// One cycle in which `named` takes an operation of this slot.
fn taken(bench: &mut Bench, kind: Kind, fault: Code, cta: u64) {
    bench.set_all(&[("taken_valid", 1), ("taken_kind", kind.value()), ("taken_fault", fault.value()), ("taken_cta", cta)]);
    bench.cycle();
    bench.set("taken_valid", 0);
}

#[test]
fn a_cta_whose_live_warps_all_stall_is_reported_once() {
    let mut bench = bench();
    bench.set("stalled", 0x0f | 0x70);
    assert_eq!(reports(&mut bench, 50), [1, 0], "warp 7 may go on");
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 50), [0, 1]);
    // Something changes: from then on it may be reported again.
    bench.set("stalled", 0xfe);
    assert_eq!(reports(&mut bench, 4), [0, 0]);
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 50), [1, 0]);
}

#[test]
fn a_hang_ends_when_a_warp_goes_on_and_not_while_something_moves() {
    let mut bench = bench();
    bench.set("stalled", 0x0f);
    assert_eq!(reports(&mut bench, 20), [1, 0]);
    // A warp that waits reads and writes state, or is refused something.
    bench.set("moving", 0x01);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    bench.set("moving", 0);
    for (kind, fault) in [(Kind::Read, Code::None), (Kind::Write, Code::None), (Kind::Sync, Code::WarpBlocked)] {
        taken(&mut bench, kind, fault, 0);
        assert_eq!(reports(&mut bench, 20), [0, 0], "{kind:?}");
    }
    // It went on, arrived or exited, and the others wait again before anybody has looked.
    for kind in [Kind::Sync, Kind::Arrive, Kind::Reduce, Kind::Exit] {
        taken(&mut bench, kind, Code::None, 1);
        assert_eq!(reports(&mut bench, 20), [0, 0], "{kind:?} of the other slot");
        taken(&mut bench, kind, Code::None, 0);
        assert_eq!(reports(&mut bench, 20), [1, 0], "{kind:?}");
    }
    // Of a tangled one nothing is told again.
    bench.set_all(&[("tangle_valid", 1), ("tangle_cta", 0)]);
    bench.cycle();
    bench.set("tangle_valid", 0);
    taken(&mut bench, Kind::Sync, Code::None, 0);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
}

#[test]
fn whoever_is_moving_or_gone_is_not_stuck() {
    let mut bench = bench();
    bench.set_all(&[("stalled", 0xff), ("moving", 0x11)]);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    // A warp that is not live any more may still have its exit on the way.
    bench.set("live", 0xfe);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    bench.set("moving", 0x10);
    assert_eq!(reports(&mut bench, 20), [1, 0]);
    bench.set_all(&[("live", 0x0e), ("moving", 0)]);
    assert_eq!(reports(&mut bench, 20), [0, 0], "slot 1 has no live warp");
}

#[test]
fn a_cta_is_dead_as_soon_as_nothing_of_it_moves() {
    // Slot 0 is looked at in cycles 0, 2, 4 of the bench, and is shown in the next cycle.
    for (at, first) in [(1, 3), (2, 3), (3, 5)] {
        let mut bench = unit("watch", small());
        bench.set_all(&[("live", 0x0f), ("stalled", 0x0f), ("moving", 0x02), ("dead_ready", 1)]);
        bench.cycles(at);
        bench.set("moving", 0);
        let seen = (at..20).find(|_| {
            bench.cycle();
            bench.get("dead_valid") == 1
        });
        assert_eq!(seen, Some(first), "still moving in cycle {}", at - 1);
    }
}

#[test]
fn a_tangle_is_reported_though_warps_can_go_on() {
    let mut bench = bench();
    bench.set_all(&[("tangle_valid", 1), ("tangle_cta", 1)]);
    bench.cycle();
    bench.set("tangle_valid", 0);
    assert_eq!(reports(&mut bench, 50), [0, 1]);
    // It stays until the CTA is released, and is not told again meanwhile.
    bench.set("stalled", 0xff);
    assert_eq!(reports(&mut bench, 20), [1, 0]);
    bench.set("stalled", 0);
    taken(&mut bench, Kind::Release, Code::NotResident, 1);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    taken(&mut bench, Kind::Release, Code::None, 1);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    bench.set("tangle_valid", 1);
    assert_eq!(reports(&mut bench, 20), [0, 1]);
    // A release in the same cycle wins.
    taken(&mut bench, Kind::Release, Code::None, 1);
    bench.set("tangle_valid", 0);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
}

#[test]
fn a_report_holds_until_it_is_taken_and_nobody_is_looked_at_meanwhile() {
    let mut bench = bench();
    bench.set_all(&[("stalled", 0xff), ("dead_ready", 0)]);
    bench.cycle();
    for _ in 0..10 {
        bench.cycle();
        assert_eq!(bench.all(&["dead_valid", "dead_cta"]), [1, 0]);
    }
    bench.set("dead_ready", 1);
    bench.cycle();
    // In the next cycle slot 1 is looked at, in the one after it it is reported.
    for shown in [[0, 0], [1, 1], [0, 1], [0, 1]] {
        bench.cycle();
        assert_eq!(bench.all(&["dead_valid", "dead_cta"]), shown);
    }
}

#[test]
fn slots_are_looked_at_in_turn() {
    let mut bench = unit("watch", default_sizes());
    // Warp w is in slot w mod 8.
    let homes = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0];
    homes.iter().enumerate().for_each(|(bit, home)| bench.set(&format!("warp_cta_{bit}"), *home));
    bench.set_all(&[("live", 0xffff_ffff), ("stalled", 0xffff_ffff), ("dead_ready", 1)]);
    let mut seen = vec![];
    for _ in 0..40 {
        bench.cycle();
        if bench.get("dead_valid") == 1 {
            seen.push(bench.get("dead_cta"));
        }
    }
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
    bench.reset();
    assert_eq!(bench.until("dead_valid"), 2, "slot 0 is the first one after a reset");
}

/// `tiny` has one slot, whose number has a bit all the same; it is looked at in every cycle.
#[test]
fn a_slot_that_is_not_built_is_never_looked_at() {
    let mut bench = unit("watch", tiny());
    bench.set_all(&[("live", 0xf), ("warp_cta_0", 0xf), ("stalled", 0xf), ("dead_ready", 1)]);
    bench.set_all(&[("tangle_valid", 1), ("tangle_cta", 1)]);
    assert_eq!(reports(&mut bench, 20), [0, 0]);
    bench.set("warp_cta_0", 0x7);
    bench.cycle();
    assert_eq!(bench.get("dead_valid"), 0);
    assert_eq!(reports(&mut bench, 1), [1, 0]);
}
