// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `named` at its ports: in which cycle, and when `op_ready`.

use super::bench::{small, tiny, unit};
use bcu_sim::bench::Bench;
use bcu_sim::model::latency::{NAMED_BLOCKED, NAMED_FAULT, NAMED_RELEASE};
use bcu_sim::model::op::{Code, Kind};

const RELEASE: [&str; 4] = ["release_valid", "release_cta", "release_id", "release_warps"];
const FAULT: [&str; 5] = ["fault_valid", "fault_code", "fault_warp", "fault_cta", "fault_id"];

fn op(kind: Kind, warp: u64, id: u64, count: u64) -> Vec<(&'static str, u64)> {
    vec![
        ("op_kind", kind.value()),
        ("op_fault", 0),
        ("op_uniform", 1),
        ("op_warp", warp),
        ("op_cta", 0),
        ("op_id", id),
        ("op_count", count),
        ("op_warps", 4),
        ("op_live", 4),
        ("op_barriers", 4),
        ("op_mask", 0xf),
        ("op_saved", 0),
        ("op_valid", 1),
    ]
}

/// One cycle in which the operation is offered and taken.
fn take(bench: &mut Bench, op: &[(&str, u64)]) {
    bench.set_all(op);
    bench.cycle();
    assert_eq!(bench.get("op_ready"), 1);
    bench.set("op_valid", 0);
}

/// `tiny` after reset with a CTA of four warps in slot 0.
fn launched() -> Bench {
    let mut bench = unit("named", tiny());
    bench.until("op_ready");
    take(&mut bench, &op(Kind::Launch, 0, 0, 0));
    bench
}

#[test]
fn reset_clears_every_row_before_ready() {
    for (sizes, rows) in [(tiny(), 8), (small(), 16)] {
        let mut bench = unit("named", sizes);
        for cycle in 0..=rows + 2 {
            bench.cycle();
            // 0 is the first cycle without reset.
            assert_eq!(bench.get("op_ready"), u64::from(cycle >= rows), "cycle {cycle}");
            assert_eq!(bench.get("clearing"), u64::from(cycle <= rows), "cycle {cycle}");
            assert_eq!(bench.get("fault_valid") + bench.get("release_valid") + bench.get("blocked"), 0);
        }
    }
}

#[test]
fn a_second_reset_starts_the_clearing_again() {
    let mut bench = unit("named", tiny());
    bench.cycles(5);
    bench.reset();
    bench.reset();
    assert_eq!(bench.until("op_ready"), 8 + 1);
}

#[test]
fn reset_forgets_everything() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    take(&mut bench, &op(Kind::Sync, 1, 1, 4));
    bench.reset();
    bench.cycle();
    assert!(bench.all(&RELEASE).iter().chain(&bench.all(&FAULT)).all(|value| *value == 0));
    assert_eq!((bench.get("blocked"), bench.get("clearing"), bench.get("op_ready")), (0, 1, 0));
    bench.until("op_ready");
    // No barrier is declared before a launch.
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    bench.until("fault_valid");
    assert_eq!(bench.get("fault_code"), Code::IdOutOfRange.value());
}

#[test]
fn release_and_blocked_come_in_their_cycles() {
    let mut bench = launched();
    for warp in 0..4 {
        take(&mut bench, &op(Kind::Sync, warp, 2, 0));
        // Visible one cycle after the transfer: this cycle shows the warps before.
        assert_eq!(bench.get("blocked"), (1 << warp) - 1);
        assert_eq!(bench.get("release_valid"), 0);
    }
    for after in 1..=4 {
        bench.cycle();
        let released = after == NAMED_RELEASE;
        let payload = if after >= NAMED_RELEASE { 2 } else { 0 };
        assert_eq!(bench.all(&RELEASE), [u64::from(released), 0, payload, if released { 0xf } else { 0 }], "t+{after}");
        assert_eq!(bench.get("blocked"), if (NAMED_BLOCKED..NAMED_RELEASE).contains(&after) { 0xf } else { 0 });
    }
}

#[test]
fn one_generation_after_another_without_a_bubble() {
    let mut bench = launched();
    // Each operation alone completes its barrier, so there is a release in every cycle.
    for i in 0..12 {
        take(&mut bench, &op(Kind::Sync, i % 4, i % 3, 4));
        let expected = if i < 2 { [0; 4] } else { [1, 0, (i - 2) % 3, 1 << ((i - 2) % 4)] };
        assert_eq!(bench.all(&RELEASE), expected, "cycle {i}");
        // The operation of the cycle before is under way; the one before that has been released.
        assert_eq!(bench.get("blocked"), if i < 1 { 0 } else { 1 << ((i - 1) % 4) });
    }
}

#[test]
fn an_exit_has_the_latency_of_an_arrival() {
    let mut bench = launched();
    (0..3).for_each(|warp| take(&mut bench, &op(Kind::Sync, warp, 1, 0)));
    take(&mut bench, &op(Kind::Exit, 3, 0, 0));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
    assert_eq!(bench.all(&RELEASE), [1, 0, 1, 0b0111]);
    assert_eq!(bench.get("blocked"), 0);
}

#[test]
fn a_faulty_sync_blocks_its_warp_for_one_cycle() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 3, 0, 5));
    for after in 1..=3 {
        bench.cycle();
        assert_eq!(bench.get("blocked"), if after == NAMED_BLOCKED { 0b1000 } else { 0 });
        let fault = if after < NAMED_FAULT { [0; 5] } else { [1, Code::CountNotWarpMultiple.value(), 3, 0, 0] };
        assert_eq!(bench.all(&FAULT), fault);
    }
    // The payload stays after the transfer.
    bench.set("fault_ready", 1);
    bench.cycles(2);
    assert_eq!(bench.all(&FAULT), [0, Code::CountNotWarpMultiple.value(), 3, 0, 0]);
}

#[test]
fn where_one_edge_sets_and_clears_a_bit_it_is_set() {
    let mut bench = launched();
    // The first SYNC of warp 0 is faulty and is cleared at t+2, where the second, one cycle later, becomes visible.
    take(&mut bench, &op(Kind::Sync, 0, 0, 5));
    take(&mut bench, &op(Kind::Sync, 0, 0, 0));
    for _ in 0..3 {
        bench.cycle();
        assert_eq!(bench.get("blocked"), 1);
    }
}

#[test]
fn a_fault_from_upstream_is_no_sync() {
    let mut bench = launched();
    let mut faulty = op(Kind::Sync, 1, 0, 0);
    faulty.push(("op_fault", Code::WarpBlocked.value()));
    take(&mut bench, &faulty);
    for after in 1..=2 {
        bench.cycle();
        assert_eq!(bench.get("blocked"), 0);
        assert_eq!(bench.get("fault_valid"), u64::from(after == NAMED_FAULT));
    }
    assert_eq!(bench.get("fault_code"), Code::WarpBlocked.value());
}

#[test]
fn no_fault_is_lost_while_its_channel_stalls() {
    let mut bench = launched();
    bench.set_all(&op(Kind::Arrive, 1, 3, 0));
    // Q = 3: the operation taken in cycle c is in the queue from c+2 on.
    let mut ready = vec![];
    for _ in 0..8 {
        bench.cycle();
        ready.push(bench.get("op_ready"));
    }
    assert_eq!(ready, [1, 1, 1, 0, 0, 0, 0, 0]);
    bench.set("op_id", 2);
    bench.set("fault_ready", 1);
    let (mut ready, mut ids) = (vec![], vec![]);
    for _ in 0..8 {
        bench.cycle();
        ready.push(bench.get("op_ready"));
        ids.push((bench.get("fault_valid"), bench.get("fault_id")));
    }
    // One leaves: two in the queue, none under way, room for one more.
    assert_eq!(ready, [0, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(ids, [(1, 3), (1, 3), (1, 3), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2)]);
}

#[test]
fn a_clean_release_takes_two_slots() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    bench.cycle();
    assert_eq!((bench.get("op_ready"), bench.get("clearing")), (0, 1));
    bench.cycle();
    assert_eq!((bench.get("op_ready"), bench.get("clearing")), (1, 0));
    assert_eq!(bench.get("fault_valid"), 0);
}

#[test]
fn a_release_that_is_a_fault_clears_nothing() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Arrive, 0, 1, 8));
    let mut faulty = op(Kind::Release, 0, 0, 0);
    faulty.push(("op_fault", Code::NotResident.value()));
    take(&mut bench, &faulty);
    bench.cycle();
    assert_eq!((bench.get("op_ready"), bench.get("clearing"), bench.get("fault_valid")), (0, 0, 0));
    bench.cycle();
    assert_eq!((bench.get("op_ready"), bench.get("clearing"), bench.get("fault_valid")), (1, 0, 1));
    // The barrier is still open.
    take(&mut bench, &op(Kind::Sync, 1, 1, 8));
    assert_eq!(bench.until("release_valid"), NAMED_RELEASE);
}

#[test]
fn a_release_clears_rows_from_two_cycles_after_it() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 0, 8));
    take(&mut bench, &op(Kind::Sync, 1, 2, 8));
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    bench.set("fault_ready", 1);
    // Row i has its turn in cycle t+2+i: its fault is visible two cycles later. The warps are free at t+2.
    for after in 1..=9u64 {
        bench.cycle();
        assert_eq!(bench.get("blocked"), if after < 2 { 0b11 } else { 0 }, "t+{after}");
        assert_eq!(bench.get("clearing"), u64::from(after <= 6), "t+{after}");
        assert_eq!(bench.get("op_ready"), u64::from(after >= 6), "t+{after}");
        let fault = [4, 6].contains(&after);
        assert_eq!(bench.get("fault_valid"), u64::from(fault), "t+{after}");
        assert_eq!(bench.get("release_valid"), 0);
        if fault {
            assert_eq!(bench.all(&FAULT), [1, Code::BarrierLeftOpen.value(), 0, 0, after - 4]);
        }
    }
}

#[test]
fn clearing_waits_for_room_in_the_fault_queue() {
    let mut bench = launched();
    (0..4).for_each(|id| take(&mut bench, &op(Kind::Arrive, id, id, 8)));
    take(&mut bench, &op(Kind::Release, 0, 0, 0));
    // Three turns fill the queue, the fourth waits.
    for _ in 0..20 {
        bench.cycle();
        assert_eq!((bench.get("clearing"), bench.get("op_ready")), (1, 0));
    }
    bench.set("fault_ready", 1);
    let mut ids = vec![];
    for cycle in 0..8 {
        bench.cycle();
        if bench.get("fault_valid") == 1 {
            assert_eq!(bench.get("fault_code"), Code::BarrierLeftOpen.value());
            ids.push(bench.get("fault_id"));
        }
        // Room is seen in cycle 1, which is the last row's turn; clearing shows it one cycle more.
        assert_eq!(bench.get("clearing"), u64::from(cycle <= 2), "cycle {cycle}");
    }
    assert_eq!(ids, [0, 1, 2, 3]);
}

#[test]
fn a_saved_release_is_silent() {
    let mut bench = launched();
    take(&mut bench, &op(Kind::Sync, 0, 3, 8));
    let mut saved = op(Kind::Release, 0, 0, 0);
    saved.push(("op_saved", 1));
    take(&mut bench, &saved);
    bench.set("op_saved", 0);
    for after in 1..=10 {
        bench.cycle();
        assert_eq!(bench.get("fault_valid"), 0);
        assert_eq!(bench.get("blocked"), u64::from(after < 2), "t+{after}");
    }
}
