// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes strobe: lanes that resume, or that must issue their instruction again.
//!
//! *Reads:* the action of the lanes of the operation in the commit stage. *Writes:* the lanes strobe (a gate); one cycle later the
//! leader of the lanes in the strobe; whether two strobes are needed. *Latency:* 0 and 1. Implements the lanes strobe of
//! `docs/contract/gather.md`, and the leader of `elect.sync`.
//!
//! An Exit may close both rendezvous. The lanes of the second rendezvous then resume one cycle after those of the first, so that
//! the block needs only one search for a leader; the operation stays in the commit stage meanwhile.

use super::leader::Leader;
use super::payloads::LaneResult;
use crate::prelude::*;

/// Warp numbers of `LW` bits, `L` lanes.
#[block]
pub struct LaneStrobe<LW, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lane_result: Signal<In, LaneResult<LW, L>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    /// The leader among the lanes of the strobe of the cycle before, one-hot; 0 if no leader was requested.
    pub leader: Signal<Out, Bits<L>>,
    /// The strobe has the lanes of the second rendezvous in the next cycle.
    pub second_strobe_follows: Signal<Out, Bit>,
    leader_finder: Leader<L, LP>,
    /// The strobe has the lanes of the second rendezvous in this cycle, one cycle after those of the first.
    #[reset]
    second_strobe: DFF<Bit>,
    /// The lanes of the second rendezvous are selected, not those of the first.
    selects_second: Signal<Local, Bit>,
    /// Lanes of the selected rendezvous that wait.
    closed_lanes: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for LaneStrobe {
    fn update(&mut self) {
        let lane_result = self.lane_result.val();
        self.second_strobe_follows.next = lane_result.rendezvous_closes & lane_result.closing_0 & lane_result.closing_1;
        self.second_strobe.d.next = self.second_strobe_follows.val();
        self.selects_second.next = self.second_strobe.q.val() | !lane_result.closing_0;
        self.closed_lanes.next = lane_result.waiting_lanes & lane_result.members_0;
        self.leader_finder.requested.next = lane_result.elect_0;
        if self.selects_second.val() {
            self.closed_lanes.next = lane_result.waiting_lanes & lane_result.members_1;
            self.leader_finder.requested.next = lane_result.elect_1;
        }
        self.leader_finder.candidates.next = self.closed_lanes.val();
        self.leader_finder.highest_leads.next = lane_result.highest_leads;
        self.leader.next = self.leader_finder.leader.val();

        self.lanes.valid.next =
            lane_result.arrive_completes | lane_result.retries | lane_result.rendezvous_closes | self.second_strobe.q.val();
        self.lanes.payload.next.warp = lane_result.warp;
        self.lanes.payload.next.mask = self.closed_lanes.val();
        if lane_result.all_waiting {
            self.lanes.payload.next.mask = lane_result.waiting_lanes;
        }
        self.lanes.payload.next.leaders = 0.into();
        self.lanes.payload.next.retry = lane_result.retries;
    }
}
