// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves: the operations passed on, and what is known of each warp.
//!
//! *Reads:* the operation one cycle inside, what comes of the operation two cycles inside. *Writes:* the operation channel and the warps
//! (latency 1; `leaving` also shows, as a gate, whose operation may be added to it); in the same cycle, for the next one, `room`.
//!
//! An operation that finds no place in the queue stays where it is, as none follows it then.

use super::{
    effect::{Outcome, PassedOp},
    enter::Inside,
};
use crate::prelude::*;
use crate::unit::folded::Unfold;

/// What the unit says of each warp.
#[payload]
pub struct Warps<W> {
    pub swallowed: Bits<W>,
    pub gathering: Bits<W>,
    pub leaving: Bits<W>,
}

/// `W = 2^LW` warps of `L` lanes, slots of `LC` bits, contributions of `VW` bits.
#[block]
pub struct Leave<W, LW, LC, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, LC, L>>,
    pub outcome: Signal<In, Outcome<W, LW, LC, VW>>,
    /// Warps whose rows nothing has been written into since they began: none of their lanes waits.
    pub untouched: Signal<In, Bits<W>>,
    pub settled: Signal<In, Bits<W>>,
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub warps: Signal<Out, Warps<W>>,
    /// The warp whose row the operation two cycles inside changes, as a bit.
    pub own_row: Signal<Out, Bits<W>>,
    /// What is looked at in the next cycle finds a place two cycles inside; to be put into a register.
    pub room: Signal<Out, Bit>,
    queue: Pair<PassedOp<W, LW, LC, VW>>,
    #[init(Unfold::new(config))]
    unfold: Unfold<W, LC>,
    head: Signal<Local, PassedOp<W, LW, LC, VW>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    /// What is passed on has found no place.
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
impl Logic for Leave<W, LW, LC, L, VW> {
    fn update(&mut self) {
        // What is passed on.
        self.queue.pop.next = self.queue.valid.val() & self.op.ready.val();
        self.passes.next = self.outcome.val().passes | self.waits.q.val();
        self.stays.next = self.passes.val() & self.queue.full.val() & !self.queue.pop.val();
        self.waits.d.next = self.stays.val();
        self.queue.push.next = self.passes.val() & !self.stays.val();
        self.queue.data.next = self.outcome.val().op;
        self.op.valid.next = self.queue.valid.val();
        self.head.next = self.queue.head.val();
        self.unfold.folded.next = self.head.val().folded;
        self.op.payload.next.op.request = self.unfold.fields.val().request;
        self.op.payload.next.op.warp = self.head.val().warp;
        self.op.payload.next.op.value = self.head.val().folded.body.wide.get_bits::<VW>(12);
        if self.has_mbarrier.val() & (self.head.val().folded.body.kind == OpKind::Mbarrier) {
            self.op.payload.next.op.value = self.head.val().value;
        }
        self.op.payload.next.op.mask = self.unfold.fields.val().mask;
        self.op.payload.next.counted = self.head.val().counted;
        self.op.payload.next.mbarrier_request = self.unfold.fields.val().mbarrier_request;
        self.op.payload.next.release = self.head.val().release;
        self.op.payload.next.whole = self.unfold.fields.val().whole;
        self.op.payload.next.destination = self.unfold.fields.val().destination;
        self.room.next = !(self.queue.full_next.val() & (self.inside.val().asks.valid | self.stays.val()));

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
        self.known.d.next.swallowed = 0.into();
        if self.outcome.val().ends {
            self.known.d.next.swallowed = self.own.q.val();
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
        self.known.d.next.leaving = (self.known.q.val().leaving & !self.settled.val()) | self.added.val();
        self.warps.next = self.known.q.val();
        self.warps.next.leaving = self.known.q.val().leaving | self.shows.q.val() | self.next_shows.val();
    }
}
