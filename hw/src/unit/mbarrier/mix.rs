// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an object's entry has beside the lowest bits of its number: the next bits of that, and the CTA slot, its lowest bit on top.
//!
//! *Reads:* the number without its lowest bits, the slot. *Writes:* what the lowest bits are xor-ed with, to get the entry from them or them
//! from the entry. *Latency:* 0, no state. Implements *Entries* of `docs/mbarrier.md`.

use crate::prelude::*;

#[block]
pub struct Mix<LC, XI> {
    /// The bits of the number above the lowest.
    pub high: Signal<In, Bits<XI>>,
    pub cta: Signal<In, Bits<LC>>,
    pub rest: Signal<Out, Bits<XI>>,
    turned: Signal<Local, Bits<XI>>,
}

#[block]
impl Logic for Mix<LC, XI> {
    fn update(&mut self) {
        self.turned.next = 0.into();
        for n in XI..(XI + 1) {
            for i in 0..LC {
                self.turned.next = self.turned.val().replace_bit(n - 1 - i, self.cta.val().get_bit(i));
            }
        }
        self.rest.next = self.turned.val() ^ self.high.val();
    }
}
