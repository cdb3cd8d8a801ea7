// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the open rows of each CTA, and the open rows without a count; outputs the strobe of implicit conflicts.
//!
//! *Reads:* the CTA slot of the operation in the lookup stage; one cycle later its row before and after. *Writes:* whether a
//! Release finds open rows; the strobe of implicit conflicts, when a second row without a count opens. *Latency:* 0 to `dirty`, 1
//! to the strobe. Implements the number of open rows and the implicit conflict of `docs/contract/named.md`.

use super::ctrl::Ctrl;
use super::inside::Inside;
use crate::prelude::*;

/// Numbers of open rows of a CTA.
#[payload]
pub struct OpenRows<IW> {
    /// Open rows without a count.
    pub uncounted: Bits<IW>,
    /// Open rows.
    pub open: Bits<IW>,
}

#[block]
pub struct Counts<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    /// The operation in the commit stage is a Release, and rows of its CTA are open.
    pub dirty: Signal<Out, Bit>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    ram: Ram<Packed<OpenRows<IW>>, LC>,
    /// The numbers were written while they were read: `open_rows_q` is used instead.
    hit: DFF<Bit>,
    /// The numbers that were written last.
    open_rows_q: DFF<OpenRows<IW>>,
    /// A second row without a count has opened.
    #[reset]
    second_opens: DFF<Bit>,
    /// The CTA slot of that row.
    second_cta: DFF<Bits<LC>>,
    read: Signal<Local, OpenRows<IW>>,
    /// The numbers before the operation; 0 if they are set to 0.
    old: Signal<Local, OpenRows<IW>>,
    /// The addends of the numbers: 0, 1 or -1.
    step: Signal<Local, OpenRows<IW>>,
    /// The operation changes a row.
    moves: Signal<Local, Bit>,
    /// A row closes.
    closes: Signal<Local, Bit>,
    /// A row without a count closes, or gets a count.
    uncounted_falls: Signal<Local, Bit>,
    /// The numbers become 0.
    clears_counts: Signal<Local, Bit>,
    /// The row was open without a count.
    was: Signal<Local, Bit>,
    /// The row is open without a count.
    now: Signal<Local, Bit>,
    /// A row is open.
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

        // The row changes. A Release sets the numbers to 0, as does a Launch or a clear step after a reset.
        self.moves.next = (self.ctrl.val().checked.changes & self.ctrl.val().lands) | self.ctrl.val().exit_completes;
        self.clears_counts.next =
            self.ctrl.val().step.releases | self.ctrl.val().step.launches | self.ctrl.val().step.clears_cta_entry;
        self.old.next = self.read.val();
        if self.hit.q.val() {
            self.old.next = self.open_rows_q.q.val();
        }
        if self.clears_counts.val() {
            self.old.next = self.none.val();
        }
        // Each step is 0, 1 or -1.
        self.step.next = self.none.val();
        self.closes.next = !self.ctrl.val().row.open & self.ctrl.val().was_open & !self.clears_counts.val();
        if (self.ctrl.val().row.open ^ self.ctrl.val().was_open) & !self.clears_counts.val() {
            self.step.next.open = 1.into();
        }
        if self.closes.val() {
            self.step.next.open = self.minus_one.val();
        }
        self.was.next = self.ctrl.val().was_open & !self.ctrl.val().had_count;
        self.now.next = self.ctrl.val().row.open & !self.ctrl.val().row.with_count;
        self.uncounted_falls.next = !self.now.val() & self.was.val() & !self.clears_counts.val();
        if (self.now.val() ^ self.was.val()) & !self.clears_counts.val() {
            self.step.next.uncounted = 1.into();
        }
        if self.uncounted_falls.val() {
            self.step.next.uncounted = self.minus_one.val();
        }
        self.open_rows_q.d.next.open = self.old.val().open + self.step.val().open;
        self.open_rows_q.d.next.uncounted = self.old.val().uncounted + self.step.val().uncounted;
        self.dirty.next = self.ctrl.val().step.releases & self.some.val();
        self.ram.write.next = self.moves.val() | self.clears_counts.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.inside.val().op.entry;
        self.ram.write_address.next = self.ctrl.val().op.entry;
        self.ram.write_value.next = self.open_rows_q.d.val().into();
        self.hit.d.next = self.ram.write.val() & (self.inside.val().op.entry == self.ctrl.val().op.entry);

        // Equivalent to whether `uncounted` rises above 1, wrap-around included, but without waiting for the sum.
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
