// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An access that is issued and one that is performed, as one-hot masks of warps by epoch.
//!
//! *Reads:* the access issued and the access performed in the cycle before. *Writes:* the warp that issued, and the warp whose
//! access was performed, in the mask of the epoch. *Latency:* 0, no state. Implements the fields of the strobes in
//! `docs/contract/mem_order.md`.

use super::payloads::Access;
use crate::prelude::*;

/// `W` warps of `LW` bits.
#[block]
pub struct Strobes<W, LW> {
    pub issued: Signal<In, Access<LW>>,
    pub performed: Signal<In, Access<LW>>,
    /// By epoch: the warp that issues, one-hot.
    pub issuer_mask: [Signal<Out, Bits<W>>; 2],
    /// By epoch: the warp whose access is performed, one-hot.
    pub performer_mask: [Signal<Out, Bits<W>>; 2],
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Strobes<W, LW> {
    fn update(&mut self) {
        for i in 0..2 {
            self.issuer_mask[i].next = self.no_warps.val();
            if self.issued.val().valid & (self.issued.val().epoch == (i == 1)) {
                self.issuer_mask[i].next = self.no_warps.val().with(self.issued.val().warp, true);
            }
            self.performer_mask[i].next = self.no_warps.val();
            if self.performed.val().valid & (self.performed.val().epoch == (i == 1)) {
                self.performer_mask[i].next = self.no_warps.val().with(self.performed.val().warp, true);
            }
        }
    }
}
