// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many rows of each CTA are open, and how many of them without a count; the strobe of implicit conflicts.
//!
//! *Reads:* the slot of the operation one cycle inside; one cycle later what its row was and is. *Writes:* whether a release finds open
//! rows; the strobe of implicit conflicts when a second row without a count opens. *Latency:* 0 from what the row is, 1 to the strobe. Implements the
//! number of open rows and the implicit conflict of `docs/interface.md`.

use super::{commit_stage::Ctrl, Inside};
use crate::prelude::*;

/// Rows of a CTA: open without a count, open.
#[payload]
pub struct OpenRows<IW> {
    pub uncounted: Bits<IW>,
    pub open: Bits<IW>,
}

#[block]
pub struct Counts<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub dirty: Signal<Out, Bit>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    ram: Ram<Packed<OpenRows<IW>>, LC>,
    hit: DFF<Bit>,
    open_rows_q: DFF<OpenRows<IW>>,
    #[reset]
    second_opens: DFF<Bit>,
    second_cta: DFF<Bits<LC>>,
    read: Signal<Local, OpenRows<IW>>,
    old: Signal<Local, OpenRows<IW>>,
    step: Signal<Local, OpenRows<IW>>,
    moves: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    tightens: Signal<Local, Bit>,
    empties: Signal<Local, Bit>,
    was: Signal<Local, Bit>,
    now: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    implicit_conflicts: Signal<Local, Bit>,
    none: Constant<OpenRows<IW>>,
    #[init(Constant::new(!Bits::<IW>::default()))]
    minus_one: Constant<Bits<IW>>,
}

#[block]
impl Logic for Counts<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.read.next = self.ram.read_value.val().into();
        self.some.next = self.read.val().open.any();
        if self.hit.q.val() {
            self.some.next = self.open_rows_q.q.val().open.any();
        }

        // Its row changes; a release clears what is open, and a launch or a turn after reset finds nothing.
        self.moves.next = (self.ctrl.val().checked.changes & self.ctrl.val().lands) | self.ctrl.val().departs;
        self.empties.next = self.ctrl.val().step.releases | self.ctrl.val().step.launches | self.ctrl.val().step.whole;
        self.old.next = self.read.val();
        if self.hit.q.val() {
            self.old.next = self.open_rows_q.q.val();
        }
        if self.empties.val() {
            self.old.next = self.none.val();
        }
        // Each step is 1 where something changes, or -1.
        self.step.next = self.none.val();
        self.closes.next = !self.ctrl.val().row.open & self.ctrl.val().was_open & !self.empties.val();
        if (self.ctrl.val().row.open ^ self.ctrl.val().was_open) & !self.empties.val() {
            self.step.next.open = 1.into();
        }
        if self.closes.val() {
            self.step.next.open = self.minus_one.val();
        }
        self.was.next = self.ctrl.val().was_open & !self.ctrl.val().was_counted;
        self.now.next = self.ctrl.val().row.open & !self.ctrl.val().row.with_count;
        self.tightens.next = !self.now.val() & self.was.val() & !self.empties.val();
        if (self.now.val() ^ self.was.val()) & !self.empties.val() {
            self.step.next.uncounted = 1.into();
        }
        if self.tightens.val() {
            self.step.next.uncounted = self.minus_one.val();
        }
        self.open_rows_q.d.next.open = self.old.val().open + self.step.val().open;
        self.open_rows_q.d.next.uncounted = self.old.val().uncounted + self.step.val().uncounted;
        self.dirty.next = self.ctrl.val().step.releases & self.some.val();
        self.ram.write.next = self.moves.val() | self.empties.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.inside.val().op.entry;
        self.ram.write_address.next = self.ctrl.val().op.entry;
        self.ram.write_value.next = self.open_rows_q.d.val().into();
        self.hit.d.next = self.ram.write.val() & (self.inside.val().op.entry == self.ctrl.val().op.entry);

        // As if `uncounted` were more than 1, wrap-around included, but without waiting for the sum.
        self.implicit_conflicts.next = self.moves.val()
            & self.now.val()
            & !self.was.val()
            & self.old.val().uncounted.any()
            & !self.old.val().uncounted.all();
        self.second_opens.d.next = self.implicit_conflicts.val();
        self.second_cta.d.next = self.ctrl.val().op.entry;
        self.implicit_conflict.valid.next = self.second_opens.q.val();
        self.implicit_conflict.payload.next.cta = self.second_cta.q.val();
    }
}
