// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The effects of the operation in the commit stage: whether an operation is passed on, which rows are written, which gathering and
//! rendezvous complete.
//!
//! *Reads:* the operation's flags, the decision about the operation, the open gathering and rendezvous of its warp. *Writes:* the
//! effects; whether the warp exits; which rendezvous close; whether an Exit completes a gathering. *Latency:* 0, no state.
//! Implements *Exit* and *Completion* of `docs/contract/gather.md`.

use super::payloads::{Action, Effects, OpFlags, RendezvousChange, Tag};
use crate::prelude::*;

/// Contributions to a reduction, of `VW` bits.
#[block]
pub struct OpEffects<VW> {
    /// The operation takes effect in this cycle.
    pub valid: Signal<In, Bit>,
    pub flags: Signal<In, OpFlags>,
    /// 1 = from an instruction, 0 = from `cta_table`.
    pub from_instr: Signal<In, Bit>,
    pub action: Signal<In, Action>,
    pub change: Signal<In, RendezvousChange>,
    /// The gathering and the rendezvous before the operation.
    pub tag: Signal<In, Tag<VW>>,
    pub effects: Signal<Out, Effects>,
    /// The last live lanes of the warp exit, and no gathering or rendezvous is open in its row.
    pub warp_exits: Signal<Out, Bit>,
    /// An Exit completes a gathering. Valid only while `passes_op` is 1.
    pub exit_completes: Signal<Out, Bit>,
    /// Element i: the rendezvous whose members are in `members_i` of `commit_stage` closes. For a WarpSync or Elect, element 0 is
    /// the rendezvous that the operation's lanes join, and element 1 is 0. For an Exit, the elements are the first and the second
    /// rendezvous of the row.
    pub closing: [Signal<Out, Bit>; 2],
    /// A gathering completes.
    gathering_completes: Signal<Local, Bit>,
    acts_on_lanes: Signal<Local, Bit>,
}

#[block]
impl Logic for OpEffects {
    fn update(&mut self) {
        let flags = self.flags.val();
        let action = self.action.val();
        let change = self.change.val();
        let gathering = self.tag.val().gathering_tag;
        let rendezvous = self.tag.val().rendezvous_tag;
        self.acts_on_lanes.next = self.valid.val() & action.acts_on_lanes;
        self.gathering_completes.next = action.acts_on_lanes & action.gathering_complete;
        self.exit_completes.next = self.gathering_completes.val() & flags.is_exit;
        self.closing[0].next = change.closing_0 | (change.closing_1 & flags.is_warp_sync);
        self.closing[1].next = change.closing_1 & !flags.is_warp_sync;

        self.effects.next.valid = self.valid.val();
        // Whether an operation is passed on, or the instruction is absorbed.
        self.warp_exits.next = self.acts_on_lanes.val()
            & flags.is_exit
            & !action.others_run
            & !(gathering.open | rendezvous.open_0 | rendezvous.open_1);
        self.effects.next.passes_op =
            (self.valid.val() & (!action.acts_on_lanes | self.gathering_completes.val())) | self.warp_exits.val();
        self.effects.next.absorbs_op = self.valid.val() & self.from_instr.val() & !self.effects.val().passes_op;

        // The row.
        self.effects.next.acts_on_lanes = self.acts_on_lanes.val();
        self.effects.next.resets_rows = self.valid.val() & flags.resets_rows;
        self.effects.next.writes_row = (self.acts_on_lanes.val() & !action.retry) | (self.valid.val() & flags.writes_last_row);
        self.effects.next.all_lanes_wait = !action.others_run
            & !self.warp_exits.val()
            & !action.retry
            & !action.gathering_complete
            & !change.closing_0
            & !change.closing_1;
    }
}
