// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides about the warp that was looked up: whether its operation at the head of the queue passes, is parked or leaves as a
//! fence; or whether the warp's first parked operation is picked.
//!
//! *Reads:* the state of the warp, the reason of the look-up, the oldest operation of the queue, whether a parked operation has
//! been picked and has not left yet. *Writes:* the decision on the oldest operation; whether the first parked operation is picked;
//! the change of the warp. *Latency:* 0, no state. Implements *The head of the queue* and *The scanned warp* of
//! `docs/contract/mem_order.md`.

use super::payloads::{Change, Decision, HeadOp, Turn, WarpLookup};
use crate::prelude::*;

/// Warps with numbers of `LW` bits.
#[block]
pub struct Decide<LW> {
    pub warp_lookup: Signal<In, WarpLookup<LW>>,
    /// By epoch: an access of the warp is outstanding.
    pub epoch_busy: [Signal<In, Bit>; 2],
    pub turn: Signal<In, Turn>,
    pub head_op: Signal<In, HeadOp>,
    /// A parked operation, of any warp, has been picked and has not left yet.
    pub picked: Signal<In, Bit>,
    /// The decision on the oldest operation is made in this cycle.
    pub decided: Signal<Out, Bit>,
    pub decision: Signal<Out, Decision>,
    /// The first parked operation of the warp is picked.
    pub picks: Signal<Out, Bit>,
    /// Number, 0 to 3, of the word of its warp in which the operation is parked.
    pub park_word: Signal<Out, Bits<2>>,
    pub change: StrobeOut<Change>,
    /// At least one operation of the warp is parked.
    has_parked: Signal<Local, Bit>,
    /// Exactly one operation of the warp is parked.
    has_one_parked: Signal<Local, Bit>,
    /// An operation of the warp is parked, or one was picked and has not taken effect.
    parked_or_pending: Signal<Local, Bit>,
    /// An access of the warp is outstanding.
    busy: Signal<Local, Bit>,
    /// An access of the warp is outstanding in the epoch that the first parked operation waits for.
    waits_for_epoch: Signal<Local, Bit>,
    /// The oldest operation is a fence.
    is_fence: Signal<Local, Bit>,
    /// The oldest operation must not pass yet: it waits for parked operations or accesses.
    must_wait: Signal<Local, Bit>,
    /// The oldest operation cannot be parked now.
    cannot_park: Signal<Local, Bit>,
    /// A fence leaves the queue.
    fence_leaves: Signal<Local, Bit>,
    /// The scan has looked up the warp, its state is valid, and every picked operation of the warp has taken effect: an
    /// operation may be picked.
    may_pick: Signal<Local, Bit>,
    /// The fence of the warp ends.
    fence_ends: Signal<Local, Bit>,
    /// The addend of the number of parked operations: 0, 1, or 3 for -1.
    count_change: Signal<Local, Bits<2>>,
}

#[block]
impl Logic for Decide {
    fn update(&mut self) {
        let lookup = self.warp_lookup.val();
        let warp_state = self.warp_lookup.val().warp_state;
        let head_op = self.head_op.val();
        let turn = self.turn.val();
        self.has_parked.next = warp_state.parked_count != 0;
        self.has_one_parked.next = warp_state.parked_count == 1;
        self.parked_or_pending.next = self.has_parked.val() | lookup.picked_pending;
        self.busy.next = self.epoch_busy[0].val() | self.epoch_busy[1].val();

        // The oldest operation. An instruction's operation is parked as the first or second of its warp; the third place is for an
        // operation that an exit causes. A Write is not parked.
        self.is_fence.next = !head_op.waits_for_parked & head_op.waits_for_accesses;
        self.must_wait.next =
            head_op.waits_for_parked & (self.parked_or_pending.val() | (head_op.waits_for_accesses & self.busy.val()));
        self.cannot_park.next =
            head_op.is_write | (warp_state.parked_count.get_bit(1) & (head_op.from_instr | warp_state.parked_count.get_bit(0)));
        self.decided.next = turn.of_head & !lookup.stale;
        self.decision.next.passes = self.decided.val() & !self.must_wait.val() & !self.is_fence.val();
        self.decision.next.parks = head_op.present & self.decided.val() & self.must_wait.val() & !self.cannot_park.val();
        self.fence_leaves.next = head_op.present & self.decided.val() & self.is_fence.val();
        self.decision.next.leaves = self.decision.val().parks | self.fence_leaves.val();

        // The parked operations. The first parked operation waits for the accesses of the epoch that ended when the
        // operation was parked. The number of that epoch is the lowest bit of `first_word`.
        self.may_pick.next = turn.of_scan & !lookup.stale & !lookup.picked_pending;
        self.waits_for_epoch.next = self.epoch_busy[0].val();
        if warp_state.first_word.get_bit(0) {
            self.waits_for_epoch.next = self.epoch_busy[1].val();
        }
        self.picks.next = self.may_pick.val() & self.has_parked.val() & !self.waits_for_epoch.val() & !self.picked.val();
        self.fence_ends.next = self.may_pick.val() & warp_state.fenced & !self.has_parked.val() & !self.busy.val();

        // The new state of the warp.
        self.count_change.next = 0.into();
        if self.decision.val().parks {
            self.count_change.next = 1.into();
        }
        if self.picks.val() {
            self.count_change.next = 3.into();
        }
        self.park_word.next = warp_state.first_word + warp_state.parked_count;
        self.change.payload.next.warp_state.parked_count = warp_state.parked_count + self.count_change.val();
        self.change.payload.next.warp_state.first_word = warp_state.first_word - self.count_change.val();
        if !self.picks.val() {
            self.change.payload.next.warp_state.first_word = warp_state.first_word;
        }
        self.change.payload.next.warp_state.holds_warp = warp_state.holds_warp & self.has_parked.val();
        if self.decision.val().parks {
            self.change.payload.next.warp_state.holds_warp =
                head_op.holds_warp | (warp_state.holds_warp & self.has_parked.val());
        }
        if self.picks.val() & self.has_one_parked.val() {
            self.change.payload.next.warp_state.holds_warp = false;
        }
        self.change.payload.next.warp_state.fenced = warp_state.fenced & !self.fence_ends.val();
        if self.fence_leaves.val() {
            self.change.payload.next.warp_state.fenced = warp_state.fenced | self.parked_or_pending.val() | self.busy.val();
        }
        // A warp that was held for a parked operation is held until that operation takes effect.
        self.change.payload.next.warp_state.held_until_commit = warp_state.held_until_commit;
        if self.picks.val() {
            self.change.payload.next.warp_state.held_until_commit =
                warp_state.parked_count.get_bit(1) | warp_state.holds_warp | warp_state.fenced;
        }
        if turn.clears_words {
            self.change.payload.next.warp_state.parked_count = 0.into();
            self.change.payload.next.warp_state.first_word = 0.into();
            self.change.payload.next.warp_state.holds_warp = false;
            self.change.payload.next.warp_state.fenced = false;
            self.change.payload.next.warp_state.held_until_commit = false;
        }
        self.change.payload.next.lookup_valid = (turn.of_head | turn.of_scan) & !lookup.stale;
        self.change.payload.next.picks = self.picks.val();
        self.change.payload.next.sets_op_done = self.decision.val().leaves;
        self.change.payload.next.changes_state = self.decision.val().leaves | self.picks.val() | self.fence_ends.val();
        self.change.valid.next = self.change.payload.val().changes_state | turn.clears_words;
    }
}
