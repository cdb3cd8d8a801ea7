// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The index hash of the cache. The lowest `XI` bits of an object's word number, XOR the hash, are the number of the object's cache entry.
//! The number of the entry, XOR the hash, gives back these bits.
//!
//! *Reads:* bits `XI` to `2 XI - 1` of the word number; the CTA slot. *Writes:* the hash: these bits XOR the number of the CTA slot with
//! its bits in reverse order. *Latency:* 0, no state. Implements *Entries* of `docs/contract/mbarrier.md`.

use crate::prelude::*;

/// Sizes: CTA slot numbers of `LC` bits, cache entry numbers of `XI` bits.
#[block]
pub struct IndexHash<LC, XI> {
    /// Bits `XI` to `2 XI - 1` of the word number; 0 beyond its end.
    pub object_high: Signal<In, Bits<XI>>,
    /// CTA slot.
    pub cta: Signal<In, Bits<LC>>,
    /// The index hash.
    pub hash: Signal<Out, Bits<XI>>,
    /// The number of the CTA slot with its bits in reverse order: bit 0 is the highest.
    cta_reversed: Signal<Local, Bits<XI>>,
}

#[block]
impl Logic for IndexHash {
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
