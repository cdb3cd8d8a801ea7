// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the access that is issued, and the access that is performed, into one-hot masks of warps, one mask per epoch.
//!
//! *Reads:* the access issued and the access performed in the previous cycle. *Writes:* for each epoch the mask of the warp that
//! issued, and the mask of the warp whose access was performed; 0 for the other epoch. *Latency:* 0, no state. Implements the
//! fields of the strobes in `docs/contract/mem_order.md`.

use super::payloads::Access;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits.
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
impl Logic for Strobes {
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
