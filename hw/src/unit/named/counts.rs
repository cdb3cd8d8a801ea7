// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many rows of each CTA are open, and how many of them without a count; the tangle strobe.
//!
//! *Reads:* the slot of the operation one cycle inside; one cycle later what its row was and is. *Writes:* whether a release finds open
//! rows; the tangle strobe when a second row without a count opens. *Latency:* 0 from what the row is, 1 to the strobe. Implements the
//! number of open rows and the tangle of `docs/interface.md`.

use super::{effect::Deed, Inside};
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
    pub deed: Signal<In, Deed<W, LW, CW, LC, AW>>,
    pub dirty: Signal<Out, Bit>,
    pub tangle: StrobeOut<Tangle<LC>>,
    ram: Ram<Packed<OpenRows<IW>>, LC>,
    hit: DFF<Bit>,
    kept: DFF<OpenRows<IW>>,
    #[reset]
    knot: DFF<Bit>,
    knot_cta: DFF<Bits<LC>>,
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
    tangles: Signal<Local, Bit>,
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
            self.some.next = self.kept.q.val().open.any();
        }

        // Its row changes; a release clears what is open, and a launch or a turn after reset finds nothing.
        self.moves.next = (self.deed.val().against.changes & self.deed.val().lands) | self.deed.val().departs;
        self.empties.next = self.deed.val().step.releases | self.deed.val().step.launches | self.deed.val().step.whole;
        self.old.next = self.read.val();
        if self.hit.q.val() {
            self.old.next = self.kept.q.val();
        }
        if self.empties.val() {
            self.old.next = self.none.val();
        }
        // Each step is 1 where something changes, or -1.
        self.step.next = self.none.val();
        self.closes.next = !self.deed.val().row.open & self.deed.val().was_open & !self.empties.val();
        if (self.deed.val().row.open ^ self.deed.val().was_open) & !self.empties.val() {
            self.step.next.open = 1.into();
        }
        if self.closes.val() {
            self.step.next.open = self.minus_one.val();
        }
        self.was.next = self.deed.val().was_open & !self.deed.val().was_counted;
        self.now.next = self.deed.val().row.open & !self.deed.val().row.with_count;
        self.tightens.next = !self.now.val() & self.was.val() & !self.empties.val();
        if (self.now.val() ^ self.was.val()) & !self.empties.val() {
            self.step.next.uncounted = 1.into();
        }
        if self.tightens.val() {
            self.step.next.uncounted = self.minus_one.val();
        }
        self.kept.d.next.open = self.old.val().open + self.step.val().open;
        self.kept.d.next.uncounted = self.old.val().uncounted + self.step.val().uncounted;
        self.dirty.next = self.deed.val().step.releases & self.some.val();
        self.ram.write.next = self.moves.val() | self.empties.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.inside.val().op.entry;
        self.ram.write_address.next = self.deed.val().op.entry;
        self.ram.write_value.next = self.kept.d.val().into();
        self.hit.d.next = self.ram.write.val() & (self.inside.val().op.entry == self.deed.val().op.entry);

        // As if `uncounted` were more than 1, wrap-around included, but without waiting for the sum.
        self.tangles.next = self.moves.val()
            & self.now.val()
            & !self.was.val()
            & self.old.val().uncounted.any()
            & !self.old.val().uncounted.all();
        self.knot.d.next = self.tangles.val();
        self.knot_cta.d.next = self.deed.val().op.entry;
        self.tangle.valid.next = self.knot.q.val();
        self.tangle.payload.next.cta = self.knot_cta.q.val();
    }
}
