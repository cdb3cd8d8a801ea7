// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the lanes of an operation, and decides what the operation does.
//!
//! *Reads:* the operation in the lookup stage, the row of its warp, which lane leads. *Writes:* the decision. *Latency:* 0, no
//! state. Implements `partial_mask` and `gather_mismatch` of `docs/contract/faults.md`, the barrier that a warp's threads reach one by one
//! in spec 000, and `bar.warp.sync` with exited threads.
//!
//! All conditions on lanes are evaluated for all lanes at once, for every kind of operation; the relevant ones are selected last. A
//! gathering is complete when all live lanes are in it, a rendezvous when all its live members are. The lanes of the operation are
//! never missing, whether they join or exit. An open gathering or rendezvous has at least one waiting lane, so this is not checked.

use super::{input_stage::OpFlags, kinds::GatheredKind, rows::Row};
use crate::prelude::*;

/// The fault or the action of an operation.
#[payload]
pub struct Decision {
    /// Fault `not_resident`: no lane of the Exit is live. At most one of the four faults is set.
    pub absent: Bit,
    /// Fault `warp_blocked`: a lane of the Exit waits.
    pub blocked: Bit,
    /// Fault `partial_mask`.
    pub partial: Bit,
    /// Fault `gather_mismatch`.
    pub mismatch: Bit,
    /// The operation joins, exits or retries, and is not passed on unchanged. The fields below, but `all_live_lanes`, count only then.
    pub acts_on_lanes: Bit,
    /// The operation's lanes are all live lanes of the warp, and none of them waits.
    pub all_live_lanes: Bit,
    /// No rendezvous is free for its lanes: the lanes must issue again.
    pub retry: Bit,
    /// Lanes other than those of the operation run.
    pub others_run: Bit,
    /// The gathering is complete.
    pub gathering_complete: Bit,
    /// The first rendezvous is complete.
    pub closing_0: Bit,
    /// The second rendezvous is complete.
    pub closing_1: Bit,
    /// The operation opens the first rendezvous.
    pub opens_0: Bit,
    /// The operation opens the second rendezvous.
    pub opens_1: Bit,
    /// The highest lane leads.
    pub highest_leads: Bit,
}

/// The fields of an operation that are checked.
#[payload]
pub struct CheckedOp<L> {
    pub flags: OpFlags,
    pub gathers_as: GatheredKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
}

/// `L` lanes, contributions of `VW` bits.
#[block]
pub struct Check<L, VW> {
    pub op: Signal<In, CheckedOp<L>>,
    pub row: Signal<In, Row<L, VW>>,
    /// Lane that leads: 0 = the lowest, 1 = the highest.
    pub leader_policy: Signal<In, Bit>,
    pub decision: Signal<Out, Decision>,
    /// Live lanes at no rendezvous, without those of the operation.
    pub other_lanes: Signal<Out, Bits<L>>,
    /// Member mask: that of the operation for a WarpSync or Elect, else that of the first rendezvous.
    pub rendezvous_members: Signal<Out, Bits<L>>,
    /// Lanes of the operation that wait.
    op_waiting_lanes: Signal<Local, Bits<L>>,
    /// Lanes of the operation that are live and at no rendezvous.
    op_not_in_rendezvous: Signal<Local, Bits<L>>,
    /// Lanes of the operation that have exited or are at a rendezvous.
    op_unavailable_lanes: Signal<Local, Bits<L>>,
    /// A lane of the operation waits.
    op_waits: Signal<Local, Bit>,
    /// A lane of the operation is live and at no rendezvous.
    op_present: Signal<Local, Bit>,
    /// A lane of the operation waits or is not live.
    op_stray: Signal<Local, Bit>,
    /// A gathering with another operation is open.
    gathering_differs: Signal<Local, Bit>,
    /// By rendezvous: members in common with the operation.
    shared_members: [Signal<Local, Bits<L>>; 2],
    /// By rendezvous: it has the member mask of the operation.
    equal_members: [Signal<Local, Bit>; 2],
    /// By rendezvous: it is open and has that member mask.
    same_rendezvous: [Signal<Local, Bit>; 2],
    /// By rendezvous: it is open, shares members, and has another mask or form.
    clash: [Signal<Local, Bit>; 2],
    any_clash: Signal<Local, Bit>,
    /// By rendezvous: the lanes of the operation join it.
    joins_rendezvous: [Signal<Local, Bit>; 2],
    /// Other lanes that run.
    other_running: Signal<Local, Bits<L>>,
    /// Missing lanes: of `rendezvous_members`, and of those of the second rendezvous.
    missing_lanes: [Signal<Local, Bits<L>>; 2],
    /// No lane is in `missing_lanes`.
    none_missing: [Signal<Local, Bit>; 2],
    /// A rendezvous is open.
    rendezvous_open: Signal<Local, Bit>,
    /// No other lane runs, and no rendezvous is open.
    no_other_lane: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for Check<L, VW> {
    fn update(&mut self) {
        // The lanes of the operation: whether one waits, whether one is live and at no rendezvous, whether one waits or is not live.
        self.op_waiting_lanes.next = self.op.val().lanes & self.row.val().lane_states.waiting_lanes;
        self.op_not_in_rendezvous.next = self.op.val().lanes & self.row.val().lane_states.not_in_rendezvous;
        self.op_unavailable_lanes.next = self.op.val().lanes & !self.row.val().lane_states.not_in_rendezvous;
        self.op_waits.next = self.op_waiting_lanes.val().any() & !self.row.val().is_initial;
        self.op_present.next = self.op_not_in_rendezvous.val().any();
        if self.row.val().is_initial {
            self.op_present.next = self.op.val().flags.any_lane;
        }
        self.op_stray.next = self.op_waits.val() | (self.op_unavailable_lanes.val().any() & !self.row.val().is_initial);

        // All other lanes: whether one runs, and which members are missing.
        self.other_lanes.next = self.row.val().lane_states.not_in_rendezvous & !self.op.val().lanes;
        if self.row.val().is_initial {
            self.other_lanes.next = self.every_lane.val() & !self.op.val().lanes;
        }
        self.other_running.next = self.other_lanes.val() & !self.row.val().lane_states.waiting_lanes;
        self.decision.next.others_run = self.other_running.val().any();
        if self.row.val().is_initial {
            self.decision.next.others_run = !self.op.val().flags.all_lanes;
        }
        self.rendezvous_members.next = self.row.val().members_0;
        if self.op.val().flags.is_warp_sync {
            self.rendezvous_members.next = self.op.val().members;
        }
        self.missing_lanes[0].next = self.other_lanes.val() & self.rendezvous_members.val();
        self.missing_lanes[1].next = self.other_lanes.val() & self.row.val().members_1;
        self.none_missing[0].next = !self.missing_lanes[0].val().any();
        self.none_missing[1].next = !self.missing_lanes[1].val().any();

        // Conflicts with its row: another gathering; a rendezvous that shares some of the members.
        self.gathering_differs.next = self.row.val().tag.open
            & ((self.row.val().tag.kind != self.op.val().gathers_as)
                | (self.row.val().tag.redop != self.op.val().redop)
                | (self.row.val().gathering.id != self.op.val().id)
                | (self.row.val().gathering.count != self.op.val().count));
        self.equal_members[0].next = self.row.val().members_0 == self.op.val().members;
        self.equal_members[1].next = self.row.val().members_1 == self.op.val().members;
        self.shared_members[0].next = self.row.val().members_0 & self.op.val().members;
        self.shared_members[1].next = self.row.val().members_1 & self.op.val().members;
        self.same_rendezvous[0].next = self.row.val().tag.open_0 & self.equal_members[0].val();
        self.same_rendezvous[1].next = self.row.val().tag.open_1 & self.equal_members[1].val();
        self.clash[0].next = self.row.val().tag.open_0
            & self.shared_members[0].val().any()
            & (!self.equal_members[0].val() | (self.row.val().tag.elect_0 ^ self.op.val().flags.is_elect));
        self.clash[1].next = self.row.val().tag.open_1
            & self.shared_members[1].val().any()
            & (!self.equal_members[1].val() | (self.row.val().tag.elect_1 ^ self.op.val().flags.is_elect));
        self.any_clash.next =
            self.op.val().flags.has_stray_lane | self.op_stray.val() | self.clash[0].val() | self.clash[1].val();

        // The faults.
        self.rendezvous_open.next = self.row.val().tag.open_0 | self.row.val().tag.open_1;
        self.no_other_lane.next = !self.decision.val().others_run & !self.rendezvous_open.val();
        self.decision.next.absent = self.op.val().flags.is_exit & !self.op_waits.val() & !self.op_present.val();
        self.decision.next.blocked = self.op.val().flags.is_exit & self.op_waits.val();
        self.decision.next.all_live_lanes = self.no_other_lane.val() & !self.row.val().tag.open & !self.op_stray.val();
        self.decision.next.partial = self.op.val().flags.is_aligned & !self.decision.val().all_live_lanes;
        self.decision.next.mismatch = (self.op.val().flags.is_gathered & (self.op_stray.val() | self.gathering_differs.val()))
            | (self.op.val().flags.is_warp_sync & self.any_clash.val());
        self.decision.next.acts_on_lanes =
            (self.op.val().flags.is_gathered & !self.op_stray.val() & !self.gathering_differs.val())
                | (self.op.val().flags.is_exit & !self.op_waits.val() & self.op_present.val())
                | (self.op.val().flags.is_warp_sync & !self.any_clash.val());

        // The target of the lanes if there is no fault: the rendezvous of the same members, or the first one that is not open.
        self.decision.next.opens_0 =
            self.op.val().flags.is_warp_sync & !self.same_rendezvous[1].val() & !self.row.val().tag.open_0;
        self.decision.next.opens_1 = self.op.val().flags.is_warp_sync
            & !self.same_rendezvous[0].val()
            & self.row.val().tag.open_0
            & !self.row.val().tag.open_1;
        self.decision.next.retry = self.op.val().flags.is_warp_sync
            & !self.same_rendezvous[0].val()
            & !self.same_rendezvous[1].val()
            & self.row.val().tag.open_0
            & self.row.val().tag.open_1;
        self.joins_rendezvous[0].next =
            (self.op.val().flags.is_warp_sync & self.same_rendezvous[0].val()) | self.decision.val().opens_0;
        self.joins_rendezvous[1].next =
            (self.op.val().flags.is_warp_sync & !self.same_rendezvous[0].val() & self.same_rendezvous[1].val())
                | self.decision.val().opens_1;
        self.decision.next.highest_leads = self.leader_policy.val();

        // The gathering and the rendezvous that complete.
        self.decision.next.gathering_complete = (self.op.val().flags.is_gathered
            | (self.op.val().flags.is_exit & self.row.val().tag.open))
            & self.no_other_lane.val();
        self.decision.next.closing_0 = (self.joins_rendezvous[0].val()
            | (self.op.val().flags.is_exit & self.row.val().tag.open_0))
            & self.none_missing[0].val();
        self.decision.next.closing_1 = (self.joins_rendezvous[1].val() & self.none_missing[0].val())
            | (self.op.val().flags.is_exit & self.row.val().tag.open_1 & self.none_missing[1].val());
    }
}
