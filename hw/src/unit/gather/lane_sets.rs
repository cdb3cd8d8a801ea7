// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the lanes of an operation, and all other lanes of its warp, with the state of the lanes in the row.
//!
//! *Reads:* the operation's lanes and members, the row of its warp. *Writes:* whether a lane of the operation waits or is not live;
//! the other lanes, and whether one of them runs; whether members of each rendezvous are missing. *Latency:* 0, no state.
//! Implements the state of a lane in *State* of `docs/contract/gather.md`.
//!
//! A member is missing while the member is live and has not arrived. The lanes of the operation are never missing: they join or exit.

use super::payloads::{CheckFlags, LaneStates};
use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct LaneSets<L> {
    /// The lanes of the operation.
    pub lanes: Signal<In, Bits<L>>,
    pub check_flags: Signal<In, CheckFlags>,
    /// The operation is a WarpSync or Elect.
    pub is_warp_sync: Signal<In, Bit>,
    /// Member mask of a WarpSync or Elect.
    pub members: Signal<In, Bits<L>>,
    /// The row is in its initial state: all lanes run, and `lane_states` is ignored.
    pub is_initial: Signal<In, Bit>,
    pub lane_states: Signal<In, LaneStates<L>>,
    /// Member mask of each rendezvous in the row.
    pub row_members: [Signal<In, Bits<L>>; 2],
    /// A lane of the operation waits.
    pub op_waits: Signal<Out, Bit>,
    /// A lane of the operation is live and at no rendezvous.
    pub op_present: Signal<Out, Bit>,
    /// A lane of the operation waits or is not live.
    pub op_stray: Signal<Out, Bit>,
    /// Live lanes at no rendezvous, except the lanes of the operation.
    pub other_lanes: Signal<Out, Bits<L>>,
    /// A lane of `other_lanes` runs.
    pub others_run: Signal<Out, Bit>,
    /// For a WarpSync or Elect: the member mask of the operation. For all others: the member mask of the first rendezvous.
    pub rendezvous_members: Signal<Out, Bits<L>>,
    /// Element 0: no lane of `rendezvous_members` is missing. Element 1: no member of the second rendezvous is missing.
    pub none_missing: [Signal<Out, Bit>; 2],
    /// Lanes of the operation that wait.
    op_waiting_lanes: Signal<Local, Bits<L>>,
    /// Lanes of the operation that are live and at no rendezvous.
    op_not_in_rendezvous: Signal<Local, Bits<L>>,
    /// Lanes of the operation that have exited or are at a rendezvous.
    op_unavailable_lanes: Signal<Local, Bits<L>>,
    /// Lanes of `other_lanes` that run.
    other_running: Signal<Local, Bits<L>>,
    /// Element 0: missing lanes of `rendezvous_members`. Element 1: missing members of the second rendezvous.
    missing_lanes: [Signal<Local, Bits<L>>; 2],
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for LaneSets {
    fn update(&mut self) {
        let states = self.lane_states.val();

        // The lanes of the operation.
        self.op_waiting_lanes.next = self.lanes.val() & states.waiting_lanes;
        self.op_not_in_rendezvous.next = self.lanes.val() & states.not_in_rendezvous;
        self.op_unavailable_lanes.next = self.lanes.val() & !states.not_in_rendezvous;
        self.op_waits.next = self.op_waiting_lanes.val().any() & !self.is_initial.val();
        self.op_present.next = self.op_not_in_rendezvous.val().any();
        if self.is_initial.val() {
            self.op_present.next = self.check_flags.val().any_lane;
        }
        self.op_stray.next = self.op_waits.val() | (self.op_unavailable_lanes.val().any() & !self.is_initial.val());

        // The lanes that are not in the operation: whether one of them runs, and which members are missing.
        self.other_lanes.next = states.not_in_rendezvous & !self.lanes.val();
        if self.is_initial.val() {
            self.other_lanes.next = self.every_lane.val() & !self.lanes.val();
        }
        self.other_running.next = self.other_lanes.val() & !states.waiting_lanes;
        self.others_run.next = self.other_running.val().any();
        if self.is_initial.val() {
            self.others_run.next = !self.check_flags.val().all_lanes;
        }
        self.rendezvous_members.next = self.row_members[0].val();
        if self.is_warp_sync.val() {
            self.rendezvous_members.next = self.members.val();
        }
        self.missing_lanes[0].next = self.other_lanes.val() & self.rendezvous_members.val();
        self.missing_lanes[1].next = self.other_lanes.val() & self.row_members[1].val();
        self.none_missing[0].next = !self.missing_lanes[0].val().any();
        self.none_missing[1].next = !self.missing_lanes[1].val().any();
    }
}
