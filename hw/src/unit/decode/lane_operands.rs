// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes that execute an instruction, and the field of its operation that holds votes, members or data.
//!
//! *Reads:* active lanes, guard, predicate and members of the instruction; the address or state word, and the message to the gateway; the
//! kind of instruction in the word. *Writes:* whether a lane executes the instruction; the executing lanes and the shared field of the
//! instruction taken last. *Latency:* 0 for `has_lanes`, 1 for the other outputs. Implements `op_lanes`, `op_votes`, `op_members` and
//! `op_data` of `docs/contract/decode.md`.

use crate::prelude::*;

/// Sizes: `L` lanes; `LD` bits, the larger of 32 and `L`, for the shared field, which holds data or one bit per lane.
#[block]
pub struct LaneOperands<L, LD> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The instruction is taken: the registers change.
    pub enable: Signal<In, Bit>,
    /// Active lanes.
    pub active: Signal<In, Bits<L>>,
    /// Lanes whose guard is true.
    pub guard: Signal<In, Bits<L>>,
    /// Lanes in which the predicate is true, before negation.
    pub predicate: Signal<In, Bits<L>>,
    /// WarpSync, Elect: the lanes that wait for each other.
    pub members: Signal<In, Bits<L>>,
    /// Address of an MBAR, or the state word of an R2B.
    pub address: Signal<In, Bits<32>>,
    /// Message of an NBAR.
    pub message: Signal<In, Bits<32>>,
    /// The form is WarpSync or Elect, for which the word is ignored.
    pub is_warp_sync: Signal<In, Bit>,
    /// The word is a reduction (BAR_RED).
    pub is_reduction: Signal<In, Bit>,
    /// The word is an NBAR.
    pub is_nbar: Signal<In, Bit>,
    /// The predicate is negated.
    pub negated: Signal<In, Bit>,
    /// A lane executes the instruction that is offered.
    pub has_lanes: Signal<Out, Bit>,
    /// Executing lanes of the instruction taken last: active, and the guard is true.
    pub lanes: Signal<Out, Bits<L>>,
    /// The shared field of the instruction taken last: the votes for a Reduce, the members for a WarpSync or Elect, and the
    /// data for all others.
    pub shared_bits: Signal<Out, Bits<LD>>,
    lanes_q: DFF<Bits<L>>,
    /// Votes of a Reduce, else 0.
    votes: DFF<Bits<L>>,
    /// The members for a WarpSync or Elect, 0 for a Reduce, the data for all others.
    data: DFF<Bits<LD>>,
    /// Executing lanes.
    executing: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for LaneOperands {
    fn update(&mut self) {
        self.executing.next = self.active.val() & self.guard.val();
        self.has_lanes.next = self.executing.val().any();
        if self.enable.val() {
            self.lanes_q.d.next = self.executing.val();

            // Votes and data are in separate registers, of which at most one is not 0; the shared field is the OR of both.
            self.votes.d.next = self.executing.val() & self.predicate.val();
            if self.negated.val() {
                self.votes.d.next = self.executing.val() & !self.predicate.val();
            }
            if !self.is_reduction.val() | self.is_warp_sync.val() {
                self.votes.d.next = 0.into();
            }
            self.data.d.next = bit_cast::<LD, 32>(self.address.val());
            if self.is_nbar.val() {
                self.data.d.next = bit_cast::<LD, 32>(self.message.val());
            }
            if self.is_reduction.val() {
                self.data.d.next = 0.into();
            }
            if self.is_warp_sync.val() {
                self.data.d.next = bit_cast::<LD, L>(self.members.val());
            }
        }
        self.lanes.next = self.lanes_q.q.val();
        self.shared_bits.next = self.data.q.val() | bit_cast::<LD, L>(self.votes.q.val());
    }
}
