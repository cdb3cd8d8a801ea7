// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the lanes of an operation, and decides what the operation does.
//!
//! *Reads:* the operation in the lookup stage, the row of its warp, which lane leads. *Writes:* the decision: the fault, or the
//! action on the lanes, the gathering and the rendezvous; for the new row, the live lanes that are not in the operation, and the
//! member mask. *Latency:* 0, no state. Implements `partial_mask` and `gather_mismatch` of `docs/contract/faults.md`, and from spec
//! 000 the barrier that the threads of a warp reach one by one, and `bar.warp.sync` with exited threads.
//!
//! All conditions on lanes are evaluated for all lanes at once, for every kind of operation; the kind then selects the conditions
//! that apply. A gathering is complete when all live lanes have joined the gathering. A rendezvous is complete when all its live
//! members have joined the rendezvous. An open gathering or rendezvous has at least one waiting lane, so the conditions of
//! completion do not test for a waiting lane.

use super::kinds::GatheredKind;
use super::lane_sets::LaneSets;
use super::payloads::{CheckFlags, Decision, OpFlags, Row};
use super::rendezvous_match::RendezvousMatch;
use crate::prelude::*;

/// The fields of an operation that are checked.
#[payload]
pub struct CheckedOp<L> {
    pub flags: OpFlags,
    pub check_flags: CheckFlags,
    pub gathers_as: GatheredKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub lanes: Bits<L>,
    /// WarpSync, Elect: the lanes that wait for each other.
    pub members: Bits<L>,
}

/// `L` lanes; contributions to a reduction, of `VW` bits.
#[block]
pub struct Check<L, VW> {
    pub op: Signal<In, CheckedOp<L>>,
    pub row: Signal<In, Row<L, VW>>,
    /// Lane that leads: 0 = the lowest, 1 = the highest.
    pub leader_policy: Signal<In, Bit>,
    pub decision: Signal<Out, Decision>,
    /// Live lanes at no rendezvous, except the lanes of the operation.
    pub other_lanes: Signal<Out, Bits<L>>,
    /// For a WarpSync or Elect: the member mask of the operation. For all others: the member mask of the first rendezvous.
    pub rendezvous_members: Signal<Out, Bits<L>>,
    lane_sets: LaneSets<L>,
    rendezvous_match: [RendezvousMatch<L>; 2],
    /// A lane of the operation waits.
    op_waits: Signal<Local, Bit>,
    /// A lane of the operation is live and at no rendezvous.
    op_present: Signal<Local, Bit>,
    /// A lane of the operation waits or is not live.
    op_stray: Signal<Local, Bit>,
    /// A gathering is open, and its kind, reduction, id or count differs from that of the operation.
    gathering_differs: Signal<Local, Bit>,
    /// The kind, reduction, id or count of the gathering in the row differs from that of the operation.
    operands_differ: Signal<Local, Bit>,
    /// For each rendezvous: the rendezvous is open and has the member mask of the operation.
    same_members: [Signal<Local, Bit>; 2],
    /// If the operation is a WarpSync or Elect, its fault is `gather_mismatch`.
    any_clash: Signal<Local, Bit>,
    /// For each rendezvous: the lanes of the operation join the rendezvous.
    joins_rendezvous: [Signal<Local, Bit>; 2],
    /// No lane outside the operation runs, and no rendezvous is open.
    no_other_lane: Signal<Local, Bit>,
}

#[block]
impl Logic for Check {
    fn update(&mut self) {
        let op = self.op.val();
        let flags = self.op.val().flags;
        let row = self.row.val();
        let gathering = self.row.val().tag.gathering_tag;
        let rendezvous = self.row.val().tag.rendezvous_tag;

        // The lanes of the operation, compared with the lanes of the row.
        self.lane_sets.lanes.next = op.lanes;
        self.lane_sets.check_flags.next = op.check_flags;
        self.lane_sets.is_warp_sync.next = flags.is_warp_sync;
        self.lane_sets.members.next = op.members;
        self.lane_sets.is_initial.next = row.is_initial;
        self.lane_sets.lane_states.next = row.lane_states;
        self.lane_sets.row_members[0].next = row.members_0;
        self.lane_sets.row_members[1].next = row.members_1;
        self.op_waits.next = self.lane_sets.op_waits.val();
        self.op_present.next = self.lane_sets.op_present.val();
        self.op_stray.next = self.lane_sets.op_stray.val();
        self.decision.next.action.others_run = self.lane_sets.others_run.val();
        self.other_lanes.next = self.lane_sets.other_lanes.val();
        self.rendezvous_members.next = self.lane_sets.rendezvous_members.val();

        // Conflicts with the row: an open gathering of another instruction; an open rendezvous with some of the operation's members and
        // another mask, or with another form (WarpSync, Elect).
        self.operands_differ.next = (gathering.kind != op.gathers_as)
            | (gathering.redop != op.redop)
            | (row.gathering.id != op.id)
            | (row.gathering.count != op.count);
        self.gathering_differs.next = gathering.open & self.operands_differ.val();
        self.rendezvous_match[0].open.next = rendezvous.open_0;
        self.rendezvous_match[0].elect.next = rendezvous.elect_0;
        self.rendezvous_match[0].members.next = row.members_0;
        self.rendezvous_match[1].open.next = rendezvous.open_1;
        self.rendezvous_match[1].elect.next = rendezvous.elect_1;
        self.rendezvous_match[1].members.next = row.members_1;
        for i in 0..2 {
            self.rendezvous_match[i].op_members.next = self.op.val().members;
            self.rendezvous_match[i].op_is_elect.next = self.op.val().flags.is_elect;
            self.same_members[i].next = self.rendezvous_match[i].same_members.val();
        }
        self.any_clash.next = op.check_flags.has_stray_lane
            | self.op_stray.val()
            | self.rendezvous_match[0].clash.val()
            | self.rendezvous_match[1].clash.val();

        // The faults of the operation's lanes.
        self.no_other_lane.next = !self.decision.val().action.others_run & !(rendezvous.open_0 | rendezvous.open_1);
        self.decision.next.faults.absent = flags.is_exit & !self.op_waits.val() & !self.op_present.val();
        self.decision.next.faults.blocked = flags.is_exit & self.op_waits.val();
        self.decision.next.all_live_lanes = self.no_other_lane.val() & !gathering.open & !self.op_stray.val();
        self.decision.next.faults.partial = op.check_flags.is_aligned & !self.decision.val().all_live_lanes;
        self.decision.next.faults.mismatch = (flags.is_gathered & (self.op_stray.val() | self.gathering_differs.val()))
            | (flags.is_warp_sync & self.any_clash.val());
        self.decision.next.action.acts_on_lanes = (flags.is_gathered & !self.op_stray.val() & !self.gathering_differs.val())
            | (flags.is_exit & !self.op_waits.val() & self.op_present.val())
            | (flags.is_warp_sync & !self.any_clash.val());

        // The rendezvous that the lanes join if there is no fault: the open rendezvous with equal members, else the first rendezvous
        // that is not open. If there is no such rendezvous, the lanes must issue again.
        self.decision.next.rendezvous.opens_0 = flags.is_warp_sync & !self.same_members[1].val() & !rendezvous.open_0;
        self.decision.next.rendezvous.opens_1 =
            flags.is_warp_sync & !self.same_members[0].val() & rendezvous.open_0 & !rendezvous.open_1;
        self.decision.next.action.retry = flags.is_warp_sync
            & !self.same_members[0].val()
            & !self.same_members[1].val()
            & rendezvous.open_0
            & rendezvous.open_1;
        self.joins_rendezvous[0].next =
            (flags.is_warp_sync & self.same_members[0].val()) | self.decision.val().rendezvous.opens_0;
        self.joins_rendezvous[1].next = (flags.is_warp_sync & !self.same_members[0].val() & self.same_members[1].val())
            | self.decision.val().rendezvous.opens_1;
        self.decision.next.highest_leads = self.leader_policy.val();

        // The gathering and the rendezvous that complete.
        self.decision.next.action.gathering_complete =
            (flags.is_gathered | (flags.is_exit & gathering.open)) & self.no_other_lane.val();
        self.decision.next.rendezvous.closing_0 =
            (self.joins_rendezvous[0].val() | (flags.is_exit & rendezvous.open_0)) & self.lane_sets.none_missing[0].val();
        self.decision.next.rendezvous.closing_1 = (self.joins_rendezvous[1].val() & self.lane_sets.none_missing[0].val())
            | (flags.is_exit & rendezvous.open_1 & self.lane_sets.none_missing[1].val());
    }
}
