// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The last of some warps.
//!
//! *Reads:* the warps. *Writes:* the highest, as an index (any index if there is none). *Latency:* 0, no state.
//!
//! Looks for the highest four of warps that has one of them, and only then into that four.

use crate::prelude::*;

/// `W = 2^LW` warps, `W` at least 4.
#[block]
pub struct Last<W, LW> {
    pub cta_warps: Signal<In, Bits<W>>,
    pub index: Signal<Out, Bits<LW>>,
    /// The lowest warp of that four, and those above it.
    first: Signal<Local, Bits<LW>>,
    second: Signal<Local, Bits<LW>>,
    third: Signal<Local, Bits<LW>>,
    fourth: Signal<Local, Bits<LW>>,
}

#[block]
impl Logic for Last<W, LW> {
    fn update(&mut self) {
        self.first.next = 0.into();
        for i in 1..(W / 4) {
            if self.cta_warps.val().get_bit(4 * i)
                | self.cta_warps.val().get_bit(4 * i + 1)
                | self.cta_warps.val().get_bit(4 * i + 2)
                | self.cta_warps.val().get_bit(4 * i + 3)
            {
                self.first.next = (4 * i).to_bits();
            }
        }
        self.second.next = self.first.val() | 1;
        self.third.next = self.first.val() | 2;
        self.fourth.next = self.first.val() | 3;
        self.index.next = self.first.val();
        if self.cta_warps.val().at(self.second.val()) {
            self.index.next = self.second.val();
        }
        if self.cta_warps.val().at(self.third.val()) {
            self.index.next = self.third.val();
        }
        if self.cta_warps.val().at(self.fourth.val()) {
            self.index.next = self.fourth.val();
        }
    }
}
