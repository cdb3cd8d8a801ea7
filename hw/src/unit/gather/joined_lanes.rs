// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a warp's lanes after the lanes of the operation in the lookup stage have joined a gathering or rendezvous.
//!
//! *Reads:* the state of the lanes before the operation; the operation's lanes and flags. *Writes:* the state of the lanes before a
//! gathering or rendezvous completes. *Latency:* 0, no state. Implements the joining of lanes in *Sync, Arrive, …* and the lane states
//! after *Launch, Release*, both in `docs/contract/gather.md`.

use super::payloads::{LaneStates, OpFlags};
use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct JoinedLanes<L> {
    pub flags: Signal<In, OpFlags>,
    /// The operation's lanes.
    pub lanes: Signal<In, Bits<L>>,
    /// The row is in its initial state: no lane waits.
    pub is_initial: Signal<In, Bit>,
    /// Waiting lanes before the operation. Ignored while `is_initial` is 1: then no lane waits.
    pub waiting_before: Signal<In, Bits<L>>,
    /// Live lanes at no rendezvous, except the lanes of the operation.
    pub other_lanes: Signal<In, Bits<L>>,
    /// State of the lanes after the operation's lanes have joined; meaningless for a retry, which writes no row.
    pub lane_states: Signal<Out, LaneStates<L>>,
    waiting_lanes: Signal<Local, Bits<L>>,
    not_in_rendezvous: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for JoinedLanes {
    fn update(&mut self) {
        let flags = self.flags.val();
        self.waiting_lanes.next = self.waiting_before.val();
        if self.is_initial.val() | flags.resets_rows {
            self.waiting_lanes.next = 0.into();
        }
        if flags.is_gathered | flags.is_warp_sync {
            self.waiting_lanes.next = self.waiting_lanes.val() | self.lanes.val();
        }
        self.not_in_rendezvous.next = self.other_lanes.val();
        if flags.resets_rows {
            self.not_in_rendezvous.next = 0.into();
        }
        if flags.is_gathered | flags.resets_rows {
            self.not_in_rendezvous.next = self.not_in_rendezvous.val() | self.lanes.val();
        }
        self.lane_states.next.waiting_lanes = self.waiting_lanes.val();
        self.lane_states.next.not_in_rendezvous = self.not_in_rendezvous.val();
    }
}
