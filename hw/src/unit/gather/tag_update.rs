// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The open gathering and rendezvous of a warp after an operation, and the sum of the votes.
//!
//! *Reads:* the gathering and the rendezvous before the operation; the operation's flags, kind, reduction and votes; the
//! decision about the operation. *Writes:* the gathering and the rendezvous for the new row. *Latency:* 0, no state. Implements
//! *State* of `docs/contract/gather.md`.
//!
//! The votes are added up while the gathering is open: each operation adds the votes of its lanes to the sum in the row. The sum
//! of an AND or OR is one bit: once it is 1, no further 1 is added.

use super::kinds::GatheredKind;
use super::payloads::{Action, OpFlags, RendezvousChange, Tag};
use crate::prelude::*;

/// Contributions to a reduction, of `VW` bits.
#[block]
pub struct TagUpdate<VW> {
    /// The gathering and the rendezvous before the operation.
    pub tag: Signal<In, Tag<VW>>,
    pub flags: Signal<In, OpFlags>,
    pub action: Signal<In, Action>,
    pub change: Signal<In, RendezvousChange>,
    /// The operation's kind, encoded as a kind of gathering.
    pub gathers_as: Signal<In, GatheredKind>,
    /// The operation's reduction.
    pub redop: Signal<In, RedOp>,
    /// Two numbers, whose sum is the contribution of the operation's lanes to the reduction.
    pub op_votes: [Signal<In, Bits<VW>>; 2],
    /// The operation opens the gathering, which may complete at once.
    pub opens_gathering: Signal<Out, Bit>,
    pub next_tag: Signal<Out, Tag<VW>>,
    /// Sum of the gathering before the operation; 0 if no gathering is open.
    sum_before: Signal<Local, Bits<VW>>,
    /// `op_votes_0`, or 0 if the sum of an AND or OR is already 1.
    added_votes: Signal<Local, Bits<VW>>,
}

#[block]
impl Logic for TagUpdate {
    fn update(&mut self) {
        let flags = self.flags.val();
        let action = self.action.val();
        let change = self.change.val();
        let gathering = self.tag.val().gathering_tag;
        let rendezvous = self.tag.val().rendezvous_tag;
        self.next_tag.next = self.tag.val();

        // The gathering.
        self.opens_gathering.next = flags.is_gathered & !gathering.open;
        if !gathering.open {
            self.next_tag.next.gathering_tag.kind = self.gathers_as.val();
            self.next_tag.next.gathering_tag.redop = self.redop.val();
        }
        self.next_tag.next.gathering_tag.open =
            (gathering.open | flags.is_gathered) & !action.gathering_complete & !flags.resets_rows;
        self.sum_before.next = 0.into();
        if action.acts_on_lanes & gathering.open {
            self.sum_before.next = gathering.sum;
        }
        self.added_votes.next = self.op_votes[0].val();
        if (self.redop.val() != RedOp::Popc) & self.sum_before.val().get_bit(0) {
            self.added_votes.next = 0.into();
        }
        self.next_tag.next.gathering_tag.sum = (self.sum_before.val() + self.added_votes.val()) + self.op_votes[1].val();

        // The rendezvous.
        self.next_tag.next.rendezvous_tag.open_0 =
            (rendezvous.open_0 | change.opens_0) & !change.closing_0 & !flags.resets_rows;
        self.next_tag.next.rendezvous_tag.open_1 =
            (rendezvous.open_1 | change.opens_1) & !change.closing_1 & !flags.resets_rows;
        if change.opens_0 {
            self.next_tag.next.rendezvous_tag.elect_0 = flags.is_elect;
        }
        if change.opens_1 {
            self.next_tag.next.rendezvous_tag.elect_1 = flags.is_elect;
        }
    }
}
