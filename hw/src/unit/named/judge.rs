// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether an operation may change its row.
//!
//! *Reads:* the operation one cycle inside, with its row, its CTA's entry and whether its warp waits. *Writes:* one cycle later whether it
//! changes its row or its warp's state, and what stood against it (latency 1); in the same cycle whether what enters will find its row
//! changed. Implements the fault table of `docs/faults.md`, as far as it asks for rows and CTAs: what specs 000 to 002 call undefined,
//! unpredictable or a run-time exception.
//!
//! Whether its warp has arrived is known last, so everything is decided for both answers before.

use super::enter::Step;
use super::operands::Traits;
use crate::payload::payload;
use crate::prim::least::AtLeast;
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
    pub refused: Bit,
}

/// Numbers of warps in `CW` bits, of ids in `IW`.
#[block]
pub struct Judge<CW, IW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Checks are built.
    pub checks: Signal<In, Bit>,
    pub doing: Signal<In, Step>,
    /// It has a fault from upstream; its operands are wrong by themselves.
    pub coded: Signal<In, Bit>,
    pub flawed: Signal<In, Bit>,
    /// Id of the row that it looks at.
    pub id: Signal<In, Bits<4>>,
    // Its numbers, as in `Operands`.
    pub traits: Signal<In, Traits>,
    pub wanted: Signal<In, Bits<CW>>,
    pub before_last: Signal<In, Bits<CW>>,
    pub steps: Signal<In, Bits<CW>>,
    pub reduction: Signal<In, Bits<2>>,
    // Its row, as in `Rows`; what is left over in an idle one counts for nothing.
    pub forwarded: Signal<In, Bit>,
    pub kept_expected: Signal<In, Bits<CW>>,
    pub kept_reduction: Signal<In, Bits<2>>,
    pub read_expected: Signal<In, Bits<CW>>,
    pub read_reduction: Signal<In, Bits<2>>,
    pub row_reduction: Signal<In, Bits<2>>,
    pub marks: Signal<In, Bits<3>>,
    // Whether its warp has arrived, as in `Masks`.
    pub raw: Signal<In, Bit>,
    pub held: Signal<In, Bit>,
    pub forced: Signal<In, Bit>,
    // Its CTA.
    pub warps: Signal<In, Bits<CW>>,
    pub live: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    /// Its warp waits.
    pub waits_now: Signal<In, Bit>,
    /// What enters looks at the same row; that is written.
    pub same: Signal<In, Bit>,
    pub follows: Signal<Out, Bit>,
    pub against: Signal<Out, Against>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    kept: DFF<Against>,
    reg_held: DFF<Bit>,
    reg_forced: DFF<Bit>,
    arrives: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    rejoins: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    differs: Signal<Local, Bit>,
    apart: Signal<Local, Bit>,
    soon: Signal<Local, Bit>,
    rebuffs: Signal<Local, Bit>,
    rebuffs_else: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    if_held: Signal<Local, Bit>,
    if_forced: Signal<Local, Bit>,
    may: Signal<Local, Bits<4>>,
    always: Signal<Local, Bit>,
}

#[block]
impl Logic for Judge<CW, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrives.next = self.doing.val().arrives;
        self.writes_row.next = self.doing.val().writes_row;
        self.writes_warp.next = self.doing.val().writes_warp;
        self.rejoins.next = self.writes_warp.val() & self.traits.val().waits;
        self.lands.next = self.arrives.val() | self.writes_row.val();

        // Its row and its CTA.
        self.apart.next = (self.read_expected.val() != self.wanted.val()) | (self.read_reduction.val() != self.reduction.val());
        self.differs.next =
            (self.kept_expected.val() != self.wanted.val()) | (self.kept_reduction.val() != self.reduction.val());
        if !self.forwarded.val() {
            self.differs.next = self.apart.val();
        }
        self.apart.next = self.marks.val().get_bit(0) & self.arrives.val() & self.differs.val();
        self.above_ids.a.next = bit_cast::<5, 4>(self.id.val());
        self.above_ids.b.next = bit_cast::<5, IW>(self.barriers.val());
        self.outside.next = self.above_ids.yes.val();
        self.above_warps.a.next = self.before_last.val();
        self.above_warps.b.next = self.warps.val();
        self.exceeds.next =
            self.traits.val().counted & (self.lands.val() | self.writes_warp.val()) & self.above_warps.yes.val();
        self.within_live.a.next = self.live.val();
        self.within_live.b.next = self.steps.val();
        // What is known early stands apart from what comes late.
        self.soon.next = self.checks.val()
            & ((self.flawed.val() & self.doing.val().acts)
                | (self.writes_warp.val() & self.waits_now.val())
                | (self.writes_row.val() & self.marks.val().get_bit(0) & self.marks.val().get_bit(1)));
        self.stands.next = (self.apart.val() | ((self.doing.val().named | self.rejoins.val()) & self.outside.val()))
            | (self.exceeds.val() | (self.writes_row.val() & !self.traits.val().counted & !self.within_live.yes.val()));
        if !self.checks.val() {
            self.stands.next = false;
        }

        // Both answers: to whether the row changes, and the warp's state.
        self.if_held.next = self.checks.val() & self.marks.val().get_bit(0) & self.held.val();
        self.if_forced.next = self.checks.val() & self.marks.val().get_bit(0) & self.forced.val();
        self.rebuffs.next = (self.checks.val() & self.doing.val().acts & self.coded.val())
            | (self.arrives.val() & self.if_held.val())
            | (self.checks.val() & self.rejoins.val() & !self.if_held.val());
        self.rebuffs_else.next = (self.checks.val() & self.doing.val().acts & self.coded.val())
            | (self.arrives.val() & self.if_forced.val())
            | (self.checks.val() & self.rejoins.val() & !self.if_forced.val());
        self.may.next = 0.into();
        self.always.next =
            self.writes_row.val() | (self.arrives.val() & !self.if_held.val()) | (self.rejoins.val() & self.if_held.val());
        self.may.next = self.may.val().replace_bit(0, self.always.val());
        self.always.next =
            self.writes_row.val() | (self.arrives.val() & !self.if_forced.val()) | (self.rejoins.val() & self.if_forced.val());
        self.may.next = self.may.val().replace_bit(1, self.always.val());
        self.always.next = self.writes_warp.val() & (!self.traits.val().waits | self.if_held.val());
        self.may.next = self.may.val().replace_bit(2, self.always.val());
        self.always.next = self.writes_warp.val() & (!self.traits.val().waits | self.if_forced.val());
        self.may.next = self.may.val().replace_bit(3, self.always.val());

        // An exit writes its row in any case, be it as it was; so does the turn of a row.
        self.always.next = self.doing.val().exits | self.doing.val().turn;
        self.kept.d.next.undeclared = self.checks.val() & self.doing.val().named & self.outside.val();
        self.kept.d.next.exceeds = self.exceeds.val();
        self.kept.d.next.unlike = self.row_reduction.val() != self.reduction.val();
        // Put together a cycle later, so that what is needed now does not go by it.
        self.kept.d.next.again = self.raw.val();
        self.reg_held.d.next = self.if_held.val();
        self.reg_forced.d.next = self.if_forced.val();
        if self.checks.val() & self.raw.val() {
            self.kept.d.next.changes = self.may.val().get_bit(0) & !self.soon.val() & !self.stands.val();
            self.kept.d.next.restores = self.may.val().get_bit(2) & !self.soon.val() & !self.stands.val();
            self.kept.d.next.refused = self.rebuffs.val() | self.soon.val() | self.stands.val();
            self.follows.next =
                self.same.val() & (self.always.val() | self.may.val().get_bit(0)) & !self.soon.val() & !self.stands.val();
        } else {
            self.kept.d.next.changes = self.may.val().get_bit(1) & !self.soon.val() & !self.stands.val();
            self.kept.d.next.restores = self.may.val().get_bit(3) & !self.soon.val() & !self.stands.val();
            self.kept.d.next.refused = self.rebuffs_else.val() | self.soon.val() | self.stands.val();
            self.follows.next =
                self.same.val() & (self.always.val() | self.may.val().get_bit(1)) & !self.soon.val() & !self.stands.val();
        }
        if self.reset.val() {
            self.kept.d.next.undeclared = false;
            self.kept.d.next.changes = false;
            self.kept.d.next.restores = false;
            self.kept.d.next.refused = false;
        }
        self.against.next = self.kept.q.val();
        self.against.next.again = self.reg_forced.q.val();
        if self.kept.q.val().again {
            self.against.next.again = self.reg_held.q.val();
        }
    }
}
