// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mask of warps with an access outstanding, for configurations with the numbers of accesses in `access_counters_ram`.
//!
//! *Reads:* the access issued and the access performed in the previous cycle, and the numbers of their warps from
//! `access_counters_ram`; the warp whose access is performed in this cycle. *Writes:* the mask. *Latency:* 2 from the strobes.
//! Implements `outstanding` of `docs/contract/mem_order.md`.
//!
//! The bit of a warp is computed when an access of the warp is issued or performed. For a performed access, the computation needs
//! the number of accesses that the warp has issued. `access_counters_ram` does not read this number, so this block keeps a copy of
//! the numbers of accesses issued.

use super::payloads::{Access, Numbers};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, counts of accesses of `OB` bits.
#[block]
pub struct Outstanding<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp whose access is performed in this cycle.
    pub performer: Signal<In, Bits<LW>>,
    pub issued: Signal<In, Access<LW>>,
    pub performed: Signal<In, Access<LW>>,
    /// For the warp named in `issued`, by epoch: number of accesses issued so far, including this access.
    pub issued_next: Signal<In, Numbers<OB>>,
    /// For the warp named in `issued`, by epoch: number of accesses performed so far, before the access in `performed` is counted.
    pub issuer_performed: Signal<In, Numbers<OB>>,
    /// For the warp named in `performed`, by epoch: number of accesses performed so far, including this access.
    pub performed_next: Signal<In, Numbers<OB>>,
    /// Warps with an access outstanding.
    pub outstanding: Signal<Out, Bits<W>>,
    /// Number of accesses issued, by warp and epoch.
    issued_store: Store<Packed<Numbers<OB>>, LW>,
    /// The word of `issued_store` that was written last.
    last_written: DFF<Numbers<OB>>,
    /// The word that was read in the previous cycle was also written at that clock edge:
    /// `last_written` is used instead.
    forward_written: DFF<Bit>,
    #[reset]
    outstanding_q: DFF<Bits<W>>,
    issued_written: Signal<Local, Bit>,
    /// The access in `issued` is of the warp named in `performed`.
    performer_issues: Signal<Local, Bit>,
    /// For the warp named in `performed`, by epoch: number of accesses issued so far.
    performer_issued: Signal<Local, Numbers<OB>>,
    next_outstanding: Signal<Local, Bits<W>>,
    issuer_mask: Signal<Local, Bits<W>>,
    performer_mask: Signal<Local, Bits<W>>,
    /// The warp named in `issued` has an access outstanding, before the access in `performed` is counted.
    issuer_has_access: Signal<Local, Bit>,
    /// The warp named in `performed` still has an access outstanding.
    performer_has_access: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Outstanding {
    fn update(&mut self) {
        let issued = self.issued.val();
        let performed = self.performed.val();

        // The copy of the numbers of accesses issued, read for the warp whose access is performed.
        self.issued_written.next = issued.valid | issued.clears;
        self.issued_store.read_address.next = self.performer.val();
        self.issued_store.write.next = self.issued_written.val();
        self.issued_store.write_address.next = issued.warp;
        self.issued_store.write_value.next = self.issued_next.val().into();
        self.forward_written.d.next = self.issued_written.val() & (self.performer.val() == issued.warp);
        self.last_written.d.next = self.issued_next.val();
        self.performer_issued.next = self.issued_store.read_value.val().into();
        if self.forward_written.q.val() {
            self.performer_issued.next = self.last_written.q.val();
        }
        self.performer_issues.next = issued.valid & (issued.warp == performed.warp);
        if self.performer_issues.val() {
            self.performer_issued.next = self.issued_next.val();
        }

        // If both accesses are of one warp, the bit computed for `performed` is stored, because `performer_issued` includes the
        // access in `issued`.
        self.issuer_has_access.next = (self.issued_next.val().even != self.issuer_performed.val().even)
            | (self.issued_next.val().odd != self.issuer_performed.val().odd);
        self.performer_has_access.next = (self.performer_issued.val().even != self.performed_next.val().even)
            | (self.performer_issued.val().odd != self.performed_next.val().odd);
        self.issuer_mask.next = self.no_warps.val().with(issued.warp, issued.valid);
        self.performer_mask.next = self.no_warps.val().with(performed.warp, performed.valid);
        self.next_outstanding.next = self.outstanding_q.q.val() & !self.issuer_mask.val();
        if self.issuer_has_access.val() {
            self.next_outstanding.next = self.outstanding_q.q.val() | self.issuer_mask.val();
        }
        self.outstanding_q.d.next = self.next_outstanding.val() & !self.performer_mask.val();
        if self.performer_has_access.val() {
            self.outstanding_q.d.next = self.next_outstanding.val() | self.performer_mask.val();
        }
        self.outstanding.next = self.outstanding_q.q.val();
    }
}
