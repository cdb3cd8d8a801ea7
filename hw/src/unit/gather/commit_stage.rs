// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commit stage: registers with an operation and the row of its warp, and the effects of that operation.
//!
//! *Reads:* the operation in the lookup stage, its row, and the decision about it. *Writes:* the operation to pass on, the effects
//! on its warp, the new row, the lanes that resume. *Latency:* 1. Implements the part of *Cycles* of `docs/contract/gather.md`
//! after the evaluation.
//!
//! The operation and its row stay in this stage until the next operation arrives. They take effect in one cycle only, in which
//! `valid` is 1.

use super::effects::OpEffects;
use super::joined_lanes::JoinedLanes;
use super::kinds::GatheredKind;
use super::lane_action::LaneAction;
use super::outgoing_op::OutgoingOp;
use super::payloads::{Decision, Effects, FoldedOp, LookupOp, OpFlags, PassedOp};
use super::payloads::{Gathering, LaneResult, LaneStates, NextRow, Row, Tag};
use super::released_lanes::ReleasedLanes;
use super::tag_update::TagUpdate;
use super::votes::Votes;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `L` lanes each (`LP`: `L` rounded up to a multiple of four), CTA slots with numbers of `LC`
/// bits, contributions to a reduction of `VW` bits.
#[block]
pub struct CommitStage<W, LW, LC, L, LP, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, LC, L>>,
    pub row: Signal<In, Row<L, VW>>,
    pub decision: Signal<In, Decision>,
    /// Live lanes at no rendezvous, except the lanes of the operation.
    pub other_lanes: Signal<In, Bits<L>>,
    /// For a WarpSync or Elect: the member mask of the operation. For all others: the member mask of the first rendezvous.
    pub rendezvous_members: Signal<In, Bits<L>>,
    /// The operation to pass on, with the fault that this unit found; or the operation of the gathering that completes.
    pub passed_op: Signal<Out, PassedOp<W, LW, LC, VW>>,
    pub effects: Signal<Out, Effects>,
    /// The row after the operation.
    pub next_row: Signal<Out, NextRow<L, VW>>,
    /// The action of the operation's lanes.
    pub lane_result: Signal<Out, LaneResult<LW, L>>,
    pub warp_exited: StrobeOut<WarpExit<LW>>,
    /// An operation entered this stage at the last clock edge, and takes effect in this cycle.
    #[reset]
    valid: DFF<Bit>,
    commit_flags: DFF<OpFlags>,
    commit_op: DFF<FoldedOp<W, LW, LC>>,
    commit_decision: DFF<Decision>,
    /// The state of the warp's lanes after the operation's lanes have joined.
    commit_lanes: DFF<LaneStates<L>>,
    /// The operation's lanes.
    op_lanes: DFF<Bits<L>>,
    /// Register of `rendezvous_members`.
    members_0: DFF<Bits<L>>,
    /// Member mask of the second rendezvous.
    members_1: DFF<Bits<L>>,
    gathering: DFF<Gathering>,
    gathers_as: DFF<GatheredKind>,
    tag: DFF<Tag<VW>>,
    /// Two numbers, whose sum is the contribution of the operation's lanes to a reduction; 0 for kinds without votes.
    op_votes: [DFF<Bits<VW>>; 2],
    joined_lanes: JoinedLanes<L>,
    votes: Votes<L, LP, VW>,
    op_effects: OpEffects<VW>,
    released_lanes: ReleasedLanes<L>,
    tag_update: TagUpdate<VW>,
    #[init(OutgoingOp::new(config))]
    outgoing_op: OutgoingOp<W, LW, LC, VW>,
    lane_action: LaneAction<LW, L>,
}

#[block]
impl Logic for CommitStage {
    fn update(&mut self) {
        let lookup = self.lookup_op.val();
        let row = self.row.val();
        let flags = self.commit_flags.q.val();
        let body = self.commit_op.q.val().folded.body;
        let decision = self.commit_decision.q.val();
        let tag = self.tag.q.val();

        // The registers of this stage, which the operation in the lookup stage fills.
        self.joined_lanes.flags.next = lookup.flags;
        self.joined_lanes.lanes.next = lookup.lanes;
        self.joined_lanes.is_initial.next = row.is_initial;
        self.joined_lanes.waiting_before.next = row.lane_states.waiting_lanes;
        self.joined_lanes.other_lanes.next = self.other_lanes.val();
        self.votes.polled.next = lookup.polled;
        self.votes.redop.next = lookup.op.folded.body.redop;
        self.valid.d.next = lookup.flags.valid;
        if lookup.flags.valid {
            self.commit_flags.d.next = lookup.flags;
            self.commit_op.d.next = lookup.op;
            self.commit_decision.d.next = self.decision.val();
            self.commit_lanes.d.next = self.joined_lanes.lane_states.val();
            self.op_lanes.d.next = lookup.lanes;
            self.members_0.d.next = self.rendezvous_members.val();
            self.members_1.d.next = row.members_1;
            self.gathering.d.next = row.gathering;
            self.gathers_as.d.next = lookup.gathers_as;
            self.tag.d.next = row.tag;
            for j in 0..2 {
                self.op_votes[j].d.next = 0.into();
                if lookup.has_votes {
                    self.op_votes[j].d.next = self.votes.parts[j].val();
                }
            }
        }

        // The effects of the operation.
        self.op_effects.valid.next = self.valid.q.val();
        self.op_effects.flags.next = flags;
        self.op_effects.from_instr.next = self.commit_op.q.val().from_instr;
        self.op_effects.action.next = decision.action;
        self.op_effects.change.next = decision.rendezvous;
        self.op_effects.tag.next = tag;
        self.effects.next = self.op_effects.effects.val();
        self.warp_exited.valid.next = self.op_effects.warp_exits.val();
        self.warp_exited.payload.next.warp = self.commit_op.q.val().warp;

        // The new row.
        self.released_lanes.joined_lanes.next = self.commit_lanes.q.val();
        self.released_lanes.gathering_complete.next = decision.action.gathering_complete;
        self.released_lanes.members[0].next = self.members_0.q.val();
        self.released_lanes.members[1].next = self.members_1.q.val();
        self.lane_action.members[0].next = self.members_0.q.val();
        self.lane_action.members[1].next = self.members_1.q.val();
        for i in 0..2 {
            self.released_lanes.closing[i].next = self.op_effects.closing[i].val();
            self.lane_action.closing[i].next = self.op_effects.closing[i].val();
            self.tag_update.op_votes[i].next = self.op_votes[i].q.val();
        }
        self.tag_update.tag.next = tag;
        self.tag_update.flags.next = flags;
        self.tag_update.action.next = decision.action;
        self.tag_update.change.next = decision.rendezvous;
        self.tag_update.gathers_as.next = self.gathers_as.q.val();
        self.tag_update.redop.next = body.redop;
        self.next_row.next.lane_states = self.released_lanes.lane_states.val();
        self.next_row.next.tag = self.tag_update.next_tag.val();
        self.next_row.next.opens_gathering = self.tag_update.opens_gathering.val();
        self.next_row.next.gathering.id = body.id;
        self.next_row.next.gathering.count = self.commit_op.q.val().folded.body.shared_bits.get_bits::<12>(0);
        self.next_row.next.opens_0 = decision.rendezvous.opens_0;
        self.next_row.next.opens_1 = decision.rendezvous.opens_1;
        self.next_row.next.members = self.members_0.q.val();

        // The operation to pass on, and the lanes that resume.
        self.outgoing_op.commit_op.next = self.commit_op.q.val();
        self.outgoing_op.faults.next = decision.faults;
        self.outgoing_op.all_live_lanes.next = decision.all_live_lanes;
        self.outgoing_op.exit_completes.next = self.op_effects.exit_completes.val();
        self.outgoing_op.gathered_kind.next = tag.gathering_tag.kind;
        self.outgoing_op.gathered_redop.next = tag.gathering_tag.redop;
        self.outgoing_op.gathering.next = self.gathering.q.val();
        self.outgoing_op.sum.next = self.tag_update.next_tag.val().gathering_tag.sum;
        self.passed_op.next = self.outgoing_op.op.val();
        self.lane_action.acts_on_lanes.next = self.op_effects.effects.val().acts_on_lanes;
        self.lane_action.flags.next = flags;
        self.lane_action.action.next = decision.action;
        self.lane_action.passed_kind.next = self.outgoing_op.op.val().folded.body.kind;
        self.lane_action.warp.next = self.commit_op.q.val().warp;
        self.lane_action.op_lanes.next = self.op_lanes.q.val();
        self.lane_action.waiting_lanes.next = self.commit_lanes.q.val().waiting_lanes;
        self.lane_action.rendezvous_tag.next = tag.rendezvous_tag;
        self.lane_action.highest_leads.next = decision.highest_leads;
        self.lane_result.next = self.lane_action.lane_result.val();
    }
}
