// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides about the warp that was looked up: whether its operation at the head of the queue passes, is parked or leaves as a
//! fence, or its first parked operation is picked.
//!
//! *Reads:* the state of the warp, the reason of the look-up, the oldest operation of the queue, whether an operation is picked
//! already. *Writes:* the decision on the oldest operation; whether the first parked operation is picked; the change of the warp.
//! *Latency:* 0, no state. Implements the decisions on operations of `docs/contract/mem_order.md`.

use super::turns::Turn;
use super::warps::{Change, Look};
use crate::prelude::*;

/// The properties of the oldest operation in the queue that the decision needs.
#[payload]
pub struct HeadOp {
    /// The operation is present, and no decision that it passes was made yet.
    pub present: Bit,
    /// The operation waits for the parked operations of its warp.
    pub bound: Bit,
    /// The operation waits for the accesses of its warp. A fence has this without `bound`.
    pub ordered: Bit,
    /// The warp must not issue while the operation is parked: Sync, Reduce, or a wait.
    pub waits: Bit,
    /// 1 = caused by an instruction.
    pub from_instr: Bit,
    /// The operation is a Write, which does not fit into a word of the parked operations.
    pub writes: Bit,
}

/// The decision on the oldest operation; with all bits 0 it stays.
#[payload]
pub struct Decision {
    /// The operation passes to `op`; meaningless if there is none.
    pub passes: Bit,
    /// The operation is parked.
    pub parks: Bit,
    /// The operation leaves the queue: it is parked, or is a fence.
    pub leaves: Bit,
}

/// Warp numbers of `LW` bits.
#[block]
pub struct Decide<LW> {
    pub look: Signal<In, Look<LW>>,
    pub turn: Signal<In, Turn>,
    pub head_op: Signal<In, HeadOp>,
    /// An operation is picked already, and has not left.
    pub picked: Signal<In, Bit>,
    /// The decision on the oldest operation is made in this cycle.
    pub decided: Signal<Out, Bit>,
    pub decision: Signal<Out, Decision>,
    /// The first parked operation of the warp is picked.
    pub picks: Signal<Out, Bit>,
    /// The word for the operation that is parked, of the four of its warp.
    pub free: Signal<Out, Bits<2>>,
    pub change: StrobeOut<Change>,
    /// An operation of the warp is parked.
    has_parked: Signal<Local, Bit>,
    /// Exactly one operation of the warp is parked.
    has_one_parked: Signal<Local, Bit>,
    /// An operation is parked, or one is `picked_pending`.
    parked_or_pending: Signal<Local, Bit>,
    /// An access of the warp is outstanding.
    busy: Signal<Local, Bit>,
    /// An access of the epoch that the first parked operation waits for is outstanding.
    waits_for_epoch: Signal<Local, Bit>,
    /// The oldest operation is a fence.
    fence: Signal<Local, Bit>,
    /// The oldest operation has to wait.
    must_wait: Signal<Local, Bit>,
    /// The oldest operation cannot be parked now.
    no_place: Signal<Local, Bit>,
    /// A fence leaves the queue.
    fences: Signal<Local, Bit>,
    /// The warp was looked up by the scan, and an operation may be picked.
    scans: Signal<Local, Bit>,
    /// The fence of the warp ends.
    ends: Signal<Local, Bit>,
    /// The addend of the number of parked operations: 0, 1, or 3 for -1.
    step: Signal<Local, Bits<2>>,
}

#[block]
impl Logic for Decide<LW> {
    fn update(&mut self) {
        self.has_parked.next = self.look.val().warp_state.count != 0;
        self.has_one_parked.next = self.look.val().warp_state.count == 1;
        self.parked_or_pending.next = self.has_parked.val() | self.look.val().picked_pending;
        self.busy.next = self.look.val().busy != 0;

        // The oldest operation. The third word is for an operation that an exit causes, and a Write is not parked.
        self.fence.next = !self.head_op.val().bound & self.head_op.val().ordered;
        self.must_wait.next =
            self.head_op.val().bound & (self.parked_or_pending.val() | (self.head_op.val().ordered & self.busy.val()));
        self.no_place.next = self.head_op.val().writes
            | (self.look.val().warp_state.count.get_bit(1)
                & (self.head_op.val().from_instr | self.look.val().warp_state.count.get_bit(0)));
        self.decided.next = self.turn.val().of_head & !self.look.val().stale;
        self.decision.next.passes = self.decided.val() & !self.must_wait.val() & !self.fence.val();
        self.decision.next.parks =
            self.head_op.val().present & self.decided.val() & self.must_wait.val() & !self.no_place.val();
        self.fences.next = self.head_op.val().present & self.decided.val() & self.fence.val();
        self.decision.next.leaves = self.decision.val().parks | self.fences.val();

        // The parked operations. The first one waits for the accesses of the former epoch, whose number is the lowest bit of its
        // word.
        self.scans.next = self.turn.val().of_scan & !self.look.val().stale & !self.look.val().picked_pending;
        self.waits_for_epoch.next = self.look.val().busy.get_bit(0);
        if self.look.val().warp_state.place.get_bit(0) {
            self.waits_for_epoch.next = self.look.val().busy.get_bit(1);
        }
        self.picks.next = self.scans.val() & self.has_parked.val() & !self.waits_for_epoch.val() & !self.picked.val();
        self.ends.next = self.scans.val() & self.look.val().warp_state.fenced & !self.has_parked.val() & !self.busy.val();

        // The new state of the warp.
        self.step.next = 0.into();
        if self.decision.val().parks {
            self.step.next = 1.into();
        }
        if self.picks.val() {
            self.step.next = 3.into();
        }
        self.free.next = self.look.val().warp_state.place + self.look.val().warp_state.count;
        self.change.payload.next.warp_state.count = self.look.val().warp_state.count + self.step.val();
        self.change.payload.next.warp_state.place = self.look.val().warp_state.place - self.step.val();
        if !self.picks.val() {
            self.change.payload.next.warp_state.place = self.look.val().warp_state.place;
        }
        self.change.payload.next.warp_state.waits = self.look.val().warp_state.waits & self.has_parked.val();
        if self.decision.val().parks {
            self.change.payload.next.warp_state.waits =
                self.head_op.val().waits | (self.look.val().warp_state.waits & self.has_parked.val());
        }
        if self.picks.val() & self.has_one_parked.val() {
            self.change.payload.next.warp_state.waits = false;
        }
        self.change.payload.next.warp_state.fenced = self.look.val().warp_state.fenced & !self.ends.val();
        if self.fences.val() {
            self.change.payload.next.warp_state.fenced =
                self.look.val().warp_state.fenced | self.parked_or_pending.val() | self.busy.val();
        }
        // A warp that was held for a parked operation is held until that operation takes effect.
        self.change.payload.next.warp_state.held_until_commit = self.look.val().warp_state.held_until_commit;
        if self.picks.val() {
            self.change.payload.next.warp_state.held_until_commit = self.look.val().warp_state.count.get_bit(1)
                | self.look.val().warp_state.waits
                | self.look.val().warp_state.fenced;
        }
        if self.turn.val().clears {
            self.change.payload.next.warp_state.count = 0.into();
            self.change.payload.next.warp_state.place = 0.into();
            self.change.payload.next.warp_state.waits = false;
            self.change.payload.next.warp_state.fenced = false;
            self.change.payload.next.warp_state.held_until_commit = false;
        }
        self.change.payload.next.looked = (self.turn.val().of_head | self.turn.val().of_scan) & !self.look.val().stale;
        self.change.payload.next.passes = self.picks.val();
        self.change.payload.next.sets_op_done = self.decision.val().leaves;
        self.change.payload.next.shows = self.decision.val().leaves | self.picks.val() | self.ends.val();
        self.change.valid.next = self.change.payload.val().shows | self.turn.val().clears;
    }
}
