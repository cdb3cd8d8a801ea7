// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The last of a set of warps.
//!
//! *Reads:* the warps. *Writes:* the highest one, as an index (any index if the set is empty). *Latency:* 0, no state.
//!
//! It finds the highest group of four warps with a warp of the set, then the highest such warp in that group.

use crate::prelude::*;

/// `W` warps of `LW` bits, `LW` at least 2.
#[block]
pub struct Last<W, LW> {
    pub cta_warps: Signal<In, Bits<W>>,
    pub index: Signal<Out, Bits<LW>>,
    /// Groups of four warps with a warp of the set.
    fours: Signal<Local, Bits<W>>,
    /// The lowest warp of the highest such group.
    first: Signal<Local, Bits<LW>>,
    /// The warp above `first`.
    second: Signal<Local, Bits<LW>>,
    /// The warp above `second`.
    third: Signal<Local, Bits<LW>>,
    /// The warp above `third`.
    fourth: Signal<Local, Bits<LW>>,
}

#[block]
impl Logic for Last<W, LW> {
    fn update(&mut self) {
        self.first.next = 0.into();
        self.fours.next = 0.into();
        for i in 0..((W + 3) / 4) {
            self.fours.next =
                self.fours.val().replace_bit(i, self.fours.val().get_bit(i) | self.cta_warps.val().get_bit(4 * i));
        }
        for j in 0..((W + 2) / 4) {
            self.fours.next =
                self.fours.val().replace_bit(j, self.fours.val().get_bit(j) | self.cta_warps.val().get_bit(4 * j + 1));
        }
        for k in 0..((W + 1) / 4) {
            self.fours.next =
                self.fours.val().replace_bit(k, self.fours.val().get_bit(k) | self.cta_warps.val().get_bit(4 * k + 2));
        }
        for l in 0..((W + 0) / 4) {
            self.fours.next =
                self.fours.val().replace_bit(l, self.fours.val().get_bit(l) | self.cta_warps.val().get_bit(4 * l + 3));
        }
        for m in 1..((W + 3) / 4) {
            if self.fours.val().get_bit(m) {
                self.first.next = (4 * m).to_bits();
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
