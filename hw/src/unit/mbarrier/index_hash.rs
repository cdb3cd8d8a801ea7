// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The index hash of the cache: the value that is XORed with the lowest bits of an object's word number to get its entry, or with
//! the entry to get these bits.
//!
//! *Reads:* the word number without its lowest `XI` bits; the CTA slot. *Writes:* the next `XI` bits of the word number, XOR the
//! slot number with its bits reversed. *Latency:* 0, no state. Implements *Entries* of `docs/contract/mbarrier.md`.

use crate::prelude::*;

#[block]
pub struct IndexHash<LC, XI> {
    /// Bits of the word number above the lowest `XI`.
    pub object_high: Signal<In, Bits<XI>>,
    /// CTA slot.
    pub cta: Signal<In, Bits<LC>>,
    /// The value that is XORed with the lowest bits.
    pub hash: Signal<Out, Bits<XI>>,
    /// The slot number with its bits reversed: bit 0 at the top.
    cta_reversed: Signal<Local, Bits<XI>>,
}

#[block]
impl Logic for IndexHash<LC, XI> {
    fn update(&mut self) {
        self.cta_reversed.next = 0.into();
        for n in XI..(XI + 1) {
            for i in 0..LC {
                self.cta_reversed.next = self.cta_reversed.val().replace_bit(n - 1 - i, self.cta.val().get_bit(i));
            }
        }
        self.hash.next = self.cta_reversed.val() ^ self.object_high.val();
    }
}
