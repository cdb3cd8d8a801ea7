// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commit stage: determines the operation to pass on, the new row of its warp, and the action of its lanes.
//!
//! *Reads:* the operation in the lookup stage, its row, and the decision about it. *Writes:* the operation to pass on, the
//! changes of its warp, the new row, the lanes that resume. *Latency:* 1.
//!
//! The operation and its row stay in this stage until the next operation arrives; the effects last one cycle, marked by `valid`.
//! The votes are added up while the row is written: each operation adds those of its lanes to the sum of the gathering.

use super::{
    check::Decision,
    input_stage::{FoldedOp, LookupOp, OpFlags},
    kinds::{GatheredKind, KindOf},
    lane_strobe::LaneResult,
    rows::{Gathering, NextRow, Row, Tag},
    votes::Votes,
};
use crate::prelude::*;
use crate::unit::folded::Folded;

/// An operation in the form in which it is passed on.
#[payload]
pub struct PassedOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// Mbarrier: the number of lanes that execute it.
    pub value: Bits<VW>,
    /// 1 = caused by an instruction.
    pub from_instr: Bit,
    /// Mbarrier: an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The effects of the operation in the commit stage.
#[payload]
pub struct Outcome<W, LW, LC, VW> {
    /// The operation to pass on, with the fault that this unit found; or the operation of the gathering that completes.
    pub op: PassedOp<W, LW, LC, VW>,
    /// An operation is passed on.
    pub passes_op: Bit,
    /// The operation comes from an instruction, and no operation is passed on.
    pub absorbs_op: Bit,
    /// Launch or Release: the rows of its warps are reset.
    pub resets_rows: Bit,
    /// The operation joins, exits or retries.
    pub acts_on_lanes: Bit,
    /// The operation writes a row.
    pub writes_row: Bit,
    /// All live lanes of the warp wait, and at least one lane is live.
    pub all_lanes_wait: Bit,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct CommitStage<W, LW, LC, L, LP, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, LC, L>>,
    pub row: Signal<In, Row<L, VW>>,
    pub decision: Signal<In, Decision>,
    /// Live lanes at no rendezvous, without those of the operation.
    pub other_lanes: Signal<In, Bits<L>>,
    /// Member mask: that of the operation for a WarpSync or Elect, else that of the first rendezvous.
    pub rendezvous_members: Signal<In, Bits<L>>,
    pub outcome: Signal<Out, Outcome<W, LW, LC, VW>>,
    /// The new row.
    pub next_row: Signal<Out, NextRow<L, VW>>,
    /// The action of the operation's lanes.
    pub lane_result: Signal<Out, LaneResult<LW, L>>,
    pub warp_exited: StrobeOut<WarpExit<LW>>,
    /// The operation entered in the last cycle: it takes effect now.
    #[reset]
    valid: DFF<Bit>,
    commit_flags: DFF<OpFlags>,
    commit_op: DFF<FoldedOp<W, LW, LC>>,
    commit_decision: DFF<Decision>,
    /// Waiting lanes, including the operation's lanes if they join; for a retry the operation's lanes alone.
    waiting_lanes: DFF<Bits<L>>,
    /// Live lanes at no rendezvous afterwards, without the lanes of a rendezvous that closes.
    not_in_rendezvous: DFF<Bits<L>>,
    /// Member mask `rendezvous_members`.
    members_0: DFF<Bits<L>>,
    /// Member mask of the second rendezvous.
    members_1: DFF<Bits<L>>,
    gathering: DFF<Gathering>,
    gathers_as: DFF<GatheredKind>,
    kind_of: KindOf,
    tag: DFF<Tag<VW>>,
    votes: Votes<L, LP, VW>,
    /// The votes of the operation's lanes as a number; 0 for kinds without votes.
    op_votes: DFF<Bits<VW>>,
    /// Sum of the votes of the gathering so far.
    sum_before: Signal<Local, Bits<VW>>,
    /// The part of that sum that the operation adds.
    added_votes: Signal<Local, Bits<VW>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    acts_on_lanes: Signal<Local, Bit>,
    shared_bits: Signal<Local, Bits<32>>,
    /// A gathering completes.
    gathering_completes: Signal<Local, Bit>,
    /// An Exit completes a gathering.
    exit_completes: Signal<Local, Bit>,
    /// The rendezvous with the members `members_0`, and that with the members `members_1`, closes.
    closing: [Signal<Local, Bit>; 2],
    next_waiting_lanes: Signal<Local, Bits<L>>,
    next_not_in_rendezvous: Signal<Local, Bits<L>>,
    /// Members of each rendezvous that closes.
    closed_masks: [Signal<Local, Bits<L>>; 2],
    /// Members of both rendezvous that close.
    closed_members: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for CommitStage<W, LW, LC, L, LP, VW> {
    fn update(&mut self) {
        // The state of the lanes while the operation is in the commit stage.
        self.next_waiting_lanes.next = self.row.val().lane_states.waiting_lanes;
        if self.row.val().is_initial | self.lookup_op.val().flags.resets_rows | self.decision.val().retry {
            self.next_waiting_lanes.next = 0.into();
        }
        if self.lookup_op.val().flags.is_gathered | self.lookup_op.val().flags.is_warp_sync {
            self.next_waiting_lanes.next = self.next_waiting_lanes.val() | self.lookup_op.val().lanes;
        }
        self.next_not_in_rendezvous.next = self.other_lanes.val();
        if self.lookup_op.val().flags.resets_rows {
            self.next_not_in_rendezvous.next = 0.into();
        }
        if self.lookup_op.val().flags.is_gathered | self.lookup_op.val().flags.resets_rows {
            self.next_not_in_rendezvous.next = self.next_not_in_rendezvous.val() | self.lookup_op.val().lanes;
        }

        self.valid.d.next = self.lookup_op.val().flags.valid;
        if self.lookup_op.val().flags.valid {
            self.commit_flags.d.next = self.lookup_op.val().flags;
            self.commit_op.d.next = self.lookup_op.val().op;
            self.commit_decision.d.next = self.decision.val();
            self.waiting_lanes.d.next = self.next_waiting_lanes.val();
            self.not_in_rendezvous.d.next = self.next_not_in_rendezvous.val();
            self.members_0.d.next = self.rendezvous_members.val();
            self.members_1.d.next = self.row.val().members_1;
            self.gathering.d.next = self.row.val().gathering;
            self.gathers_as.d.next = self.lookup_op.val().gathers_as;
            self.tag.d.next = self.row.val().tag;
            self.op_votes.d.next = 0.into();
            if self.lookup_op.val().has_votes {
                self.op_votes.d.next = self.votes.value.val();
            }
        }
        self.votes.polled.next = self.lookup_op.val().polled;
        self.votes.redop.next = self.lookup_op.val().op.folded.body.redop;

        // The effects of the operation.
        self.acts_on_lanes.next = self.valid.q.val() & self.commit_decision.q.val().acts_on_lanes;
        self.gathering_completes.next =
            self.commit_decision.q.val().acts_on_lanes & self.commit_decision.q.val().gathering_complete;
        self.exit_completes.next = self.gathering_completes.val() & self.commit_flags.q.val().is_exit;
        self.closing[0].next = self.commit_decision.q.val().closing_0
            | (self.commit_decision.q.val().closing_1 & self.commit_flags.q.val().is_warp_sync);
        self.closing[1].next = self.commit_decision.q.val().closing_1 & !self.commit_flags.q.val().is_warp_sync;

        // The lanes.
        self.closed_masks[0].next = 0.into();
        self.closed_masks[1].next = 0.into();
        if self.closing[0].val() {
            self.closed_masks[0].next = self.members_0.q.val();
        }
        if self.closing[1].val() {
            self.closed_masks[1].next = self.members_1.q.val();
        }
        self.closed_members.next = self.closed_masks[0].val() | self.closed_masks[1].val();
        self.next_row.next.lane_states.waiting_lanes = self.waiting_lanes.q.val() & !self.closed_members.val();
        if self.commit_decision.q.val().gathering_complete {
            self.next_row.next.lane_states.waiting_lanes = 0.into();
        }
        self.next_row.next.lane_states.not_in_rendezvous =
            self.not_in_rendezvous.q.val() | (self.waiting_lanes.q.val() & self.closed_members.val());

        // The open gathering and rendezvous, and the sum of the votes: AND and OR are one bit each.
        self.next_row.next.opens_gathering = self.commit_flags.q.val().is_gathered & !self.tag.q.val().open;
        self.next_row.next.opens_0 = self.commit_decision.q.val().opens_0;
        self.next_row.next.opens_1 = self.commit_decision.q.val().opens_1;
        self.next_row.next.members = self.members_0.q.val();
        self.next_row.next.gathering.id = self.commit_op.q.val().folded.body.id;
        self.next_row.next.gathering.count = self.commit_op.q.val().folded.body.shared_bits.get_bits::<12>(0);
        self.next_row.next.tag = self.tag.q.val();
        if !self.tag.q.val().open {
            self.next_row.next.tag.kind = self.gathers_as.q.val();
            self.next_row.next.tag.redop = self.commit_op.q.val().folded.body.redop;
        }
        self.next_row.next.tag.open = (self.tag.q.val().open | self.commit_flags.q.val().is_gathered)
            & !self.commit_decision.q.val().gathering_complete
            & !self.commit_flags.q.val().resets_rows;
        self.next_row.next.tag.open_0 = (self.tag.q.val().open_0 | self.commit_decision.q.val().opens_0)
            & !self.commit_decision.q.val().closing_0
            & !self.commit_flags.q.val().resets_rows;
        self.next_row.next.tag.open_1 = (self.tag.q.val().open_1 | self.commit_decision.q.val().opens_1)
            & !self.commit_decision.q.val().closing_1
            & !self.commit_flags.q.val().resets_rows;
        if self.commit_decision.q.val().opens_0 {
            self.next_row.next.tag.elect_0 = self.commit_flags.q.val().is_elect;
        }
        if self.commit_decision.q.val().opens_1 {
            self.next_row.next.tag.elect_1 = self.commit_flags.q.val().is_elect;
        }
        self.sum_before.next = 0.into();
        if self.commit_decision.q.val().acts_on_lanes & self.tag.q.val().open {
            self.sum_before.next = self.tag.q.val().sum;
        }
        self.added_votes.next = self.op_votes.q.val();
        if (self.commit_op.q.val().folded.body.redop != RedOp::Popc) & self.sum_before.val().get_bit(0) {
            self.added_votes.next = 0.into();
        }
        self.next_row.next.tag.sum = self.sum_before.val() + self.added_votes.val();

        // The operation to pass on.
        self.warp_exited.valid.next = self.acts_on_lanes.val()
            & self.commit_flags.q.val().is_exit
            & !self.commit_decision.q.val().others_run
            & !(self.tag.q.val().open | self.tag.q.val().open_0 | self.tag.q.val().open_1);
        self.outcome.next.passes_op = (self.valid.q.val()
            & (!self.commit_decision.q.val().acts_on_lanes | self.gathering_completes.val()))
            | self.warp_exited.valid.val();
        self.outcome.next.op.folded = self.commit_op.q.val().folded;
        self.outcome.next.op.warp = self.commit_op.q.val().warp;
        self.outcome.next.op.from_instr = self.commit_op.q.val().from_instr;
        self.outcome.next.op.release = self.commit_op.q.val().release;
        self.outcome.next.op.folded.mbarrier_body.all_live_lanes = self.commit_decision.q.val().all_live_lanes;
        if self.commit_decision.q.val().mismatch {
            self.outcome.next.op.folded.body.fault = FaultCode::GatherMismatch;
        }
        if self.commit_decision.q.val().partial {
            self.outcome.next.op.folded.body.fault = FaultCode::PartialMask;
        }
        if self.commit_decision.q.val().blocked {
            self.outcome.next.op.folded.body.fault = FaultCode::WarpBlocked;
        }
        if self.commit_decision.q.val().absent {
            self.outcome.next.op.folded.body.fault = FaultCode::NotResident;
        }
        self.kind_of.gathered.next = self.tag.q.val().kind;
        // An operation that completes a gathering has the gathering's operands; an Exit that completes one takes them from the row.
        // The sum of the votes is stored above the count.
        self.shared_bits.next = self.commit_op.q.val().folded.body.shared_bits;
        if self.exit_completes.val() {
            self.outcome.next.op.folded.body.kind = self.kind_of.kind.val();
            self.outcome.next.op.folded.body.uniform = true;
            self.outcome.next.op.folded.body.id = self.gathering.q.val().id;
            for i in 0..12 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(i, self.gathering.q.val().count.get_bit(i));
            }
            self.outcome.next.op.folded.body.redop = self.tag.q.val().redop;
        }
        if self.exit_completes.val() | (self.commit_op.q.val().folded.body.kind == OpKind::Reduce) {
            for j in 0..VW {
                self.shared_bits.next = self.shared_bits.val().replace_bit(j + 12, self.next_row.val().tag.sum.get_bit(j));
            }
        }
        self.outcome.next.op.folded.body.shared_bits = self.shared_bits.val();
        self.outcome.next.op.value = 0.into();
        if self.has_mbarrier.val() {
            self.outcome.next.op.value = self.op_votes.q.val();
        }

        // The lanes that resume.
        self.lane_result.next.arrive_completes = self.acts_on_lanes.val()
            & self.commit_decision.q.val().gathering_complete
            & ((self.outcome.val().op.folded.body.kind == OpKind::Arrive)
                | (self.outcome.val().op.folded.body.kind == OpKind::ClusterArrive)
                | (self.outcome.val().op.folded.body.kind == OpKind::ClusterArriveRelaxed));
        self.lane_result.next.retries = self.acts_on_lanes.val() & self.commit_decision.q.val().retry;
        self.lane_result.next.rendezvous_closes = self.acts_on_lanes.val() & (self.closing[0].val() | self.closing[1].val());
        self.lane_result.next.warp = self.commit_op.q.val().warp;
        self.lane_result.next.waiting_lanes = self.waiting_lanes.q.val();
        self.lane_result.next.all_waiting =
            self.commit_decision.q.val().gathering_complete | self.commit_decision.q.val().retry;
        self.lane_result.next.closing_0 = self.closing[0].val();
        self.lane_result.next.closing_1 = self.closing[1].val();
        self.lane_result.next.members_0 = self.members_0.q.val();
        self.lane_result.next.members_1 = self.members_1.q.val();
        self.lane_result.next.elect_0 = (self.commit_flags.q.val().is_warp_sync & self.commit_flags.q.val().is_elect)
            | (!self.commit_flags.q.val().is_warp_sync & self.tag.q.val().elect_0 & self.closing[0].val());
        self.lane_result.next.elect_1 = self.closing[1].val() & self.tag.q.val().elect_1;
        self.lane_result.next.highest_leads = self.commit_decision.q.val().highest_leads;

        // The warp.
        self.warp_exited.payload.next.warp = self.commit_op.q.val().warp;
        self.outcome.next.all_lanes_wait = !self.commit_decision.q.val().others_run
            & !self.warp_exited.valid.val()
            & !self.commit_decision.q.val().retry
            & !self.commit_decision.q.val().gathering_complete
            & !self.commit_decision.q.val().closing_0
            & !self.commit_decision.q.val().closing_1;
        self.outcome.next.acts_on_lanes = self.acts_on_lanes.val();
        self.outcome.next.resets_rows = self.valid.q.val() & self.commit_flags.q.val().resets_rows;
        self.outcome.next.writes_row = (self.acts_on_lanes.val() & !self.commit_decision.q.val().retry)
            | (self.valid.q.val() & self.commit_flags.q.val().writes_last_row);
        self.outcome.next.absorbs_op = self.valid.q.val() & self.commit_op.q.val().from_instr & !self.outcome.val().passes_op;
    }
}
