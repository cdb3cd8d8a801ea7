// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes strobe: lanes that resume, or that must issue their instruction again.
//!
//! *Reads:* the state of the lanes of the operation in the commit stage, and their action. *Writes:* the lanes strobe (a gate); one
//! cycle later their leader; whether two strobes are needed. *Latency:* 0 and 1. Implements the lanes strobe of
//! `docs/contract/gather.md`, and the leader of `elect.sync`.
//!
//! An Exit may close both rendezvous. Their lanes resume one set after the other, so that one leader is found at a time; the
//! operation stays in the commit stage meanwhile.

use super::leader::Leader;
use crate::prelude::*;

/// The action of the lanes of the operation in the commit stage. All but the first three fields hold in the next cycle, too.
#[payload]
pub struct LaneResult<LW, L> {
    /// An arrive of a gathering completes: its lanes resume.
    pub arrive_completes: Bit,
    /// No rendezvous is free: the operation's lanes must issue again.
    pub retries: Bit,
    /// A rendezvous closes: its lanes resume.
    pub rendezvous_closes: Bit,
    pub warp: Bits<LW>,
    /// Waiting lanes, including the operation's lanes if they join; for a retry the operation's lanes alone.
    pub waiting_lanes: Bits<L>,
    /// All lanes in `waiting_lanes` are output.
    pub all_waiting: Bit,
    /// The rendezvous with the members `members_0` closes.
    pub closing_0: Bit,
    /// The rendezvous with the members `members_1` closes.
    pub closing_1: Bit,
    /// Member mask of the rendezvous `closing_0`.
    pub members_0: Bits<L>,
    /// Member mask of the rendezvous `closing_1`.
    pub members_1: Bits<L>,
    /// The first rendezvous is one of Elect: one of its lanes leads.
    pub elect_0: Bit,
    /// The second rendezvous is one of Elect: one of its lanes leads.
    pub elect_1: Bit,
    /// The highest lane leads.
    pub highest_leads: Bit,
}

/// Warp numbers of `LW` bits, `L` lanes.
#[block]
pub struct LaneStrobe<LW, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lane_result: Signal<In, LaneResult<LW, L>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    /// The leader of the lanes that were output in the cycle before, one-hot; 0 if none leads.
    pub leader: Signal<Out, Bits<L>>,
    /// The lanes of the second rendezvous are output in the next cycle.
    pub second_strobe_follows: Signal<Out, Bit>,
    leader_finder: Leader<L, LP>,
    /// The lanes of the second rendezvous are output as the second strobe.
    #[reset]
    second_strobe: DFF<Bit>,
    /// The lanes of the second rendezvous are selected.
    selects_second: Signal<Local, Bit>,
    /// Lanes of the rendezvous that closes.
    closed_lanes: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for LaneStrobe<LW, L, LP> {
    fn update(&mut self) {
        self.second_strobe_follows.next =
            self.lane_result.val().rendezvous_closes & self.lane_result.val().closing_0 & self.lane_result.val().closing_1;
        self.second_strobe.d.next = self.second_strobe_follows.val();
        self.selects_second.next = self.second_strobe.q.val() | !self.lane_result.val().closing_0;
        self.closed_lanes.next = self.lane_result.val().waiting_lanes & self.lane_result.val().members_0;
        self.leader_finder.requested.next = self.lane_result.val().elect_0;
        if self.selects_second.val() {
            self.closed_lanes.next = self.lane_result.val().waiting_lanes & self.lane_result.val().members_1;
            self.leader_finder.requested.next = self.lane_result.val().elect_1;
        }
        self.leader_finder.candidates.next = self.closed_lanes.val();
        self.leader_finder.highest_leads.next = self.lane_result.val().highest_leads;
        self.leader.next = self.leader_finder.leader.val();

        self.lanes.valid.next = self.lane_result.val().arrive_completes
            | self.lane_result.val().retries
            | self.lane_result.val().rendezvous_closes
            | self.second_strobe.q.val();
        self.lanes.payload.next.warp = self.lane_result.val().warp;
        self.lanes.payload.next.mask = self.closed_lanes.val();
        if self.lane_result.val().all_waiting {
            self.lanes.payload.next.mask = self.lane_result.val().waiting_lanes;
        }
        self.lanes.payload.next.leaders = 0.into();
        self.lanes.payload.next.retry = self.lane_result.val().retries;
    }
}
