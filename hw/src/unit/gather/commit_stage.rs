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
    input_stage::{Asks, FoldedOp, Inside},
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
    pub passes: Bit,
    /// The operation comes from an instruction, and no operation is passed on.
    pub ends: Bit,
    /// Launch or Release: the rows of its warps are reset.
    pub starts: Bit,
    /// The operation joins, exits or retries.
    pub acts: Bit,
    /// The operation writes a row.
    pub writes: Bit,
    /// All live lanes of the warp wait, and at least one lane is live.
    pub all_wait: Bit,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct CommitStage<W, LW, LC, L, LP, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, LC, L>>,
    pub row: Signal<In, Row<L, VW>>,
    pub decision: Signal<In, Decision>,
    /// Live lanes at no rendezvous, without those of the operation.
    pub others: Signal<In, Bits<L>>,
    /// Member mask: that of the operation for a WarpSync or Elect, else that of the first rendezvous.
    pub sought: Signal<In, Bits<L>>,
    pub outcome: Signal<Out, Outcome<W, LW, LC, VW>>,
    /// The new row.
    pub next_row: Signal<Out, NextRow<L, VW>>,
    /// The action of the operation's lanes.
    pub lane_result: Signal<Out, LaneResult<LW, L>>,
    pub warp_exited: StrobeOut<WarpExit<LW>>,
    /// The operation entered in the last cycle: it takes effect now.
    #[reset]
    valid: DFF<Bit>,
    asks: DFF<Asks>,
    op: DFF<FoldedOp<W, LW, LC>>,
    decided: DFF<Decision>,
    /// Waiting lanes, including the operation's lanes if they join; for a retry the operation's lanes alone.
    here: DFF<Bits<L>>,
    /// Live lanes at no rendezvous afterwards, without the lanes of a rendezvous that closes.
    stays: DFF<Bits<L>>,
    /// Member mask `sought`.
    members_0: DFF<Bits<L>>,
    /// Member mask of the second rendezvous.
    members_1: DFF<Bits<L>>,
    gathering: DFF<Gathering>,
    gathers_as: DFF<GatheredKind>,
    kind_of: KindOf,
    tag: DFF<Tag<VW>>,
    votes: Votes<L, LP, VW>,
    /// The votes of the operation's lanes as a number; 0 for kinds without votes.
    own: DFF<Bits<VW>>,
    /// Sum of the votes of the gathering so far.
    kept: Signal<Local, Bits<VW>>,
    /// The part of that sum that the operation adds.
    added: Signal<Local, Bits<VW>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    acts: Signal<Local, Bit>,
    wide: Signal<Local, Bits<32>>,
    /// A gathering completes.
    gathered: Signal<Local, Bit>,
    /// An Exit completes a gathering.
    completes: Signal<Local, Bit>,
    /// The rendezvous with the members `members_0`, and that with the members `members_1`, closes.
    closing: [Signal<Local, Bit>; 2],
    next_here: Signal<Local, Bits<L>>,
    next_stays: Signal<Local, Bits<L>>,
    /// Members of each rendezvous that closes.
    closed: [Signal<Local, Bits<L>>; 2],
    /// Members of both rendezvous that close.
    closed_members: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for CommitStage<W, LW, LC, L, LP, VW> {
    fn update(&mut self) {
        // The state of the lanes while the operation is in the commit stage.
        self.next_here.next = self.row.val().places.waits;
        if self.row.val().is_initial | self.inside.val().asks.starts | self.decision.val().retry {
            self.next_here.next = 0.into();
        }
        if self.inside.val().asks.gathered | self.inside.val().asks.is_warp_sync {
            self.next_here.next = self.next_here.val() | self.inside.val().lanes;
        }
        self.next_stays.next = self.others.val();
        if self.inside.val().asks.starts {
            self.next_stays.next = 0.into();
        }
        if self.inside.val().asks.gathered | self.inside.val().asks.starts {
            self.next_stays.next = self.next_stays.val() | self.inside.val().lanes;
        }

        self.valid.d.next = self.inside.val().asks.valid;
        if self.inside.val().asks.valid {
            self.asks.d.next = self.inside.val().asks;
            self.op.d.next = self.inside.val().op;
            self.decided.d.next = self.decision.val();
            self.here.d.next = self.next_here.val();
            self.stays.d.next = self.next_stays.val();
            self.members_0.d.next = self.sought.val();
            self.members_1.d.next = self.row.val().members_1;
            self.gathering.d.next = self.row.val().gathering;
            self.gathers_as.d.next = self.inside.val().gathers_as;
            self.tag.d.next = self.row.val().tag;
            self.own.d.next = 0.into();
            if self.inside.val().votes {
                self.own.d.next = self.votes.value.val();
            }
        }
        self.votes.polled.next = self.inside.val().polled;
        self.votes.redop.next = self.inside.val().op.folded.body.redop;

        // The effects of the operation.
        self.acts.next = self.valid.q.val() & self.decided.q.val().acts;
        self.gathered.next = self.decided.q.val().acts & self.decided.q.val().complete;
        self.completes.next = self.gathered.val() & self.asks.q.val().exit;
        self.closing[0].next =
            self.decided.q.val().closing_0 | (self.decided.q.val().closing_1 & self.asks.q.val().is_warp_sync);
        self.closing[1].next = self.decided.q.val().closing_1 & !self.asks.q.val().is_warp_sync;

        // The lanes.
        self.closed[0].next = 0.into();
        self.closed[1].next = 0.into();
        if self.closing[0].val() {
            self.closed[0].next = self.members_0.q.val();
        }
        if self.closing[1].val() {
            self.closed[1].next = self.members_1.q.val();
        }
        self.closed_members.next = self.closed[0].val() | self.closed[1].val();
        self.next_row.next.places.waits = self.here.q.val() & !self.closed_members.val();
        if self.decided.q.val().complete {
            self.next_row.next.places.waits = 0.into();
        }
        self.next_row.next.places.not_in_rendezvous = self.stays.q.val() | (self.here.q.val() & self.closed_members.val());

        // The open gathering and rendezvous, and the sum of the votes: AND and OR are one bit each.
        self.next_row.next.opens = self.asks.q.val().gathered & !self.tag.q.val().open;
        self.next_row.next.opens_0 = self.decided.q.val().opens_0;
        self.next_row.next.opens_1 = self.decided.q.val().opens_1;
        self.next_row.next.members = self.members_0.q.val();
        self.next_row.next.gathering.id = self.op.q.val().folded.body.id;
        self.next_row.next.gathering.count = self.op.q.val().folded.body.wide.get_bits::<12>(0);
        self.next_row.next.tag = self.tag.q.val();
        if !self.tag.q.val().open {
            self.next_row.next.tag.kind = self.gathers_as.q.val();
            self.next_row.next.tag.redop = self.op.q.val().folded.body.redop;
        }
        self.next_row.next.tag.open =
            (self.tag.q.val().open | self.asks.q.val().gathered) & !self.decided.q.val().complete & !self.asks.q.val().starts;
        self.next_row.next.tag.open_0 = (self.tag.q.val().open_0 | self.decided.q.val().opens_0)
            & !self.decided.q.val().closing_0
            & !self.asks.q.val().starts;
        self.next_row.next.tag.open_1 = (self.tag.q.val().open_1 | self.decided.q.val().opens_1)
            & !self.decided.q.val().closing_1
            & !self.asks.q.val().starts;
        if self.decided.q.val().opens_0 {
            self.next_row.next.tag.elect_0 = self.asks.q.val().elect;
        }
        if self.decided.q.val().opens_1 {
            self.next_row.next.tag.elect_1 = self.asks.q.val().elect;
        }
        self.kept.next = 0.into();
        if self.decided.q.val().acts & self.tag.q.val().open {
            self.kept.next = self.tag.q.val().sum;
        }
        self.added.next = self.own.q.val();
        if (self.op.q.val().folded.body.redop != RedOp::Popc) & self.kept.val().get_bit(0) {
            self.added.next = 0.into();
        }
        self.next_row.next.tag.sum = self.kept.val() + self.added.val();

        // The operation to pass on.
        self.warp_exited.valid.next = self.acts.val()
            & self.asks.q.val().exit
            & !self.decided.q.val().others_run
            & !(self.tag.q.val().open | self.tag.q.val().open_0 | self.tag.q.val().open_1);
        self.outcome.next.passes =
            (self.valid.q.val() & (!self.decided.q.val().acts | self.gathered.val())) | self.warp_exited.valid.val();
        self.outcome.next.op.folded = self.op.q.val().folded;
        self.outcome.next.op.warp = self.op.q.val().warp;
        self.outcome.next.op.from_instr = self.op.q.val().from_instr;
        self.outcome.next.op.release = self.op.q.val().release;
        self.outcome.next.op.folded.of_mbarrier.all_live_lanes = self.decided.q.val().all_live_lanes;
        if self.decided.q.val().mismatch {
            self.outcome.next.op.folded.body.fault = FaultCode::GatherMismatch;
        }
        if self.decided.q.val().partial {
            self.outcome.next.op.folded.body.fault = FaultCode::PartialMask;
        }
        if self.decided.q.val().blocked {
            self.outcome.next.op.folded.body.fault = FaultCode::WarpBlocked;
        }
        if self.decided.q.val().absent {
            self.outcome.next.op.folded.body.fault = FaultCode::NotResident;
        }
        self.kind_of.gathered.next = self.tag.q.val().kind;
        // An operation that completes a gathering has the gathering's operands; an Exit that completes one takes them from the row.
        // The sum of the votes is stored above the count.
        self.wide.next = self.op.q.val().folded.body.wide;
        if self.completes.val() {
            self.outcome.next.op.folded.body.kind = self.kind_of.kind.val();
            self.outcome.next.op.folded.body.uniform = true;
            self.outcome.next.op.folded.body.id = self.gathering.q.val().id;
            for i in 0..12 {
                self.wide.next = self.wide.val().replace_bit(i, self.gathering.q.val().count.get_bit(i));
            }
            self.outcome.next.op.folded.body.redop = self.tag.q.val().redop;
        }
        if self.completes.val() | (self.op.q.val().folded.body.kind == OpKind::Reduce) {
            for j in 0..VW {
                self.wide.next = self.wide.val().replace_bit(j + 12, self.next_row.val().tag.sum.get_bit(j));
            }
        }
        self.outcome.next.op.folded.body.wide = self.wide.val();
        self.outcome.next.op.value = 0.into();
        if self.has_mbarrier.val() {
            self.outcome.next.op.value = self.own.q.val();
        }

        // The lanes that resume.
        self.lane_result.next.arrives = self.acts.val()
            & self.decided.q.val().complete
            & ((self.outcome.val().op.folded.body.kind == OpKind::Arrive)
                | (self.outcome.val().op.folded.body.kind == OpKind::ClusterArrive)
                | (self.outcome.val().op.folded.body.kind == OpKind::ClusterArriveRelaxed));
        self.lane_result.next.retries = self.acts.val() & self.decided.q.val().retry;
        self.lane_result.next.closes = self.acts.val() & (self.closing[0].val() | self.closing[1].val());
        self.lane_result.next.warp = self.op.q.val().warp;
        self.lane_result.next.here = self.here.q.val();
        self.lane_result.next.all = self.decided.q.val().complete | self.decided.q.val().retry;
        self.lane_result.next.closing_0 = self.closing[0].val();
        self.lane_result.next.closing_1 = self.closing[1].val();
        self.lane_result.next.members_0 = self.members_0.q.val();
        self.lane_result.next.members_1 = self.members_1.q.val();
        self.lane_result.next.elect_0 = (self.asks.q.val().is_warp_sync & self.asks.q.val().elect)
            | (!self.asks.q.val().is_warp_sync & self.tag.q.val().elect_0 & self.closing[0].val());
        self.lane_result.next.elect_1 = self.closing[1].val() & self.tag.q.val().elect_1;
        self.lane_result.next.highest = self.decided.q.val().highest;

        // The warp.
        self.warp_exited.payload.next.warp = self.op.q.val().warp;
        self.outcome.next.all_wait = !self.decided.q.val().others_run
            & !self.warp_exited.valid.val()
            & !self.decided.q.val().retry
            & !self.decided.q.val().complete
            & !self.decided.q.val().closing_0
            & !self.decided.q.val().closing_1;
        self.outcome.next.acts = self.acts.val();
        self.outcome.next.starts = self.valid.q.val() & self.asks.q.val().starts;
        self.outcome.next.writes =
            (self.acts.val() & !self.decided.q.val().retry) | (self.valid.q.val() & self.asks.q.val().writes);
        self.outcome.next.ends = self.valid.q.val() & self.op.q.val().from_instr & !self.outcome.val().passes;
    }
}
