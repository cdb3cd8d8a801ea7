// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mem_order` on arrivals that wait for memory accesses.

use super::bench::Bench;
use bcu_hw::unit::op::OpKind;

const SYNC: u64 = OpKind::Sync as u64;
const ARRIVE: u64 = OpKind::Arrive as u64;
const EXIT: u64 = OpKind::Exit as u64;
const READ: u64 = OpKind::Read as u64;

fn op(kind: u64, warp: u64, id: u64) -> Vec<(&'static str, u64)> {
    vec![
        ("kind", kind),
        ("warp", warp),
        ("id", id),
        ("cta", 1),
        ("uniform", 1),
        ("from_instr", 1),
        ("count", 96),
        ("data", 77),
        ("value", 5),
        ("rd", 4),
    ]
}

/// `mem_order` after a reset, in a cycle in which it takes operations and counts accesses.
fn open() -> Bench {
    let mut bench = Bench::new("mem_order");
    bench.until("in_ready");
    bench
}

/// Issues an access of a warp (`epoch` is `None`) or performs one. Runs that cycle, and one more until the access is visible.
fn access(bench: &mut Bench, warp: u64, epoch: Option<u64>) {
    let name = if epoch.is_some() { "perform" } else { "issue" };
    bench.set(&[(&format!("{name}_0_valid"), 1), (&format!("{name}_0_warp"), warp), ("perform_0_epoch", epoch.unwrap_or(0))]);
    bench.cycle();
    bench.set(&[(&format!("{name}_0_valid"), 0)]);
    bench.cycle();
}

/// Runs a cycle in which the warp's operation takes effect, and one more until the effect is visible.
fn commit(bench: &mut Bench, warp: u64) {
    bench.set(&[("commit", 1 << warp)]);
    bench.cycle();
    bench.set(&[("commit", 0)]);
    bench.cycle();
}

const OP: [&str; 4] = ["op_valid", "op_kind", "op_warp", "op_id"];

#[test]
fn without_accesses_an_operation_is_offered_in_the_second_cycle() {
    let mut bench = open();
    bench.send(&op(SYNC, 2, 3));
    bench.cycle();
    assert_eq!(bench.get("op_valid"), 0);
    bench.cycle();
    assert_eq!(bench.get_all(&OP), [1, SYNC, 2, 3]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_done", "picked_pending", "op_valid"]), [0, 0, 0]);
    let mut exit = op(EXIT, 2, 0);
    exit.retain(|f| f.0 != "from_instr");
    bench.send(&exit);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_done", "picked_pending", "parked"]), [0, 0, 0]);
    bench.send(&[("kind", OpKind::Launch as u64), ("mask", 0b1010)]);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_valid", "op_mask"]), [1, 0b1010]);
}

#[test]
fn what_a_kind_uses_passes_with_it() {
    let mut bench = open();
    let used: [(OpKind, &[&str]); 5] = [
        (OpKind::Arrive, &["op_count"]),
        (OpKind::Reduce, &["op_count", "op_value"]),
        (OpKind::Read, &["op_rd"]),
        (OpKind::Write, &["op_data"]),
        (OpKind::Mbarrier, &["op_data", "op_value", "op_rd"]),
    ];
    for (kind, fields) in used {
        bench.send(&op(kind as u64, 2, 3));
        bench.cycles(2);
        assert_eq!(bench.get_all(&OP), [1, kind as u64, 2, 3]);
        for field in fields {
            let sent_value = op(kind as u64, 2, 3).iter().find(|(name, _)| field.ends_with(name)).map(|(_, value)| *value);
            assert_eq!(Some(bench.get(field)), sent_value, "{kind:?}: {field}");
        }
    }
}

#[test]
fn an_arrival_is_parked_while_later_accesses_go_on() {
    let mut bench = open();
    access(&mut bench, 2, None);
    access(&mut bench, 2, None);
    bench.send(&op(ARRIVE, 2, 3));
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "epoch"]), [0, 0, 0]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "op_done"]), [0, 0, 0b100]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "epoch", "held", "full", "op_done"]), [0, 0b100, 0b100, 0, 0, 0]);
    // Another warp's operation passes. An access that is issued now belongs to the next epoch.
    access(&mut bench, 2, None);
    bench.send(&op(SYNC, 1, 0));
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, SYNC, 1, 0]);
    access(&mut bench, 2, Some(0));
    access(&mut bench, 2, Some(0));
    // The access is performed in cycle c. Its warp is looked up in c+2, the parked operation is picked in c+3 and offered in c+4.
    // If the scan looks the warp up in c+1, each of these is one cycle earlier.
    bench.cycle();
    assert_eq!(bench.get("op_valid"), 0);
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, ARRIVE, 2, 3]);
    assert_eq!(bench.get_all(&["op_cta", "op_uniform", "op_count"]), [1, 1, 96]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "picked_pending", "held", "epoch"]), [0, 0b100, 0b100, 0, 0b100]);
    commit(&mut bench, 2);
    assert_eq!(bench.get_all(&["parked", "picked_pending", "epoch"]), [0, 0, 0b100]);
    // The access of the later epoch still counts as outstanding.
    bench.send(&op(SYNC, 2, 1));
    bench.cycles(3);
    assert_eq!(bench.get_all(&["op_valid", "parked", "held", "epoch"]), [0, 0b100, 0b100, 0]);
    access(&mut bench, 2, Some(1));
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, SYNC, 2, 1]);
}

#[test]
fn two_parked_operations_go_in_order_and_a_third_stays_in_the_queue() {
    let mut bench = open();
    access(&mut bench, 0, None);
    bench.send(&op(ARRIVE, 0, 1));
    bench.cycles(2);
    access(&mut bench, 0, None);
    bench.send(&op(SYNC, 0, 2));
    bench.cycles(3);
    assert_eq!(bench.get_all(&["parked", "full", "held", "epoch"]), [1, 1, 1, 1]);
    bench.send(&op(READ, 0, 3));
    bench.send(&op(READ, 1, 4));
    bench.cycles(5);
    assert_eq!(bench.get_all(&["op_valid", "in_ready"]), [0, 0]);
    access(&mut bench, 0, Some(0));
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, ARRIVE, 0, 1]);
    bench.cycle();
    // The arrival has left its place, and the Sync is the first parked operation.
    assert_eq!(bench.get_all(&["parked", "picked_pending", "full", "held", "epoch"]), [1, 1, 0, 1, 0]);
    bench.until("op_valid");
    // The Read is the warp's second parked operation. The operation of the other warp passes.
    assert_eq!(bench.get_all(&OP), [1, READ, 1, 4]);
    bench.cycles(3);
    assert_eq!(bench.get_all(&["parked", "picked_pending", "full"]), [1, 1, 1]);
    commit(&mut bench, 0);
    access(&mut bench, 0, Some(1));
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, SYNC, 0, 2]);
    bench.cycle();
    assert_eq!(bench.get_all(&["parked", "picked_pending", "full", "held", "epoch"]), [1, 1, 0, 1, 1]);
    commit(&mut bench, 0);
    // The Sync holds its warp until no operation of the warp is parked.
    assert_eq!(bench.get_all(&["parked", "picked_pending", "held"]), [1, 0, 1]);
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, READ, 0, 3]);
    bench.cycle();
    commit(&mut bench, 0);
    assert_eq!(bench.get_all(&["op_valid", "parked", "held", "epoch"]), [0, 0, 0, 1]);
}

#[test]
fn at_the_limit_the_warp_may_issue_no_access_and_numbers_go_round() {
    let mut bench = open();
    // With three accesses as the limit, one access may be in flight that is not visible yet.
    for limited in [0, 0, 0b1000] {
        access(&mut bench, 3, None);
        assert_eq!(bench.get("access_limit"), limited);
    }
    // Two outstanding accesses are at the limit, because one more may be in flight that is not visible yet.
    access(&mut bench, 3, Some(0));
    bench.cycles(20);
    assert_eq!(bench.get("access_limit"), 0b1000);
    // One outstanding access is below the limit. `access_limit` falls when the warp is looked up.
    access(&mut bench, 3, Some(0));
    assert_eq!(bench.get("access_limit"), 0b1000);
    bench.cycles(4);
    assert_eq!(bench.get("access_limit"), 0);
    access(&mut bench, 3, Some(0));
    // An access that is performed without being issued is balanced by an access that is issued and never performed.
    access(&mut bench, 3, Some(0));
    access(&mut bench, 3, None);
    bench.send(&op(SYNC, 3, 0));
    bench.cycles(2);
    assert_eq!(bench.get("op_valid"), 1);
    // An access is issued and another is performed in the same cycle, so the count stays the same.
    access(&mut bench, 3, None);
    bench.set(&[("perform_0_valid", 1), ("perform_0_warp", 3), ("perform_0_epoch", 0)]);
    bench.set(&[("issue_0_valid", 1), ("issue_0_warp", 3)]);
    bench.cycle();
    bench.set(&[("perform_0_valid", 0), ("issue_0_valid", 0)]);
    bench.send(&op(SYNC, 3, 0));
    bench.cycles(3);
    assert_eq!(bench.get_all(&["op_valid", "parked"]), [0, 0b1000]);
    access(&mut bench, 3, Some(0));
    bench.until("op_valid");
}

#[test]
fn what_is_offered_stays_whatever_is_issued_and_parked_ones_wait_for_it() {
    let mut bench = open();
    access(&mut bench, 0, None);
    bench.send(&op(ARRIVE, 0, 1));
    bench.cycle();
    bench.set(&[("op_ready", 0)]);
    bench.send(&op(SYNC, 1, 2));
    bench.cycles(2);
    assert_eq!(bench.get_all(&OP), [1, SYNC, 1, 2]);
    // The warp of the offered operation issues an access, and the parked arrival could pass.
    access(&mut bench, 1, None);
    access(&mut bench, 0, Some(0));
    bench.cycles(3);
    assert_eq!(bench.get_all(&OP), [1, SYNC, 1, 2]);
    bench.set(&[("op_ready", 1)]);
    bench.cycle();
    assert_eq!(bench.get_all(&OP), [1, SYNC, 1, 2]);
    bench.cycle();
    assert_eq!(bench.get_all(&OP), [1, ARRIVE, 0, 1]);
}

#[test]
fn of_several_that_may_go_the_scan_finds_one_after_the_other() {
    let mut bench = open();
    for warp in [3, 1, 2] {
        access(&mut bench, warp, None);
        bench.send(&op(ARRIVE, warp, warp));
    }
    bench.cycles(3);
    bench.set(&[("op_ready", 0)]);
    for warp in [3, 1, 2] {
        access(&mut bench, warp, Some(0));
    }
    bench.cycles(3);
    // Warp 3 was the only candidate in the cycle in which its operation was picked.
    assert_eq!(bench.get_all(&OP), [1, ARRIVE, 3, 3]);
    bench.set(&[("op_ready", 1)]);
    bench.cycle();
    let mut sent_warps = vec![];
    for _ in 0..12 {
        bench.cycle();
        sent_warps.extend((bench.get("op_valid") == 1).then(|| bench.get("op_warp")));
    }
    sent_warps.sort_unstable();
    assert_eq!(sent_warps, [1, 2]);
}

#[test]
fn a_write_waits_in_front_until_nothing_of_its_warp_is_parked() {
    let mut bench = open();
    access(&mut bench, 0, None);
    bench.send(&op(ARRIVE, 0, 1));
    bench.send(&op(OpKind::Write as u64, 0, 2));
    bench.cycles(9);
    assert_eq!(bench.get_all(&["op_valid", "parked", "full"]), [0, 1, 0]);
    access(&mut bench, 0, Some(0));
    bench.until("op_valid");
    assert_eq!(bench.get_all(&OP), [1, ARRIVE, 0, 1]);
    bench.cycles(9);
    assert_eq!(bench.get_all(&["op_valid", "picked_pending"]), [0, 1]);
    commit(&mut bench, 0);
    bench.until("op_valid");
    assert_eq!(bench.get_all(&["op_kind", "op_warp", "op_data"]), [OpKind::Write as u64, 0, 77]);
}

#[test]
fn accesses_do_not_count_before_all_numbers_are_cleared() {
    let mut bench = Bench::new("mem_order");
    for _ in 0..2 {
        // The words of four warps are cleared, one warp a cycle; the first cycle has already passed.
        for warp in 0..3 {
            bench.set(&[("issue_0_valid", 1), ("issue_0_warp", 0), ("perform_0_valid", 1), ("perform_0_warp", warp)]);
            bench.set(&[("perform_0_epoch", 1)]);
            bench.cycle();
            assert_eq!(bench.get("in_ready"), 0);
        }
        bench.set(&[("issue_0_valid", 0), ("perform_0_valid", 0)]);
        bench.until("in_ready");
        for warp in 0..4 {
            bench.send(&op(SYNC, warp, 0));
            bench.cycles(2);
            assert_eq!(bench.get_all(&["op_valid", "op_warp"]), [1, warp]);
        }
        // A reset clears the counts of outstanding accesses.
        (0..4).for_each(|warp| access(&mut bench, warp, None));
        bench.set(&[("reset", 1)]);
        bench.cycle();
        bench.set(&[("reset", 0)]);
    }
}
