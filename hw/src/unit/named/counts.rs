// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many rows of each CTA are open, and how many of them without a count.
//!
//! *Reads:* the slot of the operation one cycle inside; one cycle later what its row was and is. *Writes:* whether a release finds open
//! rows, whether a second row without a count opens. *Latency:* 0 from what the row is. Implements the number of open rows and the
//! tangle of `docs/interface.md`.

use crate::prim::ram::Ram2;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Slots of `LC` bits, numbers of ids in `IW` bits.
#[block]
pub struct Counts<LC, IW> {
    pub clock: Signal<In, Clock>,
    pub next_cta: Signal<In, Bits<LC>>,
    pub cta: Signal<In, Bits<LC>>,
    /// The row changes: it was open, without a count; it is.
    pub moves: Signal<In, Bit>,
    pub was_open: Signal<In, Bit>,
    pub was_counted: Signal<In, Bit>,
    pub now_open: Signal<In, Bit>,
    pub now_counted: Signal<In, Bit>,
    /// A release, which clears what is open; a launch, or a turn after reset.
    pub releases: Signal<In, Bit>,
    pub empties: Signal<In, Bit>,
    pub dirty: Signal<Out, Bit>,
    pub tangles: Signal<Out, Bit>,
    ram: Ram2<LC, IW, IW>,
    hit: DFF<Bit>,
    kept_open: DFF<Bits<IW>>,
    kept_uncounted: DFF<Bits<IW>>,
    open: Signal<Local, Bits<IW>>,
    uncounted: Signal<Local, Bits<IW>>,
    new_open: Signal<Local, Bits<IW>>,
    new_uncounted: Signal<Local, Bits<IW>>,
    open_step: Signal<Local, Bits<IW>>,
    uncounted_step: Signal<Local, Bits<IW>>,
    was: Signal<Local, Bit>,
    now: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<IW>::default()))]
    minus_one: Constant<Bits<IW>>,
}

#[block]
impl Logic for Counts<LC, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.open.next = self.ram.read_0.val();
        self.uncounted.next = self.ram.read_1.val();
        if self.hit.q.val() {
            self.open.next = self.kept_open.q.val();
            self.uncounted.next = self.kept_uncounted.q.val();
        }
        self.open_step.next = 0.into();
        if self.now_open.val() & !self.was_open.val() {
            self.open_step.next = 1.into();
        }
        if !self.now_open.val() & self.was_open.val() {
            self.open_step.next = self.minus_one.val();
        }
        self.was.next = self.was_open.val() & !self.was_counted.val();
        self.now.next = self.now_open.val() & !self.now_counted.val();
        self.uncounted_step.next = 0.into();
        if self.now.val() & !self.was.val() {
            self.uncounted_step.next = 1.into();
        }
        if !self.now.val() & self.was.val() {
            self.uncounted_step.next = self.minus_one.val();
        }
        self.new_open.next = self.open.val() + self.open_step.val();
        self.new_uncounted.next = self.uncounted.val() + self.uncounted_step.val();
        // As `new_uncounted > 1`, wrap-around included, but without waiting for the sum.
        self.tangles.next =
            self.moves.val() & self.now.val() & !self.was.val() & self.uncounted.val().any() & !self.uncounted.val().all();
        if self.releases.val() | self.empties.val() {
            self.new_open.next = 0.into();
            self.new_uncounted.next = 0.into();
        }
        self.write.next = self.moves.val() | self.releases.val() | self.empties.val();
        self.some.next = self.ram.read_0.val().any();
        if self.hit.q.val() {
            self.some.next = self.kept_open.q.val().any();
        }
        self.dirty.next = self.releases.val() & self.some.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.next_cta.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.cta.val();
        self.ram.write_0.next = self.new_open.val();
        self.ram.write_1.next = self.new_uncounted.val();
        self.hit.d.next = self.write.val() & (self.next_cta.val() == self.cta.val());
        self.kept_open.d.next = self.new_open.val();
        self.kept_uncounted.d.next = self.new_uncounted.val();
    }
}
