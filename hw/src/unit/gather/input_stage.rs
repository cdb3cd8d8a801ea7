// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What enters: the operation that is taken, one cycle later inside.
//!
//! *Reads:* the operation, which is taken unless one waits here or nothing moves. *Writes:* in the same cycle who comes next; one
//! cycle later the operation and what it asks for; two cycles later whose row it changes. *Latency:* 1.
//!
//! An operation whose warp's row is still to be written by one before it waits here, and nothing is taken meanwhile. So no row is ever needed before it is in the memory. In the whole unit that is rare: a warp issues when its last operation is
//! through.

use super::{
    kinds::{GatheredKind, GatheredOf},
    last::Last,
    votes::{Poll, Polled},
};
use crate::prelude::*;
use crate::unit::folded::{Fold, Folded};

/// What an operation without a fault asks for; all 0 for one with a fault and for none.
#[payload]
pub struct Asks {
    /// To be looked at: it is passed on unless it is absorbed.
    pub valid: Bit,
    /// Launch, Release: rows begin anew.
    pub starts: Bit,
    /// Launch of some warps: the last one's row is written, as not all of its lanes may be live.
    pub writes: Bit,
    pub exit: Bit,
    /// Gathered, with operands that agree.
    pub gathered: Bit,
    pub aligned: Bit,
    /// WarpSync, Elect.
    pub among: Bit,
    pub elect: Bit,
    /// An executing lane is not among the members.
    pub stray: Bit,
    /// It has a lane; it has all.
    pub some: Bit,
    pub all: Bit,
}

/// An operation as it is kept.
#[payload]
pub struct FoldedOp<W, LW, LC> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    pub counted: Bit,
    /// Mbarrier: an arrival that waits for the accesses before it.
    pub release: Bit,
}

/// The operation one cycle inside.
#[payload]
pub struct Inside<W, LW, LC, L> {
    /// Nothing is asked while it waits.
    pub asks: Asks,
    pub op: FoldedOp<W, LW, LC>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
    /// Reduce, mbarrier: the lanes' votes.
    pub polled: Polled<L>,
    /// Its kind has votes.
    pub votes: Bit,
    /// Its kind, if it gathers.
    pub gathers_as: GatheredKind,
    /// What it makes, also if it still waits, may be what an exit has caused.
    pub may_leave: Bit,
    /// The warp whose row it changes: its own; of a launch the last one.
    pub target: Bits<LW>,
}

/// Who comes before and after the operation one cycle inside.
#[payload]
pub struct Neighbours<LW> {
    /// An operation will be one cycle inside in the next cycle, looked at or not.
    pub coming: Bit,
    /// Its warp.
    pub next_warp: Bits<LW>,
    /// The warp whose row the operation two cycles inside changes.
    pub past: Bits<LW>,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits.
#[block]
pub struct InputStage<W, LW, LC, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<LaneOp<W, LW, LC, L>>,
    /// What is inside stays where it is.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<Out, Neighbours<LW>>,
    pub inside: Signal<Out, Inside<W, LW, LC, L>>,
    /// The operation inside is not looked at, and none is taken.
    pub waiting: Signal<Out, Bit>,
    entered: DFF<Inside<W, LW, LC, L>>,
    past: DFF<Bits<LW>>,
    /// An operation was looked at in the last cycle.
    #[reset]
    was: DFF<Bit>,
    #[reset]
    waits: DFF<Bit>,
    last: Last<W, LW>,
    accept: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    gathered_of: GatheredOf,
    exit: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
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

        // Nothing is asked while it waits.
        self.inside.next = self.entered.q.val();
        if self.waits.q.val() | self.stall.val() {
            self.inside.next.asks = self.nothing.val();
        }

        // It waits until what was looked at before it is in the memory: for two cycles if that is of its own warp.
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

        // What it asks for.
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
        self.fold.fields.next.whole = false;
        self.fold.fields.next.destination = self.in_.payload.val().destination;
        self.op.next.folded = self.fold.folded.val();
        self.op.next.warp = self.in_.payload.val().warp;
        self.poll.lanes.next = self.in_.payload.val().lane_set.lanes;
        self.poll.yes.next = self.in_.payload.val().lane_set.votes;
        self.op.next.release = self.in_.payload.val().release;
        self.op.next.counted = self.in_.payload.val().counted;
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
            self.entered.d.next.asks.among = self.arrival.val()
                & ((self.in_.payload.val().lane_set.form == Form::WarpSync)
                    | (self.in_.payload.val().lane_set.form == Form::Elect));
            self.entered.d.next.asks.elect = self.in_.payload.val().lane_set.form == Form::Elect;
            self.entered.d.next.asks.stray = self.outside.val().any();
            self.entered.d.next.asks.some = self.in_.payload.val().lane_set.lanes.any();
            self.entered.d.next.asks.all = self.in_.payload.val().lane_set.lanes.all();
            self.entered.d.next.may_leave = !self.in_.payload.val().counted & (self.arrival.val() | self.exit.val());
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
            self.entered.d.next.may_leave = false;
        }
    }
}
