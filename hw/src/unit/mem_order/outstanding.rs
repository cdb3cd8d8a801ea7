// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps have an access outstanding, where `tallies` keeps the numbers.
//!
//! *Reads:* the access that is issued, and the one that is performed, one cycle later, with what `tallies` makes of their numbers; the warp whose access
//! is performed, as it comes in. *Writes:* the warps. *Latency:* 2 from the strobes. Implements `outstanding` of `docs/interface.md`, section `mem_order`.
//!
//! A warp's bit follows from its numbers, which are known when one of them changes: so the accesses issued are kept once more, to be
//! read for the warp whose access is performed.

use super::accesses::Access;
use super::tallies::Numbers;
use crate::prelude::*;

/// `W` warps of `LW` bits, numbers of `OB` bits.
#[block]
pub struct Outstanding<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub performer: Signal<In, Bits<LW>>,
    pub issued: Signal<In, Access<LW>>,
    pub performed: Signal<In, Access<LW>>,
    /// Accesses issued and performed, of the warp that issued; performed, of the one whose access was performed.
    pub raised: Signal<In, Numbers<OB>>,
    pub below: Signal<In, Numbers<OB>>,
    pub lowered: Signal<In, Numbers<OB>>,
    pub some: Signal<Out, Bits<W>>,
    ups: Store<Packed<Numbers<OB>>, LW>,
    before: DFF<Numbers<OB>>,
    again: DFF<Bit>,
    #[reset]
    now: DFF<Bits<W>>,
    written: Signal<Local, Bit>,
    /// Accesses issued, of the warp whose access was performed.
    up: Signal<Local, Numbers<OB>>,
    next: Signal<Local, Bits<W>>,
    issues_of: Signal<Local, Bits<W>>,
    performs_of: Signal<Local, Bits<W>>,
    issuer_has: Signal<Local, Bit>,
    performer_has: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Outstanding<W, LW, OB> {
    fn update(&mut self) {
        self.written.next = self.issued.val().valid | self.issued.val().clears;
        self.ups.read_address.next = self.performer.val();
        self.ups.write.next = self.written.val();
        self.ups.write_address.next = self.issued.val().warp;
        self.ups.write_value.next = self.raised.val().into();
        self.again.d.next = self.written.val() & (self.performer.val() == self.issued.val().warp);
        self.before.d.next = self.raised.val();
        self.up.next = self.ups.read_value.val().into();
        if self.again.q.val() {
            self.up.next = self.before.q.val();
        }
        if self.issued.val().valid & (self.issued.val().warp == self.performed.val().warp) {
            self.up.next = self.raised.val();
        }

        // What is performed comes last, as it knows of what is issued.
        self.issuer_has.next =
            (self.raised.val().even != self.below.val().even) | (self.raised.val().odd != self.below.val().odd);
        self.performer_has.next =
            (self.up.val().even != self.lowered.val().even) | (self.up.val().odd != self.lowered.val().odd);
        self.issues_of.next = self.no_warps.val().with(self.issued.val().warp, self.issued.val().valid);
        self.performs_of.next = self.no_warps.val().with(self.performed.val().warp, self.performed.val().valid);
        self.next.next = self.now.q.val() & !self.issues_of.val();
        if self.issuer_has.val() {
            self.next.next = self.now.q.val() | self.issues_of.val();
        }
        self.now.d.next = self.next.val() & !self.performs_of.val();
        if self.performer_has.val() {
            self.now.d.next = self.next.val() | self.performs_of.val();
        }
        self.some.next = self.now.q.val();
    }
}
