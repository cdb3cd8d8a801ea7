// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The index hash of the cache. The number of an object's cache entry is the lowest bits of its word number, as many as an entry
//! number has, XOR the hash. Conversely, the number of the entry XOR the hash is the lowest bits of the word number.
//!
//! *Reads:* the bits of the word number directly above its lowest bits, as many as an entry number has; the CTA slot. *Writes:* the
//! hash: these bits XOR the CTA slot number with its bits in reverse order. *Latency:* 0, no state. Implements *Entries* of
//! `docs/contract/mbarrier.md`.

use crate::prelude::*;

/// Sizes: CTA slot numbers of `LC` bits, cache entry numbers of `XI` bits.
#[block]
pub struct IndexHash<LC, XI> {
    /// The bits of the word number directly above its lowest bits, as many as an entry number has; bits beyond the width of the
    /// word number are 0.
    pub object_high: Signal<In, Bits<XI>>,
    /// CTA slot.
    pub cta: Signal<In, Bits<LC>>,
    /// The index hash.
    pub hash: Signal<Out, Bits<XI>>,
    /// The CTA slot number with its bits in reverse order: bit 0 becomes the highest bit.
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
