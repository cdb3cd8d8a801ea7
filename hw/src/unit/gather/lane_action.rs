// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The action of the lanes of the operation in the commit stage: which of them resume or must issue again.
//!
//! *Reads:* the flags of the operation and the decision about it; the kind of the operation that is passed on; the lanes that
//! wait; the member masks of the rendezvous. *Writes:* the action, for the lanes strobe. *Latency:* 0, no state. Implements
//! *Completion* of `docs/contract/gather.md`.

use super::payloads::{Action, LaneResult, OpFlags, RendezvousTag};
use crate::prelude::*;

/// Warp numbers of `LW` bits, `L` lanes.
#[block]
pub struct LaneAction<LW, L> {
    /// The operation joins, exits or retries in this cycle.
    pub acts_on_lanes: Signal<In, Bit>,
    pub flags: Signal<In, OpFlags>,
    pub action: Signal<In, Action>,
    /// Kind of the operation that is passed on.
    pub passed_kind: Signal<In, OpKind>,
    pub warp: Signal<In, Bits<LW>>,
    /// The operation's lanes.
    pub op_lanes: Signal<In, Bits<L>>,
    /// Waiting lanes, with the operation's lanes if they join. For a retry: meaningless.
    pub waiting_lanes: Signal<In, Bits<L>>,
    /// The members of the two rendezvous that may close.
    pub members: [Signal<In, Bits<L>>; 2],
    /// The rendezvous whose member mask has the same index closes.
    pub closing: [Signal<In, Bit>; 2],
    /// The rendezvous before the operation.
    pub rendezvous_tag: Signal<In, RendezvousTag>,
    /// 1 = the highest lane leads, 0 = the lowest.
    pub highest_leads: Signal<In, Bit>,
    pub lane_result: Signal<Out, LaneResult<LW, L>>,
    /// The operation that is passed on is an arrive, so its warp does not wait.
    is_arrive: Signal<Local, Bit>,
}

#[block]
impl Logic for LaneAction {
    fn update(&mut self) {
        let flags = self.flags.val();
        let action = self.action.val();
        let tag = self.rendezvous_tag.val();
        self.is_arrive.next = (self.passed_kind.val() == OpKind::Arrive)
            | (self.passed_kind.val() == OpKind::ClusterArrive)
            | (self.passed_kind.val() == OpKind::ClusterArriveRelaxed);
        self.lane_result.next.arrive_completes = self.acts_on_lanes.val() & action.gathering_complete & self.is_arrive.val();
        self.lane_result.next.retries = self.acts_on_lanes.val() & action.retry;
        self.lane_result.next.rendezvous_closes = self.acts_on_lanes.val() & (self.closing[0].val() | self.closing[1].val());
        self.lane_result.next.warp = self.warp.val();
        self.lane_result.next.waiting_lanes = self.waiting_lanes.val();
        if action.retry {
            self.lane_result.next.waiting_lanes = self.op_lanes.val();
        }
        self.lane_result.next.all_waiting = action.gathering_complete | action.retry;
        self.lane_result.next.closing_0 = self.closing[0].val();
        self.lane_result.next.closing_1 = self.closing[1].val();
        self.lane_result.next.members_0 = self.members[0].val();
        self.lane_result.next.members_1 = self.members[1].val();
        self.lane_result.next.elect_0 =
            (flags.is_warp_sync & flags.is_elect) | (!flags.is_warp_sync & tag.elect_0 & self.closing[0].val());
        self.lane_result.next.elect_1 = self.closing[1].val() & tag.elect_1;
        self.lane_result.next.highest_leads = self.highest_leads.val();
    }
}
