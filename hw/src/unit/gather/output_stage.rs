// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves: the operations passed on, and what is known of each warp.
//!
//! *Reads:* the operation one cycle inside, what comes of the operation two cycles inside. *Writes:* the operation channel and the warps
//! (latency 1; `leaving` also shows, as a gate, whose operation may be added to it); in the same cycle whether all that comes behind it stays.
//!
//! An operation that finds the register taken stays where it is, and all behind it.

use super::{
    commit_stage::{Outcome, PassedOp},
    input_stage::Inside,
};
use crate::prelude::*;
use crate::unit::folded::Unfold;

/// What the unit says of each warp.
#[payload]
pub struct Warps<W> {
    pub op_absorbed: Bits<W>,
    pub gathering: Bits<W>,
    pub leaving: Bits<W>,
}

/// `W` warps of `LW` bits, `L` lanes each, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct OutputStage<W, LW, LC, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, LC, L>>,
    pub outcome: Signal<In, Outcome<W, LW, LC, VW>>,
    /// Warps whose rows nothing has been written into since they began: none of their lanes waits.
    pub untouched: Signal<In, Bits<W>>,
    pub op_done: Signal<In, Bits<W>>,
    /// What comes of the operation takes two cycles.
    pub twice: Signal<In, Bit>,
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub warps: Signal<Out, Warps<W>>,
    /// The warp whose row the operation two cycles inside changes, as a bit.
    pub own_row: Signal<Out, Bits<W>>,
    /// What is passed on finds no place unless `op` is taken; it finds none, or takes two cycles: nothing moves.
    pub full: Signal<Out, Bit>,
    pub stall: Signal<Out, Bit>,
    #[reset]
    offered: DFF<Bit>,
    passed: DFF<PassedOp<W, LW, LC, VW>>,
    #[init(Unfold::new(config))]
    unfold: Unfold<W, LC>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    /// What is passed on found no place.
    #[reset]
    waits: DFF<Bit>,
    #[reset]
    known: DFF<Warps<W>>,
    /// The warp of the operation two cycles inside, of a launch the last one, of a release none; the same if it may be added to
    /// `leaving`.
    own: DFF<Bits<W>>,
    #[reset]
    shows: DFF<Bits<W>>,
    next_own: Signal<Local, Bits<W>>,
    next_shows: Signal<Local, Bits<W>>,
    added: Signal<Local, Bits<W>>,
    passes: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for OutputStage<W, LW, LC, L, VW> {
    fn update(&mut self) {
        // What is passed on.
        self.passes.next = self.outcome.val().passes | self.waits.q.val();
        self.stays.next = self.offered.q.val() & !self.op.ready.val();
        self.full.next = self.passes.val() & self.offered.q.val();
        self.stall.next = (self.full.val() & !self.op.ready.val()) | self.twice.val();
        self.waits.d.next = self.passes.val() & self.stays.val();
        if !self.stays.val() {
            self.offered.d.next = self.passes.val();
            self.passed.d.next = self.outcome.val().op;
        }
        self.op.valid.next = self.offered.q.val();
        self.unfold.folded.next = self.passed.q.val().folded;
        self.op.payload.next.op.request = self.unfold.fields.val().request;
        self.op.payload.next.op.warp = self.passed.q.val().warp;
        self.op.payload.next.op.value = self.passed.q.val().folded.body.wide.get_bits::<VW>(12);
        if self.has_mbarrier.val() & (self.passed.q.val().folded.body.kind == OpKind::Mbarrier) {
            self.op.payload.next.op.value = self.passed.q.val().value;
        }
        self.op.payload.next.op.mask = self.unfold.fields.val().mask;
        self.op.payload.next.counted = self.passed.q.val().counted;
        self.op.payload.next.mbarrier_request = self.unfold.fields.val().mbarrier_request;
        self.op.payload.next.release = self.passed.q.val().release;
        self.op.payload.next.whole = self.unfold.fields.val().whole;
        self.op.payload.next.destination = self.unfold.fields.val().destination;

        // Whose operation it is.
        self.next_own.next = self.no_warps.val().with(self.inside.val().target, true);
        self.own.d.next = self.next_own.val();
        if self.inside.val().asks.starts & !self.inside.val().asks.writes {
            self.own.d.next = 0.into();
        }
        self.own_row.next = self.own.q.val();
        self.next_shows.next = 0.into();
        if self.inside.val().may_leave {
            self.next_shows.next = self.next_own.val();
        }
        self.shows.d.next = 0.into();
        if self.inside.val().asks.valid & self.inside.val().may_leave {
            self.shows.d.next = self.next_own.val();
        }

        // The warps.
        self.known.d.next.op_absorbed = 0.into();
        if self.outcome.val().ends {
            self.known.d.next.op_absorbed = self.own.q.val();
        }
        if self.outcome.val().acts | self.outcome.val().starts {
            self.known.d.next.gathering = self.known.q.val().gathering & !self.untouched.val() & !self.own.q.val();
            if self.outcome.val().acts & self.outcome.val().all_wait {
                self.known.d.next.gathering =
                    (self.known.q.val().gathering & !self.untouched.val() & !self.own.q.val()) | self.own.q.val();
            }
        }
        self.added.next = 0.into();
        if self.passes.val() & (self.outcome.val().op.folded.body.fault == FaultCode::None) {
            self.added.next = self.shows.q.val();
        }
        self.known.d.next.leaving = (self.known.q.val().leaving & !self.op_done.val()) | self.added.val();
        self.warps.next = self.known.q.val();
        self.warps.next.leaving = self.known.q.val().leaving | self.shows.q.val() | self.next_shows.val();
    }
}
