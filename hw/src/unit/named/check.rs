// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether an operation may change its row.
//!
//! *Reads:* the operation one cycle inside, with its row, its CTA's entry and whether its warp waits. *Writes:* one cycle later whether it
//! changes its row or its warp's state, and what stood against it (latency 1); in the same cycle whether its row will be written. Implements
//! the fault table of `docs/faults.md`, as far as it asks for rows and CTAs: what specs 000 to 002 call undefined, unpredictable or a
//! run-time exception.
//!
//! Whether its warp has arrived is known last, so everything is decided for both answers before.

use super::Inside;
use crate::prelude::*;

/// What stands against an operation, and what it does.
#[payload]
pub struct Checked {
    /// Its id is not declared, and must be.
    pub undeclared: Bit,
    /// Its count exceeds the CTA; the row is of another reduction.
    pub exceeds: Bit,
    pub kind_mismatch: Bit,
    /// The warp has arrived.
    pub has_arrived: Bit,
    /// Nothing: its row changes. The warp's state is written.
    pub changes: Bit,
    pub restores: Bit,
    /// Something does, or it has a fault from upstream.
    pub rejected: Bit,
}

#[block]
pub struct Check<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    /// Its row will be written.
    pub writes: Signal<Out, Bit>,
    pub checked: Signal<Out, Checked>,
    above_ids: AtLeast<5>,
    above_warps: AtLeast<CW>,
    within_live: AtLeast<CW>,
    checked_q: DFF<Checked>,
    had: [DFF<Bit>; 2],
    checks: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    rejoins: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    coded: Signal<Local, Bit>,
    rejects: Signal<Local, Bit>,
    if_open: Signal<Local, Bit>,
    /// If the masks say no, and if they say yes: whether the warp has arrived, and what follows from that.
    has: [Signal<Local, Bit>; 2],
    row_changes: [Signal<Local, Bit>; 2],
    warp_changes: [Signal<Local, Bit>; 2],
    rejected_if: [Signal<Local, Bit>; 2],
    changes: Signal<Local, Bit>,
}

#[block]
impl Logic for Check<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.checks.next = self.inside.val().parts.faults;
        self.arrives.next = self.inside.val().step.arrives;
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.waits.next = self.inside.val().numbers.waits;
        self.rejoins.next = self.writes_warp.val() & self.waits.val();

        // Its row and its CTA.
        self.above_ids.a.next = bit_cast::<5, 4>(self.inside.val().op.row_id);
        self.above_ids.b.next = bit_cast::<5, IW>(self.inside.val().sizes.barriers);
        self.above_warps.a.next = self.inside.val().numbers.before_last;
        self.above_warps.b.next = self.inside.val().sizes.warps;
        self.exceeds.next = self.inside.val().numbers.counted
            & (self.arrives.val() | self.writes_row.val() | self.writes_warp.val())
            & self.above_warps.yes.val();
        self.within_live.a.next = self.inside.val().present.live;
        self.within_live.b.next = self.inside.val().numbers.steps;
        self.rejects.next = self.checks.val()
            & ((self.inside.val().flaw.flawed & self.inside.val().step.acts)
                | (self.writes_warp.val() & self.inside.val().waits_now)
                | (self.writes_row.val() & self.inside.val().row.open & self.inside.val().row.awaited)
                | (self.arrives.val() & self.inside.val().row.open & self.inside.val().look.differs)
                | ((self.inside.val().step.named | self.rejoins.val()) & self.above_ids.yes.val())
                | self.exceeds.val()
                | (self.writes_row.val() & !self.inside.val().numbers.counted & !self.within_live.yes.val()));

        // Both answers: to whether the row changes, and the warp's state.
        self.coded.next = self.checks.val() & self.inside.val().step.acts & (self.inside.val().op.code != FaultCode::None);
        self.if_open.next = self.checks.val() & self.inside.val().row.open;
        self.has[0].next = self.if_open.val() & self.inside.val().own.forced;
        self.has[1].next = self.if_open.val() & self.inside.val().own.held;
        for i in 0..2 {
            self.row_changes[i].next =
                self.writes_row.val() | (self.arrives.val() & !self.has[i].val()) | (self.rejoins.val() & self.has[i].val());
            self.warp_changes[i].next = self.writes_warp.val() & (!self.waits.val() | self.has[i].val());
            self.rejected_if[i].next = self.coded.val()
                | (self.arrives.val() & self.has[i].val())
                | (self.checks.val() & self.rejoins.val() & !self.has[i].val());
            self.had[i].d.next = self.has[i].val();
        }
        self.checked_q.d.next.undeclared = self.checks.val() & self.inside.val().step.named & self.above_ids.yes.val();
        self.checked_q.d.next.exceeds = self.exceeds.val();
        self.checked_q.d.next.kind_mismatch = self.inside.val().row.reduction != self.inside.val().numbers.wanted_reduction;
        self.changes.next = self.row_changes[0].val();
        self.checked_q.d.next.restores = self.warp_changes[0].val() & !self.rejects.val();
        self.checked_q.d.next.rejected = self.rejected_if[0].val() | self.rejects.val();
        if self.checks.val() & self.inside.val().own.raw {
            self.changes.next = self.row_changes[1].val();
            self.checked_q.d.next.restores = self.warp_changes[1].val() & !self.rejects.val();
            self.checked_q.d.next.rejected = self.rejected_if[1].val() | self.rejects.val();
        }
        self.checked_q.d.next.changes = self.changes.val() & !self.rejects.val();
        // An exit writes its row in any case, be it as it was; so does the turn of a row.
        self.writes.next =
            (self.inside.val().step.exits | self.inside.val().step.scrub | self.changes.val()) & !self.rejects.val();
        // Put together a cycle later, so that what is needed now does not go by it.
        self.checked_q.d.next.has_arrived = self.inside.val().own.raw;
        if self.reset.val() {
            self.checked_q.d.next.undeclared = false;
            self.checked_q.d.next.changes = false;
            self.checked_q.d.next.restores = false;
            self.checked_q.d.next.rejected = false;
        }
        self.checked.next = self.checked_q.q.val();
        self.checked.next.has_arrived = self.had[0].q.val();
        if self.checked_q.q.val().has_arrived {
            self.checked.next.has_arrived = self.had[1].q.val();
        }
    }
}
