// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes strobe: lanes that resume, or that must issue their instruction again.
//!
//! *Reads:* the action of the lanes of the operation in the commit stage. *Writes:* one cycle later the lanes strobe; two
//! cycles later the leader of the lanes in the strobe; in the same cycle whether two strobes are needed. *Latency:* 1 and 2. Implements
//! the lanes strobe of `docs/contract/gather.md`, and the leader of `elect.sync`.
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
    lanes_register: StrobeRegister<LaneRelease<LW, L>>,
    /// The lanes in `lanes_register` are of a rendezvous of form Elect.
    requested: DFF<Bit>,
    /// The leader of the lanes in `lanes_register` is 1 = the highest, 0 = the lowest.
    highest_leads: DFF<Bit>,
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
        self.requested.d.next = lane_result.elect_0;
        if self.selects_second.val() {
            self.closed_lanes.next = lane_result.waiting_lanes & lane_result.members_1;
            self.requested.d.next = lane_result.elect_1;
        }
        self.highest_leads.d.next = lane_result.highest_leads;

        self.lanes_register.in_.valid.next =
            lane_result.arrive_completes | lane_result.retries | lane_result.rendezvous_closes | self.second_strobe.q.val();
        self.lanes_register.in_.payload.next.warp = lane_result.warp;
        self.lanes_register.in_.payload.next.mask = self.closed_lanes.val();
        if lane_result.all_waiting {
            self.lanes_register.in_.payload.next.mask = lane_result.waiting_lanes;
        }
        self.lanes_register.in_.payload.next.leaders = 0.into();
        self.lanes_register.in_.payload.next.retry = lane_result.retries;
        Strobe::join(&mut self.lanes_register.out, &mut self.lanes);

        // The leader of the lanes in the register. A retry and the lanes of a gathering request none.
        self.leader_finder.requested.next = self.requested.q.val();
        self.leader_finder.candidates.next = self.lanes_register.out.payload.val().mask;
        self.leader_finder.highest_leads.next = self.highest_leads.q.val();
        self.leader.next = self.leader_finder.leader.val();
    }
}
