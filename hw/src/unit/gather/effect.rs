// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes of an operation, one cycle after its row: what is passed on, whose lanes go on, who leads them.
//!
//! *Reads:* the operation one cycle inside and what was decided about it. *Writes:* the operation to pass on, what the strobes show, what
//! changes of its warp, the row that it made. *Latency:* 1.
//!
//! The operation and its row stay here until another is looked at; all else has its effect once. What lanes add to a reduction is added up
//! while the row is written: a piece adds to what the pieces before it have added.

use super::{
    enter::{Asks, FoldedOp, Inside},
    judge::Decision,
    leader::Leaders,
    rows::Row,
    votes::Votes,
};
use crate::prelude::*;
use crate::unit::folded::Folded;

/// An operation as it is passed on.
#[payload]
pub struct PassedOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// Mbarrier: how many lanes execute it.
    pub value: Bits<VW>,
    pub counted: Bit,
    /// Mbarrier: an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// What comes of the operation two cycles inside.
#[payload]
pub struct Outcome<W, LW, LC, VW> {
    /// The operation, with the fault found here, or what a gathering makes.
    pub op: PassedOp<W, LW, LC, VW>,
    /// It is passed on.
    pub passes: Bit,
    /// Its instruction ends here.
    pub ends: Bit,
    /// It starts its warps anew.
    pub starts: Bit,
    /// It acts on its warp's row; it writes a row.
    pub acts: Bit,
    pub writes: Bit,
    /// The warp has live lanes, and all of them wait.
    pub all_wait: Bit,
}

/// `W = 2^LW` warps of `L` lanes, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct Effect<W, LW, LC, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, LC, L>>,
    pub decision: Signal<In, Decision<L, VW>>,
    pub outcome: Signal<Out, Outcome<W, LW, LC, VW>>,
    /// The row that it made.
    pub made: Signal<Out, Row<L, VW>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    pub gone: StrobeOut<WarpExit<LW>>,
    #[reset]
    asks: DFF<Asks>,
    op: DFF<FoldedOp<W, LW, LC, L>>,
    decided: DFF<Decision<L, VW>>,
    votes: Votes<L, VW>,
    /// What its own lanes add to a reduction; 0 for kinds without votes.
    own: DFF<Bits<VW>>,
    kept: Signal<Local, Bits<VW>>,
    added: Signal<Local, Bits<VW>>,
    total: Signal<Local, Bits<VW>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    lead: Leaders<L>,
    acts: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    retry: Signal<Local, Bit>,
    gathered: Signal<Local, Bit>,
    closing: [Signal<Local, Bit>; 2],
    woken: Signal<Local, Bits<L>>,
    awake: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for Effect<W, LW, LC, L, VW> {
    fn update(&mut self) {
        self.asks.d.next = self.inside.val().asks;
        if self.inside.val().asks.valid {
            self.op.d.next = self.inside.val().op;
            self.decided.d.next = self.decision.val();
            self.own.d.next = 0.into();
            if self.inside.val().votes {
                self.own.d.next = self.votes.value.val();
            }
        }
        self.votes.polled.next = self.inside.val().polled;
        self.votes.redop.next = self.inside.val().op.folded.body.redop;

        // The row, and the sum of its votes: AND and OR are one bit each.
        self.made.next = self.decided.q.val().row;
        self.kept.next = 0.into();
        if self.decided.q.val().acts {
            self.kept.next = self.decided.q.val().row.masks.sum;
        }
        self.added.next = self.own.q.val();
        if (self.op.q.val().folded.body.redop != RedOp::Popc) & self.kept.val().get_bit(0) {
            self.added.next = 0.into();
        }
        self.total.next = self.kept.val() + self.added.val();
        self.made.next.masks.sum = self.total.val();

        // What is passed on.
        self.acts.next = self.asks.q.val().valid & self.decided.q.val().acts;
        self.gathered.next = self.decided.q.val().acts & self.decided.q.val().complete;
        self.gone.valid.next = self.acts.val() & self.decided.q.val().gone;
        self.outcome.next.passes =
            (self.asks.q.val().valid & (!self.decided.q.val().acts | self.gathered.val())) | self.gone.valid.val();
        self.outcome.next.op.folded = self.op.q.val().folded;
        self.outcome.next.op.warp = self.op.q.val().warp;
        self.outcome.next.op.counted = self.op.q.val().counted;
        self.outcome.next.op.release = self.op.q.val().release;
        self.outcome.next.op.folded.of_mbarrier.whole = self.decided.q.val().whole;
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
        if self.gathered.val() {
            self.outcome.next.op.folded.body.kind = self.made.val().tag.kind;
            self.outcome.next.op.folded.body.uniform = true;
            self.outcome.next.op.folded.body.id = self.made.val().tag.id;
            self.outcome.next.op.folded.body.wide = bit_cast::<32, 12>(self.made.val().masks.count);
            self.outcome.next.op.folded.body.redop = self.made.val().tag.redop;
        }
        // What is added stands above the count, where no arrival has anything else.
        if self.gathered.val() | (self.op.q.val().folded.body.kind == OpKind::Reduce) {
            self.outcome.next.op.folded.body.wide =
                self.outcome.val().op.folded.body.wide | (bit_cast::<32, VW>(self.total.val()) << 12);
        }
        self.outcome.next.op.value = 0.into();
        if self.has_mbarrier.val() {
            self.outcome.next.op.value = self.own.q.val();
        }

        // The lanes that go on.
        self.arrives.next = self.acts.val()
            & self.decided.q.val().complete
            & ((self.made.val().tag.kind == OpKind::Arrive)
                | (self.made.val().tag.kind == OpKind::ClusterArrive)
                | (self.made.val().tag.kind == OpKind::ClusterArriveRelaxed));
        self.retry.next = self.acts.val() & self.decided.q.val().retry;
        self.closing[0].next = self.acts.val() & self.decided.q.val().closing_0;
        self.closing[1].next = self.acts.val() & self.decided.q.val().closing_1;
        self.woken.next = 0.into();
        self.lead.sets[0].next = 0.into();
        self.lead.sets[1].next = 0.into();
        if self.closing[0].val() {
            self.woken.next = self.made.val().masks.at_0 & !self.made.val().masks.at_1;
        }
        if self.closing[1].val() {
            self.woken.next = self.woken.val() | (self.made.val().masks.at_1 & !self.made.val().masks.at_0);
        }
        if self.decided.q.val().closing_0 & self.made.val().tag.elect_0 {
            self.lead.sets[0].next = self.made.val().masks.at_0 & !self.made.val().masks.at_1;
        }
        if self.decided.q.val().closing_1 & self.made.val().tag.elect_1 {
            self.lead.sets[1].next = self.made.val().masks.at_1 & !self.made.val().masks.at_0;
        }
        self.lead.highest.next = self.decided.q.val().highest;
        self.lanes.valid.next = self.arrives.val() | self.closing[0].val() | self.closing[1].val() | self.retry.val();
        self.lanes.payload.next.warp = self.op.q.val().warp;
        self.lanes.payload.next.mask = self.woken.val();
        if self.arrives.val() {
            self.lanes.payload.next.mask = self.woken.val() | (self.made.val().masks.at_0 & self.made.val().masks.at_1);
        }
        if self.decided.q.val().retry {
            self.lanes.payload.next.mask = self.op.q.val().lanes;
        }
        self.lanes.payload.next.leaders = self.lead.leaders.val();
        self.lanes.payload.next.retry = self.retry.val();

        // The warp.
        self.gone.payload.next.warp = self.op.q.val().warp;
        self.awake.next =
            self.made.val().masks.live & (self.woken.val() | !(self.made.val().masks.at_0 | self.made.val().masks.at_1));
        self.outcome.next.all_wait =
            self.made.val().masks.live.any() & !self.awake.val().any() & !self.decided.q.val().complete;
        self.outcome.next.acts = self.acts.val();
        self.outcome.next.starts = self.asks.q.val().starts;
        self.outcome.next.writes = self.acts.val() | self.asks.q.val().writes;
        self.outcome.next.ends = self.asks.q.val().valid & self.op.q.val().counted & !self.outcome.val().passes;
    }
}
