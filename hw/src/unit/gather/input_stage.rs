// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input stage: takes an operation, which is in the lookup stage one cycle later.
//!
//! *Reads:* the operation, which is taken unless an operation waits in the lookup stage or the pipeline stalls. *Writes:* in the
//! same cycle the warp whose row is read next; one cycle later the operation and its requests; two cycles later the warp whose row
//! it changes. *Latency:* 1.
//!
//! An operation waits in the lookup stage while an earlier one has yet to write the same row; no operation is taken meanwhile. So
//! a row is in the memory before it is needed. In the whole unit such a wait is rare: a warp issues when its last operation is done.

use super::{
    kinds::{GatheredKind, GatheredOf},
    last::Last,
    votes::{Poll, Polled},
};
use crate::prelude::*;
use crate::unit::folded::{Fold, Folded};

/// The requests of the operation in the lookup stage. If it has a fault, `valid` alone counts.
#[payload]
pub struct Asks {
    /// There is an operation, which is passed on unless it is absorbed.
    pub valid: Bit,
    /// Launch, Release: the rows of its warps are reset.
    pub starts: Bit,
    /// Launch of at least one warp: the row of the last warp is written, because not all of its lanes may be live.
    pub writes: Bit,
    /// Exit.
    pub exit: Bit,
    /// Form Gathered, with uniform operands.
    pub gathered: Bit,
    /// Form Aligned.
    pub aligned: Bit,
    /// Form WarpSync or Elect.
    pub is_warp_sync: Bit,
    /// Form Elect.
    pub elect: Bit,
    /// An executing lane is not in the member mask.
    pub stray: Bit,
    /// The operation has an executing lane.
    pub some: Bit,
    /// All lanes of the warp execute the operation.
    pub all: Bit,
}

/// An operation in its stored form.
#[payload]
pub struct FoldedOp<W, LW, LC> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// 1 = from an instruction, 0 = from `cta_table`.
    pub from_instr: Bit,
    /// Mbarrier: an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The operation in the lookup stage.
#[payload]
pub struct Inside<W, LW, LC, L> {
    /// All 0 while the operation waits or the pipeline stalls.
    pub asks: Asks,
    pub op: FoldedOp<W, LW, LC>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
    /// Reduce, mbarrier: the votes of its lanes, partly counted.
    pub polled: Polled<L>,
    /// The operation's kind has votes: Reduce, Mbarrier.
    pub votes: Bit,
    /// The operation's kind as the kind of a gathering, if it can gather.
    pub gathers_as: GatheredKind,
    /// The operation comes from an exit: the operation that it passes on is output in `exit_pending`. Also set while it waits.
    pub from_exit: Bit,
    /// The warp whose row the operation changes: its warp, or the last warp of a Launch or Release.
    pub target: Bits<LW>,
}

/// The warps of the operations before and after the lookup stage.
#[payload]
pub struct Neighbours<LW> {
    /// An operation will be in the lookup stage in the next cycle, waiting or not.
    pub coming: Bit,
    /// The warp of that operation.
    pub next_warp: Bits<LW>,
    /// The warp whose row the operation in the commit stage changes.
    pub past: Bits<LW>,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits.
#[block]
pub struct InputStage<W, LW, LC, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// The pipeline stalls: every operation stays in its stage.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<Out, Neighbours<LW>>,
    pub inside: Signal<Out, Inside<W, LW, LC, L>>,
    /// The operation in the lookup stage waits, and none is taken.
    pub waiting: Signal<Out, Bit>,
    /// The operation in the lookup stage.
    entered: DFF<Inside<W, LW, LC, L>>,
    /// The warp whose row the operation in the commit stage changes.
    past: DFF<Bits<LW>>,
    /// An operation left the lookup stage in the last cycle.
    #[reset]
    was: DFF<Bit>,
    /// The operation in the lookup stage waits.
    #[reset]
    waits: DFF<Bit>,
    last: Last<W, LW>,
    /// An operation is taken.
    accept: Signal<Local, Bit>,
    /// The taken operation has no fault.
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    gathered_of: GatheredOf,
    exit: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    /// Executing lanes that are not in the member mask.
    outside: Signal<Local, Bits<L>>,
    poll: Poll<L, LP>,
    #[init(Fold::new(config))]
    fold: Fold<W, LC>,
    op: Signal<Local, FoldedOp<W, LW, LC>>,
    nothing: Constant<Asks>,
}

#[block]
impl Logic for InputStage<W, LW, LC, L, LP> {
    fn update(&mut self) {
        self.accept.next = self.in_.valid.val() & !self.waits.q.val() & !self.stall.val();

        // There are no requests while the operation waits or the pipeline stalls.
        self.inside.next = self.entered.q.val();
        if self.waits.q.val() | self.stall.val() {
            self.inside.next.asks = self.nothing.val();
        }

        // An operation waits until the row that it needs is written: for two cycles if the operation directly before it changes
        // that row.
        self.neighbours.next.coming = self.accept.val() | self.waits.q.val();
        self.neighbours.next.past = self.past.q.val();
        self.neighbours.next.next_warp = self.in_.payload.val().warp;
        if self.waits.q.val() {
            self.neighbours.next.next_warp = self.entered.q.val().op.warp;
        }
        self.past.d.next = self.entered.q.val().target;
        self.was.d.next = self.inside.val().asks.valid;
        self.waits.d.next = self.neighbours.val().coming
            & ((self.inside.val().asks.valid & (self.neighbours.val().next_warp == self.entered.q.val().target))
                | (self.was.q.val() & (self.neighbours.val().next_warp == self.past.q.val())));
        if self.stall.val() {
            self.waits.d.next = self.waits.q.val();
        }

        // The requests of the operation.
        self.good.next = self.accept.val() & (self.in_.payload.val().request.fault == FaultCode::None);
        self.arrival.next = self.good.val()
            & ((self.in_.payload.val().request.kind == OpKind::Sync)
                | (self.in_.payload.val().request.kind == OpKind::Arrive)
                | (self.in_.payload.val().request.kind == OpKind::Reduce)
                | (self.in_.payload.val().request.kind == OpKind::ClusterArrive)
                | (self.in_.payload.val().request.kind == OpKind::ClusterArriveRelaxed)
                | (self.in_.payload.val().request.kind == OpKind::ClusterWait));
        self.gathered_of.kind.next = self.in_.payload.val().request.kind;
        self.exit.next = self.good.val() & (self.in_.payload.val().request.kind == OpKind::Exit);
        self.starts.next =
            (self.in_.payload.val().request.kind == OpKind::Launch) | (self.in_.payload.val().request.kind == OpKind::Release);
        self.outside.next = self.in_.payload.val().lane_set.lanes & !self.in_.payload.val().lane_set.members;
        self.last.cta_warps.next = self.in_.payload.val().mask;
        self.fold.fields.next.request = self.in_.payload.val().request;
        self.fold.fields.next.mask = self.in_.payload.val().mask;
        self.fold.fields.next.mbarrier_request = self.in_.payload.val().mbarrier_request;
        self.fold.fields.next.all_live_lanes = false;
        self.fold.fields.next.destination = self.in_.payload.val().destination;
        self.op.next.folded = self.fold.folded.val();
        self.op.next.warp = self.in_.payload.val().warp;
        self.poll.lanes.next = self.in_.payload.val().lane_set.lanes;
        self.poll.yes.next = self.in_.payload.val().lane_set.votes;
        self.op.next.release = self.in_.payload.val().release;
        self.op.next.from_instr = self.in_.payload.val().from_instr;
        if !self.waits.q.val() & !self.stall.val() {
            self.entered.d.next.asks.valid = self.accept.val();
            self.entered.d.next.asks.starts = self.good.val() & self.starts.val();
            self.entered.d.next.asks.writes =
                self.good.val() & (self.in_.payload.val().request.kind == OpKind::Launch) & self.in_.payload.val().mask.any();
            self.entered.d.next.asks.exit = self.exit.val();
            self.entered.d.next.asks.gathered = self.arrival.val()
                & (self.in_.payload.val().lane_set.form == Form::Gathered)
                & self.in_.payload.val().request.uniform;
            self.entered.d.next.asks.aligned = self.arrival.val() & (self.in_.payload.val().lane_set.form == Form::Aligned);
            self.entered.d.next.asks.is_warp_sync = self.arrival.val()
                & ((self.in_.payload.val().lane_set.form == Form::WarpSync)
                    | (self.in_.payload.val().lane_set.form == Form::Elect));
            self.entered.d.next.asks.elect = self.in_.payload.val().lane_set.form == Form::Elect;
            self.entered.d.next.asks.stray = self.outside.val().any();
            self.entered.d.next.asks.some = self.in_.payload.val().lane_set.lanes.any();
            self.entered.d.next.asks.all = self.in_.payload.val().lane_set.lanes.all();
            self.entered.d.next.from_exit = !self.in_.payload.val().from_instr & (self.arrival.val() | self.exit.val());
            self.entered.d.next.op = self.op.val();
            self.entered.d.next.lanes = self.in_.payload.val().lane_set.lanes;
            self.entered.d.next.polled = self.poll.polled.val();
            self.entered.d.next.votes = (self.in_.payload.val().request.kind == OpKind::Reduce)
                | (self.in_.payload.val().request.kind == OpKind::Mbarrier);
            self.entered.d.next.members = self.in_.payload.val().lane_set.members;
            self.entered.d.next.gathers_as = self.gathered_of.gathered.val();
            self.entered.d.next.target = self.in_.payload.val().warp;
            if self.starts.val() {
                self.entered.d.next.target = self.last.index.val();
            }
        }
        self.waiting.next = self.waits.q.val();

        if self.reset.val() {
            self.entered.d.next.asks = self.nothing.val();
            self.entered.d.next.from_exit = false;
        }
    }
}
