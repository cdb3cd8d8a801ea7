// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a warp's lanes after a gathering or rendezvous has completed and its lanes have resumed.
//!
//! *Reads:* the state of the lanes after the operation's lanes have joined; the member masks; which rendezvous close, and whether
//! the gathering is complete. *Writes:* the state of the lanes for the new row. *Latency:* 0, no state. Implements *Completion* of
//! `docs/contract/gather.md`.

use super::payloads::LaneStates;
use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct ReleasedLanes<L> {
    /// The state of the lanes after the operation's lanes have joined.
    pub joined_lanes: Signal<In, LaneStates<L>>,
    /// The members of the two rendezvous that may close.
    pub members: [Signal<In, Bits<L>>; 2],
    /// The rendezvous whose member mask has the same index closes.
    pub closing: [Signal<In, Bit>; 2],
    /// The gathering is complete.
    pub gathering_complete: Signal<In, Bit>,
    pub lane_states: Signal<Out, LaneStates<L>>,
    /// The member mask with the same index if its rendezvous closes, else 0.
    closed_masks: [Signal<Local, Bits<L>>; 2],
    /// Members of all rendezvous that close.
    closed_members: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for ReleasedLanes {
    fn update(&mut self) {
        let joined = self.joined_lanes.val();
        for i in 0..2 {
            self.closed_masks[i].next = 0.into();
            if self.closing[i].val() {
                self.closed_masks[i].next = self.members[i].val();
            }
        }
        self.closed_members.next = self.closed_masks[0].val() | self.closed_masks[1].val();
        self.lane_states.next.waiting_lanes = joined.waiting_lanes & !self.closed_members.val();
        if self.gathering_complete.val() {
            self.lane_states.next.waiting_lanes = 0.into();
        }
        self.lane_states.next.not_in_rendezvous = joined.not_in_rendezvous | (joined.waiting_lanes & self.closed_members.val());
    }
}
