// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mem_order` at its ports: the operations that wait for accesses, the cycle in which each operation leaves, and the warps that may
//! not issue until then.

use super::bench::{small, unit};
use bcu_model::bench::Bench;
use bcu_model::gather::Carried;
use bcu_model::mem_order::{Accesses, Decision};
use bcu_model::op::{Code, Kind, Operation};

const SHOWN: [&str; 4] = ["op_valid", "parked", "full", "held"];

/// An operation from an instruction.
fn op(kind: Kind, warp: u8) -> Carried {
    Carried { op: Operation { kind, warp, ..Operation::default() }, from_instr: true, ..Carried::default() }
}

/// `small` when it accepts operations; the operation port is ready.
fn bench() -> Bench {
    open(unit("mem_order", small()))
}

fn open(mut bench: Bench) -> Bench {
    bench.set_all(&[("op_ready", 1), ("in_from_instr", 1)]);
    bench.until("in_ready");
    bench
}

/// Cycles in which the scan visits every warp.
const ROUND: usize = 20;

/// Runs one cycle in which an operation with this id is accepted.
fn take(bench: &mut Bench, kind: Kind, warp: u64, id: u64) {
    bench.set_all(&[("in_kind", kind.value()), ("in_warp", warp), ("in_id", id), ("in_valid", 1)]);
    bench.cycle();
    assert_eq!(bench.get("in_ready"), 1);
    bench.set("in_valid", 0);
}

/// Runs one cycle in which the warp issues an access, and one until the access counts.
fn issue(bench: &mut Bench, warp: u64) {
    bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", warp)]);
    bench.cycle();
    bench.set("issue_0_valid", 0);
    bench.cycle();
}

/// Runs one cycle in which an access is performed, and one until that counts.
fn perform(bench: &mut Bench, warp: u64, epoch: u64) {
    bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", warp), ("perform_0_epoch", epoch)]);
    bench.cycle();
    bench.set("perform_0_valid", 0);
    bench.cycle();
}

/// Runs one cycle in which an operation of the warp has its effects.
fn commit(bench: &mut Bench, warp: u64) {
    bench.set("commit", 1 << warp);
    bench.cycle();
    bench.set("commit", 0);
}

#[test]
fn without_accesses_everything_is_offered_in_the_second_cycle_after_its_transfer() {
    let mut bench = bench();
    for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Fence) {
        take(&mut bench, *kind, 3, 5);
        bench.cycle();
        assert_eq!(bench.get("op_valid"), 0);
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_kind", "op_warp", "op_id"]), [1, kind.value(), 3, 5]);
        for _ in 0..4 {
            bench.cycle();
            assert_eq!(
                bench.get_all(&["op_valid", "op_done", "picked_pending"]),
                [0, 0, 0],
                "an operation that passes has no `op_done` here"
            );
        }
    }
}

#[test]
fn an_arrival_waits_for_the_accesses_before_it() {
    for (kind, held) in [(Kind::Sync, 0b10), (Kind::Reduce, 0b10), (Kind::Arrive, 0)] {
        let mut bench = bench();
        issue(&mut bench, 1);
        take(&mut bench, kind, 1, 7);
        for _ in 0..2 {
            bench.cycle();
            assert_eq!(bench.get_all(&SHOWN), [0, 0, 0, 0]);
        }
        for _ in 0..5 {
            bench.cycle();
            assert_eq!((bench.get_all(&SHOWN), bench.get("epoch")), (vec![0, 0b10, 0, held], 0b10));
        }
        perform(&mut bench, 1, 0);
        // The operation is looked up in the cycle in which the number of outstanding accesses is 0, picked in the next cycle, moved to the
        // register in the cycle after that, and then offered.
        for _ in 0..3 {
            bench.cycle();
            assert_eq!(bench.get("op_valid"), 0);
        }
        bench.cycle();
        assert_eq!((bench.get_all(&SHOWN), bench.get("op_id")), (vec![1, 0b10, 0, held], 7));
        commit(&mut bench, 1);
        assert_eq!((bench.get_all(&SHOWN), bench.get("picked_pending")), (vec![0, 0b10, 0, held], 0b10), "in flight");
        bench.cycle();
        assert_eq!((bench.get_all(&SHOWN), bench.get("epoch")), (vec![0, 0, 0, 0], 0b10));
    }
}

#[test]
fn a_fence_without_accesses_ends_at_once_and_is_never_offered() {
    let mut bench = bench();
    // The fence also does not wait for an operation of another warp that is offered and not transferred.
    issue(&mut bench, 1);
    take(&mut bench, Kind::Sync, 1, 0);
    bench.set("op_ready", 0);
    perform(&mut bench, 1, 0);
    bench.cycles(5);
    take(&mut bench, Kind::Fence, 3, 5);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_warp", "op_done", "held"]), [1, 1, 0, 1 << 1]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_warp", "op_done", "parked", "held"]), [1, 1, 1 << 3, 1 << 1, 1 << 1]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_done", "parked", "held"]), [0, 1 << 1, 1 << 1]);
    // A refused Fence is reported.
    bench.set_all(&[("op_ready", 1), ("in_fault", Code::WarpBlocked.value())]);
    bench.cycle();
    take(&mut bench, Kind::Fence, 3, 5);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_valid", "op_kind", "op_fault"]), [1, Kind::Fence.value(), Code::WarpBlocked.value()]);
}

#[test]
fn a_fence_keeps_its_warp_until_its_accesses_are_performed() {
    let mut b = bench();
    issue(&mut b, 4);
    take(&mut b, Kind::Fence, 4, 0);
    b.cycle();
    assert_eq!(b.get_all(&SHOWN), [0, 0, 0, 0]);
    b.cycle();
    assert_eq!((b.get_all(&SHOWN), b.get("op_done"), b.get("epoch")), (vec![0; 4], 1 << 4, 0));
    b.cycles(3);
    assert_eq!((b.get_all(&SHOWN), b.get("op_done")), (vec![0, 1 << 4, 0, 1 << 4], 0));
    // The fence ends in the cycle after the first cycle without outstanding accesses; the outputs follow two cycles later.
    perform(&mut b, 4, 0);
    b.cycles(3);
    assert_eq!(b.get_all(&SHOWN), [0, 1 << 4, 0, 1 << 4]);
    for _ in 0..4 {
        b.cycle();
        assert_eq!((b.get_all(&SHOWN), b.get("op_done"), b.get("epoch")), (vec![0; 4], 0, 0));
    }
}

#[test]
fn a_fence_behind_an_arrival_waits_for_that_and_for_what_came_between() {
    let mut b = bench();
    issue(&mut b, 2);
    take(&mut b, Kind::Arrive, 2, 7);
    b.cycles(3);
    issue(&mut b, 2);
    take(&mut b, Kind::Fence, 2, 0);
    b.cycles(4);
    let at_the_fence = vec![0, 0b100, 0, 0b100];
    assert_eq!((b.get_all(&SHOWN), b.get("epoch")), (at_the_fence.clone(), 0b100));
    perform(&mut b, 2, 1);
    b.cycles(ROUND);
    assert_eq!(b.get_all(&SHOWN), at_the_fence, "accesses between the two are performed, those before the arrival are not");
    perform(&mut b, 2, 0);
    b.until("op_valid");
    assert_eq!(b.get_all(&["op_kind", "op_id"]), [Kind::Arrive.value(), 7]);
    // The fence holds its warp until the arrival has its effects.
    b.cycles(ROUND);
    assert_eq!((b.get_all(&SHOWN), b.get("picked_pending")), (at_the_fence.clone(), 0b100));
    commit(&mut b, 2);
    b.cycle();
    assert_eq!((b.get_all(&SHOWN), b.get("picked_pending")), (at_the_fence, 0));
    b.cycles(ROUND);
    assert_eq!((b.get_all(&SHOWN), b.get("epoch")), (vec![0; 4], 0b100));
}

#[test]
fn a_fence_behind_an_arrival_that_is_through_waits_for_later_accesses() {
    let mut b = bench();
    issue(&mut b, 2);
    take(&mut b, Kind::Arrive, 2, 7);
    b.cycles(3);
    issue(&mut b, 2);
    take(&mut b, Kind::Fence, 2, 0);
    perform(&mut b, 2, 0);
    b.cycles(5);
    commit(&mut b, 2);
    b.cycles(ROUND);
    assert_eq!(b.get_all(&SHOWN), [0, 0b100, 0, 0b100]);
    perform(&mut b, 2, 1);
    b.cycles(4);
    assert_eq!(b.get_all(&SHOWN), [0; 4]);
}

#[test]
fn fences_of_several_warps_end_one_after_the_other_and_let_arrivals_by() {
    let mut b = open(unit("mem_order", small().with_accesses_per_cycle(2).unwrap()));
    for warp in [1, 3, 6] {
        issue(&mut b, warp);
    }
    take(&mut b, Kind::Fence, 1, 0);
    take(&mut b, Kind::Fence, 3, 0);
    take(&mut b, Kind::Sync, 6, 9);
    b.cycles(5);
    assert_eq!(b.get("parked"), 0b100_1010);
    perform(&mut b, 6, 0);
    b.until("op_valid");
    assert_eq!(b.get_all(&["parked", "op_kind", "op_id"]), [0b100_1010, 0, 9]);
    b.set_all(&[("perform_0_valid", 1), ("perform_0_warp", 1), ("perform_0_epoch", 0)]);
    b.set_all(&[("perform_1_valid", 1), ("perform_1_warp", 3), ("perform_1_epoch", 0)]);
    b.cycle();
    b.set_all(&[("perform_0_valid", 0), ("perform_1_valid", 0)]);
    b.cycles(ROUND);
    assert_eq!((b.get("parked"), b.get("picked_pending")), (0b100_0000, 0b100_0000));
}

#[test]
fn what_comes_behind_a_fence_does_not_wait_for_it() {
    let mut b = bench();
    issue(&mut b, 5);
    take(&mut b, Kind::Fence, 5, 0);
    // A Read right after the fence is looked up once the fence is visible.
    take(&mut b, Kind::Read, 5, 1);
    b.until("op_valid");
    assert_eq!(b.get_all(&["op_valid", "op_kind", "parked", "held"]), [1, Kind::Read.value(), 1 << 5, 1 << 5]);
    // If promises are broken, the fence waits for operations parked after it.
    take(&mut b, Kind::Arrive, 5, 2);
    b.cycles(4);
    perform(&mut b, 5, 0);
    b.until("op_valid");
    assert_eq!(b.get_all(&["op_valid", "op_id", "held"]), [1, 2, 1 << 5]);
    b.cycle();
    commit(&mut b, 5);
    b.cycles(ROUND);
    assert_eq!(b.get_all(&SHOWN), [0; 4]);
}

#[test]
fn later_accesses_do_not_delay_an_arrive() {
    let mut bench = bench();
    issue(&mut bench, 1);
    take(&mut bench, Kind::Arrive, 1, 7);
    bench.cycles(3);
    for _ in 0..3 {
        issue(&mut bench, 1);
    }
    perform(&mut bench, 1, 0);
    bench.cycles(4);
    assert_eq!(bench.get("op_valid"), 1);
    bench.cycle();
    commit(&mut bench, 1);
    // The next arrival waits for these later accesses.
    take(&mut bench, Kind::Arrive, 1, 8);
    bench.cycles(3);
    assert_eq!((bench.get("parked"), bench.get("epoch")), (0b10, 0));
    (0..2).for_each(|_| perform(&mut bench, 1, 1));
    bench.cycles(ROUND);
    assert_eq!(bench.get("op_valid"), 0);
    perform(&mut bench, 1, 1);
    bench.until("op_valid");
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 8]);
}

#[test]
fn two_wait_in_order_and_the_second_waits_for_what_came_between() {
    let mut bench = bench();
    issue(&mut bench, 2);
    take(&mut bench, Kind::Arrive, 2, 0);
    bench.cycles(3);
    issue(&mut bench, 2);
    take(&mut bench, Kind::Sync, 2, 1);
    bench.cycles(4);
    assert_eq!((bench.get_all(&SHOWN), bench.get("epoch")), (vec![0, 0b100, 0b100, 0b100], 0b100));
    // A Read does not overtake parked operations of its warp, and an operation of another warp does not overtake the Read.
    take(&mut bench, Kind::Read, 2, 2);
    take(&mut bench, Kind::Read, 3, 3);
    bench.cycles(5);
    assert_eq!(bench.get_all(&["op_valid", "in_ready"]), [0, 0]);
    // The later access is performed first.
    perform(&mut bench, 2, 1);
    bench.cycles(ROUND);
    assert_eq!(bench.get("op_valid"), 0);
    perform(&mut bench, 2, 0);
    bench.until("op_valid");
    // The second operation has become the first parked operation, the Read is parked after it, and the other warp's operation leaves.
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 0]);
    assert_eq!(
        (bench.get_all(&SHOWN[1..]), bench.get("epoch"), bench.get("picked_pending")),
        (vec![0b100, 0, 0b100], 0, 0b100)
    );
    bench.until("op_valid");
    assert_eq!(bench.get("op_id"), 3);
    bench.cycles(3);
    assert_eq!(bench.get_all(&SHOWN), [0, 0b100, 0b100, 0b100]);
    commit(&mut bench, 2);
    bench.until("op_valid");
    assert_eq!(bench.get("op_id"), 1);
    // The Sync holds its warp until none of its operations is parked.
    bench.cycle();
    commit(&mut bench, 2);
    assert_eq!(bench.get_all(&["full", "held", "epoch"]), [0, 0b100, 0b100]);
    bench.until("op_valid");
    assert_eq!(bench.get("op_id"), 2);
    bench.cycle();
    commit(&mut bench, 2);
    bench.cycle();
    assert_eq!(bench.get_all(&["parked", "held"]), [0, 0]);
}

#[test]
fn what_is_of_a_whole_cta_passes_and_an_exit_waits_for_its_warp() {
    let mut accesses = Accesses::new(small());
    let by_an_exit = |kind| Carried { from_instr: false, ..op(kind, 4) };
    let decide = |accesses: &Accesses, carried: &Carried| accesses.decide(carried, &accesses.look(carried.op.warp));
    let park = |accesses: &mut Accesses, carried: Carried| accesses.park(carried, &accesses.look(4));
    accesses.account(&[Some((4, false))], &[None]);
    assert_eq!(decide(&accesses, &op(Kind::Arrive, 4)), Decision::Parks);
    assert_eq!(decide(&accesses, &by_an_exit(Kind::Exit)), Decision::Passes, "an exit waits for no access");
    park(&mut accesses, op(Kind::Arrive, 4));
    assert_eq!(decide(&accesses, &by_an_exit(Kind::Exit)), Decision::Parks);
    park(&mut accesses, op(Kind::Sync, 4));
    [4, 5].iter().for_each(|warp| assert_eq!(decide(&accesses, &op(Kind::Fence, *warp)), Decision::Fences));
    for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Fence) {
        let passes = matches!(kind, Kind::Launch | Kind::Release);
        let waits = if *kind == Kind::Write { Decision::Waits } else { Decision::Parks };
        assert_eq!(decide(&accesses, &op(*kind, 4)), if passes { Decision::Passes } else { Decision::Waits });
        assert_eq!(decide(&accesses, &by_an_exit(*kind)), if passes { Decision::Passes } else { waits });
        assert_eq!(decide(&accesses, &op(*kind, 5)), Decision::Passes);
    }
    park(&mut accesses, by_an_exit(Kind::Exit));
    assert_eq!(decide(&accesses, &by_an_exit(Kind::Exit)), Decision::Waits);
    let mut refused = by_an_exit(Kind::Exit);
    refused.op.fault = Code::NotResident;
    assert_eq!(decide(&accesses, &refused), Decision::Passes);
}

#[test]
fn an_exit_behind_two_parked_operations_comes_last() {
    let mut b = bench();
    issue(&mut b, 3);
    take(&mut b, Kind::Arrive, 3, 1);
    b.cycle();
    take(&mut b, Kind::Arrive, 3, 2);
    b.cycles(5);
    b.set("in_from_instr", 0);
    take(&mut b, Kind::Exit, 3, 0);
    b.cycles(ROUND);
    assert_eq!(b.get_all(&["op_valid", "in_ready", "parked", "full"]), [0, 1, 0b1000, 0b1000]);
    perform(&mut b, 3, 0);
    let mut kinds = vec![];
    let mut before = 0;
    for _ in 0..4 * ROUND {
        b.cycle();
        let transferred = b.get("op_valid") == 1;
        if transferred {
            kinds.push((b.get("op_kind"), b.get("op_id")));
        }
        // The operation has its effects two cycles later.
        b.set("commit", before << 3);
        before = u64::from(transferred);
    }
    assert_eq!(kinds, [(Kind::Arrive.value(), 1), (Kind::Arrive.value(), 2), (Kind::Exit.value(), 0)]);
    assert_eq!(b.get_all(&["parked", "full", "held"]), [0, 0, 0]);
}

#[test]
fn what_is_refused_waits_for_no_access_but_for_its_turn() {
    let mut accesses = Accesses::new(small());
    accesses.account(&[Some((4, false))], &[None]);
    let mut faulty = op(Kind::Sync, 4);
    faulty.op.fault = Code::IllegalInstruction;
    let decide = |accesses: &Accesses, carried: &Carried| accesses.decide(carried, &accesses.look(4));
    assert_eq!(decide(&accesses, &faulty), Decision::Passes);
    assert_eq!(decide(&accesses, &op(Kind::Write, 4)), Decision::Passes);
    accesses.park(op(Kind::Arrive, 4), &accesses.look(4));
    assert_eq!(decide(&accesses, &faulty), Decision::Parks);
    assert_eq!(decide(&accesses, &op(Kind::Read, 4)), Decision::Parks);
    assert_eq!(decide(&accesses, &op(Kind::Write, 4)), Decision::Waits, "it has more bits than a place");
}

#[test]
fn near_the_limit_a_warp_may_issue_no_access() {
    let mut bench = open(unit("mem_order", small().with_accesses_per_cycle(1).unwrap()));
    let most = u64::from(small().max_outstanding());
    for number in 1..=most {
        issue(&mut bench, 6);
        bench.cycle();
        // The accesses of the cycle before may not be counted yet.
        assert_eq!(bench.get("access_limit"), u64::from(number >= most - 1) << 6);
    }
    perform(&mut bench, 6, 0);
    bench.cycles(ROUND);
    assert_eq!(bench.get("access_limit"), 1 << 6);
    // An access performed in cycle c is looked up in cycle c + 2, and `access_limit` changes in cycle c + 5.
    perform(&mut bench, 6, 0);
    for limit in [1, 1, 1, 0] {
        bench.cycle();
        assert_eq!(bench.get("access_limit"), limit << 6);
    }
    (0..2).for_each(|_| issue(&mut bench, 6));
    // The limit applies to the present epoch.
    take(&mut bench, Kind::Arrive, 6, 0);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["access_limit", "epoch"]), [0b100_0000, 0]);
    // The scan took the look-up of one cycle, so the arrival is parked later than usual.
    bench.until("epoch");
    assert_eq!(bench.get_all(&["access_limit", "epoch"]), [0, 0b100_0000]);
    for _ in 0..most {
        assert_eq!(bench.get("op_valid"), 0);
        perform(&mut bench, 6, 0);
    }
    bench.until("op_valid");
}

#[test]
fn an_access_with_which_there_is_no_room_counts_before_one_that_is_performed() {
    let mut bench = open(unit("mem_order", small().with_accesses_per_cycle(1).unwrap()));
    (2..small().max_outstanding()).for_each(|_| issue(&mut bench, 6));
    bench.cycle();
    assert_eq!(bench.get("access_limit"), 0);
    bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", 6), ("issue_0_valid", 1), ("issue_0_warp", 6)]);
    bench.cycle();
    bench.set_all(&[("perform_0_valid", 0), ("issue_0_valid", 0)]);
    bench.cycles(2);
    assert_eq!(bench.get("access_limit"), 1 << 6);
    bench.cycles(3);
    assert_eq!(bench.get("access_limit"), 0);
}

#[test]
fn a_warp_at_its_access_limit_is_looked_up_while_operations_stream_past() {
    let mut bench = open(unit("mem_order", small().with_accesses_per_cycle(1).unwrap()));
    (1..small().max_outstanding()).for_each(|_| issue(&mut bench, 6));
    bench.set_all(&[("in_kind", Kind::Arrive.value()), ("in_warp", 1), ("in_valid", 1)]);
    perform(&mut bench, 6, 0);
    bench.cycles(12);
    assert_eq!(bench.get("access_limit"), 0);
}

#[test]
fn accesses_behind_a_reset_are_ignored_until_operations_are_taken() {
    let mut bench = unit("mem_order", small());
    bench.set_all(&[
        ("op_ready", 1),
        ("in_from_instr", 1),
        ("issue_0_valid", 1),
        ("perform_1_valid", 1),
        ("perform_1_epoch", 1),
    ]);
    for warp in 0..8 {
        bench.set_all(&[("issue_0_warp", warp), ("perform_1_warp", 7 - warp)]);
        bench.cycle();
    }
    bench.set_all(&[("issue_0_valid", 0), ("perform_1_valid", 0)]);
    bench.until("in_ready");
    for warp in 0..8 {
        take(&mut bench, Kind::Sync, warp, 0);
        bench.cycles(2);
        assert_eq!(bench.get_all(&["op_valid", "op_warp"]), [1, warp]);
    }
}

#[test]
fn an_issue_and_a_perform_in_one_cycle_both_count() {
    let most = small().max_outstanding();
    for before in [0, 1, most] {
        let mut accesses = Accesses::new(small());
        (0..before).for_each(|_| accesses.account(&[Some((2, false))], &[None]));
        accesses.account(&[Some((2, false))], &[Some((2, false))]);
        assert_eq!(accesses.warp(2).outstanding, [before, 0]);
    }
    // The numbers of outstanding accesses wrap.
    let mut accesses = Accesses::new(small());
    accesses.account(&[None], &[Some((2, true))]);
    assert_eq!(accesses.warp(2).outstanding, [0, most]);
    accesses.account(&[Some((2, true))], &[None]);
    assert_eq!(accesses.warp(2).outstanding, [0, 0]);
}

#[test]
fn an_arrival_does_not_wait_for_an_access_that_was_performed_when_it_was_issued() {
    let mut bench = bench();
    bench.set_all(&[("perform_0_valid", 1), ("perform_0_warp", 5), ("perform_0_epoch", 0)]);
    bench.set_all(&[("issue_0_valid", 1), ("issue_0_warp", 5)]);
    bench.cycle();
    bench.set_all(&[("issue_0_valid", 0), ("perform_0_valid", 0)]);
    bench.cycle();
    take(&mut bench, Kind::Sync, 5, 1);
    bench.cycles(2);
    assert_eq!(bench.get_all(&SHOWN), [1, 0, 0, 0]);
}

#[test]
fn an_offer_stays_whatever_happens_meanwhile() {
    let mut bench = bench();
    // Warp 0 has a parked arrival that may leave at any time.
    issue(&mut bench, 0);
    take(&mut bench, Kind::Arrive, 0, 1);
    bench.cycles(3);
    bench.set("op_ready", 0);
    take(&mut bench, Kind::Arrive, 5, 2);
    bench.until("op_valid");
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 2]);
    // Warp 5 issues an access too late to hold the offered operation. The parked operation waits until the offer is accepted.
    issue(&mut bench, 5);
    perform(&mut bench, 0, 0);
    for _ in 0..6 {
        bench.cycle();
        assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 2]);
    }
    bench.set("op_ready", 1);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 2]);
    bench.set("op_ready", 0);
    take(&mut bench, Kind::Read, 7, 3);
    for _ in 0..3 {
        assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 1], "right after it, before any other operation");
        bench.cycle();
    }
    bench.set("op_ready", 1);
    bench.cycle();
    bench.until("op_valid");
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 3]);
}

#[test]
fn a_scan_finds_parked_operations_that_may_go() {
    let mut bench = bench();
    for warp in [5, 1, 3] {
        issue(&mut bench, warp);
        take(&mut bench, Kind::Sync, warp, warp);
    }
    bench.cycles(4);
    assert_eq!(bench.get("parked"), 0b10_1010);
    bench.set("op_ready", 0);
    [5, 1, 3].iter().for_each(|warp| perform(&mut bench, *warp, 0));
    bench.set("op_ready", 1);
    let mut passed = vec![];
    for _ in 0..ROUND {
        bench.cycle();
        passed.extend((bench.get("op_valid") == 1).then(|| bench.get("op_id")));
    }
    // Warp 5 is scanned out of turn, because its access was performed while no operation was picked.
    assert_eq!(passed[0], 5);
    passed.sort_unstable();
    assert_eq!(passed, [1, 3, 5]);
}

#[test]
fn what_has_been_parked_is_said_once() {
    let mut bench = bench();
    issue(&mut bench, 1);
    take(&mut bench, Kind::Sync, 1, 0);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_done", "parked"]), [0, 0]);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_done", "parked"]), [0b10, 0]);
    for _ in 0..5 {
        bench.cycle();
        assert_eq!(bench.get_all(&["op_done", "parked"]), [0, 0b10]);
    }
}

#[test]
fn what_was_picked_is_on_its_way_until_it_has_its_effects() {
    let mut bench = bench();
    issue(&mut bench, 1);
    take(&mut bench, Kind::Arrive, 1, 7);
    bench.cycles(3);
    perform(&mut bench, 1, 0);
    commit(&mut bench, 1);
    bench.cycles(4);
    assert_eq!(
        bench.get_all(&["parked", "picked_pending"]),
        [0b10, 0b10],
        "a commit before the pick belongs to another operation"
    );
    // The next operation is parked after the picked operation, although its warp has no outstanding access.
    take(&mut bench, Kind::Read, 1, 8);
    bench.cycles(ROUND);
    assert_eq!(bench.get_all(&["op_valid", "parked", "full", "picked_pending", "epoch"]), [0, 0b10, 0, 0b10, 0]);
    commit(&mut bench, 3);
    bench.cycle();
    assert_eq!(bench.get_all(&["parked", "picked_pending"]), [0b10, 0b10], "a commit of another warp has no effect");
    commit(&mut bench, 1);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "picked_pending", "epoch"]), [0, 0b10, 0, 0]);
    bench.until("op_valid");
    assert_eq!(bench.get("op_id"), 8);
    bench.cycle();
    assert_eq!(bench.get_all(&["op_valid", "parked", "picked_pending"]), [0, 0b10, 0b10]);
    commit(&mut bench, 1);
    bench.cycle();
    assert_eq!(bench.get_all(&["parked", "picked_pending"]), [0, 0]);
}

#[test]
fn reset_forgets_accesses_and_what_waits() {
    let mut bench = bench();
    issue(&mut bench, 1);
    (0..2).for_each(|id| take(&mut bench, Kind::Sync, 1, id));
    bench.cycles(4);
    bench.reset();
    bench.cycle();
    let shown =
        bench.get_all(&["op_valid", "op_id", "parked", "full", "held", "epoch", "op_done", "picked_pending", "in_ready"]);
    assert_eq!(shown, [0; 9]);
    assert_eq!(bench.until("in_ready"), 9, "a look at each of 8 warps first");
    take(&mut bench, Kind::Sync, 1, 4);
    bench.cycles(2);
    assert_eq!(bench.get_all(&["op_valid", "op_id"]), [1, 4]);
}

#[test]
fn several_accesses_of_a_warp_count_in_one_cycle() {
    // Two strobes each of issue and perform, and at most seven accesses outstanding.
    let mut b = bench();
    b.set_all(&[("issue_0_valid", 1), ("issue_0_warp", 5), ("issue_1_valid", 1), ("issue_1_warp", 5)]);
    b.cycles(2);
    b.set_all(&[("issue_0_valid", 0), ("issue_1_valid", 0)]);
    b.cycle();
    assert_eq!(b.get("access_limit"), 0);
    b.cycle();
    assert_eq!(b.get("access_limit"), 1 << 5, "there is room for three, but two cycles may bring four");
    b.send("in", &[("kind", Kind::Sync.value()), ("warp", 5), ("from_instr", 1)]);
    b.cycles(4);
    assert_eq!(b.get_all(&["parked", "op_valid"]), [1 << 5, 0]);
    b.set_all(&[("perform_0_valid", 1), ("perform_0_warp", 5), ("perform_1_valid", 1), ("perform_1_warp", 5)]);
    b.cycles(2);
    b.set_all(&[("perform_0_valid", 0), ("perform_1_valid", 0)]);
    b.until("op_valid");
    assert_eq!(b.get("op_warp"), 5);
}

#[test]
fn the_strobes_of_a_cycle_count_whatever_their_numbers() {
    let mut accesses = Accesses::new(small());
    let outstanding = |accesses: &Accesses| accesses.warp(1).outstanding[0];
    for (issues, performs) in [([0, 1], [1, 0]), ([1, 0], [0, 1]), ([0, 1], [0, 1])] {
        let access = |there: u8| (there == 1).then_some((1, false));
        accesses.account(&issues.map(access), &performs.map(access));
        assert_eq!(outstanding(&accesses), 0);
    }
    accesses.account(&[Some((1, false)); 2], &[None, Some((1, false))]);
    assert_eq!(outstanding(&accesses), 1);
}
