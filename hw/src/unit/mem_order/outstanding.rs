// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps have an access outstanding, if the numbers are in `access_counters_ram`.
//!
//! *Reads:* the access issued and the access performed in the cycle before, and the numbers of their warps from
//! `access_counters_ram`; the warp whose access is performed in this cycle. *Writes:* the warps. *Latency:* 2 from the
//! strobes. Implements `outstanding` of `docs/contract/mem_order.md`.
//!
//! The bit of a warp is computed when one of its numbers changes. So the number of accesses issued is kept in another copy, which
//! is read at the warp whose access is performed.

use super::access_counters_ram::Numbers;
use super::accesses::Access;
use crate::prelude::*;

/// `W` warps of `LW` bits, numbers of `OB` bits.
#[block]
pub struct Outstanding<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp whose access is performed in this cycle.
    pub performer: Signal<In, Bits<LW>>,
    pub issued: Signal<In, Access<LW>>,
    pub performed: Signal<In, Access<LW>>,
    /// For the warp of `issued`: accesses issued, this one included.
    pub issued_next: Signal<In, Numbers<OB>>,
    /// For the warp of `issued`: accesses performed, without the one of the cycle before.
    pub issuer_performed: Signal<In, Numbers<OB>>,
    /// For the warp of `performed`: accesses performed, this one included.
    pub performed_next: Signal<In, Numbers<OB>>,
    /// Warps with an access outstanding.
    pub some: Signal<Out, Bits<W>>,
    /// Accesses issued.
    ups: Store<Packed<Numbers<OB>>, LW>,
    /// The word of `ups` that was written last.
    before: DFF<Numbers<OB>>,
    /// The word read was written at the same edge: take `before`.
    again: DFF<Bit>,
    #[reset]
    now: DFF<Bits<W>>,
    written: Signal<Local, Bit>,
    /// Accesses issued, of the warp of `performed`.
    up: Signal<Local, Numbers<OB>>,
    next: Signal<Local, Bits<W>>,
    issues_of: Signal<Local, Bits<W>>,
    performs_of: Signal<Local, Bits<W>>,
    /// The warp of `issued` has an access outstanding, before the one that is performed.
    issuer_has: Signal<Local, Bit>,
    /// The warp of `performed` has an access outstanding.
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
        self.ups.write_value.next = self.issued_next.val().into();
        self.again.d.next = self.written.val() & (self.performer.val() == self.issued.val().warp);
        self.before.d.next = self.issued_next.val();
        self.up.next = self.ups.read_value.val().into();
        if self.again.q.val() {
            self.up.next = self.before.q.val();
        }
        if self.issued.val().valid & (self.issued.val().warp == self.performed.val().warp) {
            self.up.next = self.issued_next.val();
        }

        // The access performed is applied last, because its number of accesses issued includes the one issued in the same cycle.
        self.issuer_has.next = (self.issued_next.val().even != self.issuer_performed.val().even)
            | (self.issued_next.val().odd != self.issuer_performed.val().odd);
        self.performer_has.next =
            (self.up.val().even != self.performed_next.val().even) | (self.up.val().odd != self.performed_next.val().odd);
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
