// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether an operation may change its row.
//!
//! *Reads:* the operation one cycle inside, with its row, its CTA's entry and whether its warp waits. *Writes:* one cycle later whether it
//! changes its row or its warp's state, and what stood against it (latency 1); in the same cycle whether its row will be written. Implements
//! the fault table of `docs/faults.md`, as far as it asks for rows and CTAs: what specs 000 to 002 call undefined, unpredictable or a
//! run-time exception.
//!
//! Whether its warp has arrived is known last, so everything is decided for both answers before.

use super::masks::Warps;
use super::stops::Stopped;
use super::Inside;
use crate::payload::payload;
use crate::prim::least::AtLeast;
use crate::unit::op::FaultCode;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What stands against an operation, and what it does.
#[payload]
pub struct Against {
    /// Its id is not declared, and must be.
    pub undeclared: Bit,
    /// Its count exceeds the CTA; the row is of another reduction.
    pub exceeds: Bit,
    pub unlike: Bit,
    /// The warp has arrived.
    pub again: Bit,
    /// Nothing: its row changes. The warp's state is written.
    pub changes: Bit,
    pub restores: Bit,
    /// Something does, or it has a fault from upstream.
    pub opposed: Bit,
}

/// What an operation does if its warp has arrived, or if it has not.
#[payload]
pub struct Answer {
    pub row_changes: Bit,
    pub warp_changes: Bit,
    pub rebuffed: Bit,
}

/// `W` warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, numbers of ids in `IW` bits, sums of `AW` bits.
#[block]
pub struct Judge<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<LW, CW, LC, IW, AW>>,
    pub warps: Signal<In, Warps<W>>,
    pub stopped: Signal<In, Stopped>,
    /// Its row will be written.
    pub writes: Signal<Out, Bit>,
    pub against: Signal<Out, Against>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    kept: DFF<Against>,
    held: DFF<Bit>,
    forced: DFF<Bit>,
    checks: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    rejoins: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    differs: Signal<Local, Bit>,
    apart: Signal<Local, Bit>,
    soon: Signal<Local, Bit>,
    coded: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    if_held: Signal<Local, Bit>,
    if_forced: Signal<Local, Bit>,
    yes: Signal<Local, Answer>,
    no: Signal<Local, Answer>,
    answer: Signal<Local, Answer>,
}

#[block]
impl Logic for Judge<W, LW, CW, LC, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.checks.next = self.inside.val().parts.faults;
        self.arrives.next = self.inside.val().step.arrives;
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.rejoins.next = self.writes_warp.val() & self.inside.val().numbers.waits;

        // Its row and its CTA.
        self.apart.next = (self.inside.val().look.read_expected != self.inside.val().numbers.wanted)
            | (self.inside.val().look.read_reduction != self.inside.val().numbers.wanted_reduction);
        self.differs.next = (self.inside.val().look.kept_expected != self.inside.val().numbers.wanted)
            | (self.inside.val().look.kept_reduction != self.inside.val().numbers.wanted_reduction);
        if !self.inside.val().look.forwarded {
            self.differs.next = self.apart.val();
        }
        self.apart.next = self.inside.val().row.open & self.arrives.val() & self.differs.val();
        self.above_ids.a.next = bit_cast::<5, 4>(self.inside.val().op.row_id);
        self.above_ids.b.next = bit_cast::<5, IW>(self.inside.val().sizes.barriers);
        self.outside.next = self.above_ids.yes.val();
        self.above_warps.a.next = self.inside.val().numbers.before_last;
        self.above_warps.b.next = self.inside.val().sizes.warps;
        self.exceeds.next = self.inside.val().numbers.counted
            & (self.arrives.val() | self.writes_row.val() | self.writes_warp.val())
            & self.above_warps.yes.val();
        self.within_live.a.next = self.inside.val().present.live;
        self.within_live.b.next = self.inside.val().numbers.steps;
        // What is known early stands apart from what comes late.
        self.soon.next = self.checks.val()
            & ((self.inside.val().flaw.flawed & self.inside.val().step.acts)
                | (self.writes_warp.val() & self.stopped.val().waits_now)
                | (self.writes_row.val() & self.inside.val().row.open & self.inside.val().row.awaited));
        self.stands.next = self.checks.val()
            & (self.apart.val()
                | ((self.inside.val().step.named | self.rejoins.val()) & self.outside.val())
                | self.exceeds.val()
                | (self.writes_row.val() & !self.inside.val().numbers.counted & !self.within_live.yes.val()));

        // Both answers: to whether the row changes, and the warp's state.
        self.coded.next = self.inside.val().step.acts & (self.inside.val().op.code != FaultCode::None);
        self.if_held.next = self.checks.val() & self.inside.val().row.open & self.warps.val().held;
        self.if_forced.next = self.checks.val() & self.inside.val().row.open & self.warps.val().forced;
        self.yes.next.row_changes =
            self.writes_row.val() | (self.arrives.val() & !self.if_held.val()) | (self.rejoins.val() & self.if_held.val());
        self.yes.next.warp_changes = self.writes_warp.val() & (!self.inside.val().numbers.waits | self.if_held.val());
        self.yes.next.rebuffed = (self.checks.val() & self.coded.val())
            | (self.arrives.val() & self.if_held.val())
            | (self.checks.val() & self.rejoins.val() & !self.if_held.val());
        self.no.next.row_changes =
            self.writes_row.val() | (self.arrives.val() & !self.if_forced.val()) | (self.rejoins.val() & self.if_forced.val());
        self.no.next.warp_changes = self.writes_warp.val() & (!self.inside.val().numbers.waits | self.if_forced.val());
        self.no.next.rebuffed = (self.checks.val() & self.coded.val())
            | (self.arrives.val() & self.if_forced.val())
            | (self.checks.val() & self.rejoins.val() & !self.if_forced.val());
        self.answer.next = self.no.val();
        if self.checks.val() & self.warps.val().raw {
            self.answer.next = self.yes.val();
        }

        self.kept.d.next.undeclared = self.checks.val() & self.inside.val().step.named & self.outside.val();
        self.kept.d.next.exceeds = self.exceeds.val();
        self.kept.d.next.unlike = self.inside.val().row.reduction != self.inside.val().numbers.wanted_reduction;
        self.kept.d.next.changes = self.answer.val().row_changes & !self.soon.val() & !self.stands.val();
        self.kept.d.next.restores = self.answer.val().warp_changes & !self.soon.val() & !self.stands.val();
        self.kept.d.next.opposed = self.answer.val().rebuffed | self.soon.val() | self.stands.val();
        // An exit writes its row in any case, be it as it was; so does the turn of a row.
        self.writes.next = (self.inside.val().step.exits | self.inside.val().step.turn | self.answer.val().row_changes)
            & !self.soon.val()
            & !self.stands.val();
        // Put together a cycle later, so that what is needed now does not go by it.
        self.kept.d.next.again = self.warps.val().raw;
        self.held.d.next = self.if_held.val();
        self.forced.d.next = self.if_forced.val();
        if self.reset.val() {
            self.kept.d.next.undeclared = false;
            self.kept.d.next.changes = false;
            self.kept.d.next.restores = false;
            self.kept.d.next.opposed = false;
        }
        self.against.next = self.kept.q.val();
        self.against.next.again = self.forced.q.val();
        if self.kept.q.val().again {
            self.against.next.again = self.held.q.val();
        }
    }
}
