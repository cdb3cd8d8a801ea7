// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault policies: the consequences of a refused operation for its warp.

use super::bench::{default_sizes, tiny};
use super::ops::{self, arrive, exit, fault, has_read, launch, nothing, op, read, reduce, release, released, sync, write};
use bcu_model::barriers::{Barriers, Effect};
use bcu_model::op::{Code, FaultPolicy, Kind, Operation, RedOp, StateWord};
use bcu_model::{Sizes, WarpStatus};
use FaultPolicy::{Hang, Report, Trap};

/// The barriers, and the stopped warps.
struct Unit {
    barriers: Barriers,
    warp_status: WarpStatus,
}

impl Unit {
    fn apply(&mut self, op: &Operation, policy: FaultPolicy) -> Effect {
        let commit = self.barriers.commit(op);
        let effect = self.barriers.apply(op, self.warp_status.trapped);
        self.warp_status.apply(&commit, policy);
        effect
    }

    fn stopped(&self) -> u64 {
        self.warp_status.trapped | self.warp_status.hung
    }
}

fn cta(sizes: Sizes, warps: u8) -> Unit {
    Unit { barriers: ops::cta(sizes, warps), warp_status: WarpStatus::default() }
}

#[test]
fn every_refused_operation_of_a_warp_traps_it_or_makes_it_hang() {
    let refused = [
        (sync(0, 9, 0), Code::IdOutOfRange),
        (arrive(0, 0, 0), Code::CountZeroArrive),
        (reduce(0, 0, 33, RedOp::Or, 0), Code::CountNotWarpMultiple),
        (read(0, StateWord::Result, 0), Code::NoResult),
        (write(0, StateWord::Barrier, 0, 1 << 30), Code::BadStateWord),
        (Operation { fault: Code::IllegalInstruction, ..sync(0, 0, 0) }, Code::IllegalInstruction),
        (Operation { fault: Code::WarpBlocked, ..exit(0) }, Code::WarpBlocked),
    ];
    for (op, code) in refused {
        for (policy, trapped, hung) in [(Report, 0, 0), (Trap, 1, 0), (Hang, 0, 1)] {
            let mut b = cta(default_sizes(), 2);
            b.apply(&Operation { barriers: 4, ..launch(0, 2, 4) }, Report);
            assert_eq!(b.apply(&op, policy), fault(&op, code), "{op:?}");
            let shown = (b.barriers.warps().waiting, b.warp_status.trapped, b.warp_status.hung);
            assert_eq!(shown, (0, trapped, hung), "{op:?} under {policy:?}");
        }
    }
}

#[test]
fn what_is_not_a_warps_own_stops_nobody() {
    let mut b = cta(tiny(), 2);
    let of = |fault, op: Operation| Operation { fault, ..op };
    let ops = [of(Code::NotResident, sync(0, 0, 0)), of(Code::SlotOccupied, launch(0, 1, 1))];
    for op in ops.iter().chain(&[of(Code::NotResident, release(0, 3, false))]) {
        for policy in [Trap, Hang] {
            assert_eq!(b.apply(op, policy), fault(op, op.fault));
            assert_eq!(b.stopped(), 0);
        }
    }
    // A barrier left open is a fault of its CTA, not of a warp.
    b.apply(&sync(1, 0, 0), Report);
    b.apply(&release(0, 3, false), Trap);
    assert!(b.barriers.clear_row(0, 0, false).fault.is_some());
    assert_eq!((b.barriers.warps().waiting, b.stopped()), (0, 0));
}

#[test]
fn a_fence_does_nothing_but_be_refused() {
    for (policy, trapped, hung) in [(Report, 0, 0), (Trap, 0b10, 0), (Hang, 0, 0b10)] {
        let mut b = cta(tiny(), 2);
        let fence = op(Kind::Fence, 1, 0, 0);
        assert_eq!(b.apply(&fence, policy), nothing());
        let refused = Operation { fault: Code::WarpBlocked, ..fence };
        assert_eq!(b.apply(&refused, policy), fault(&refused, Code::WarpBlocked));
        assert_eq!((b.barriers.warps().waiting, b.warp_status.trapped, b.warp_status.hung), (0, trapped, hung), "{policy:?}");
        // A warp that is not resident is not stopped.
        let mut b = cta(tiny(), 2);
        let absent = Operation { fault: Code::NotResident, ..fence };
        assert_eq!(b.apply(&absent, policy), fault(&absent, Code::NotResident));
        assert_eq!((b.warp_status.trapped, b.warp_status.hung), (0, 0));
    }
}

#[test]
fn a_barrier_does_not_let_a_stopped_warp_go() {
    for policy in [Trap, Hang] {
        let mut b = cta(tiny(), 2);
        assert_eq!(b.apply(&sync(0, 1, 0), Report), nothing());
        // An operation of the waiting warp is refused. The warp remains a waiting warp of barrier 1.
        let bad = Operation { fault: Code::WarpBlocked, ..op(Kind::Arrive, 0, 1, 8) };
        b.apply(&bad, policy);
        assert_eq!(b.apply(&sync(1, 1, 0), Report), released(0, 1, 0b11));
        assert_eq!((b.barriers.warps().waiting, b.stopped()), (0, 0b01));
        assert_eq!(b.apply(&release(0, 0b11, false), Report), nothing());
        assert_eq!(b.stopped(), 0);
    }
}

#[test]
fn a_state_word_shows_a_trap_and_ends_it_but_knows_nothing_of_a_hang() {
    let mut b = cta(tiny(), 2);
    b.apply(&arrive(0, 0, 3), Trap);
    b.apply(&arrive(1, 0, 3), Hang);
    assert_eq!(b.apply(&read(0, StateWord::Warp, 0), Report), has_read(0, 3 << 12 | 1 << 19, false));
    assert_eq!(b.apply(&read(1, StateWord::Warp, 0), Report), has_read(1, 3 << 12, false));
    assert_eq!(b.apply(&write(0, StateWord::Warp, 0, 3 << 12), Report), nothing());
    assert_eq!(b.apply(&write(1, StateWord::Warp, 0, 3 << 12), Report), nothing());
    assert_eq!(b.stopped(), 0b10);
    assert_eq!(b.apply(&write(1, StateWord::Warp, 0, 3 << 12 | 1 << 19), Report), nothing());
    assert_eq!((b.warp_status.trapped, b.warp_status.hung), (0b10, 0b10));
    // A bad state word traps as well.
    b.apply(&write(0, StateWord::Warp, 0, 1 << 31), Trap);
    assert_eq!(b.warp_status.trapped, 0b11);
}
