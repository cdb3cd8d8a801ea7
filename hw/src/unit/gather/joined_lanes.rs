// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of a warp, with those of the operation in the lookup stage.
//!
//! *Reads:* the state of the lanes before the operation; the operation's lanes and requests; whether its lanes must issue again.
//! *Writes:* the state of the lanes before a gathering or rendezvous completes. *Latency:* 0, no state. Implements how lanes
//! join in *Sync, Arrive, …* and how *Launch, Release* set them, in `docs/contract/gather.md`.

use super::payloads::{LaneStates, OpFlags};
use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct JoinedLanes<L> {
    pub flags: Signal<In, OpFlags>,
    /// The operation's lanes.
    pub lanes: Signal<In, Bits<L>>,
    /// The row is the initial one: no lane waits.
    pub is_initial: Signal<In, Bit>,
    /// Waiting lanes before the operation, unless `is_initial`.
    pub waiting_before: Signal<In, Bits<L>>,
    /// Live lanes at no rendezvous, without those of the operation.
    pub other_lanes: Signal<In, Bits<L>>,
    /// No rendezvous is free for the operation's lanes: they must issue again.
    pub retry: Signal<In, Bit>,
    /// State of the lanes with those of the operation; for a retry, `waiting_lanes` has the operation's lanes alone.
    pub lane_states: Signal<Out, LaneStates<L>>,
    waiting_lanes: Signal<Local, Bits<L>>,
    not_in_rendezvous: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for JoinedLanes<L> {
    fn update(&mut self) {
        let flags = self.flags.val();
        self.waiting_lanes.next = self.waiting_before.val();
        if self.is_initial.val() | flags.resets_rows | self.retry.val() {
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
