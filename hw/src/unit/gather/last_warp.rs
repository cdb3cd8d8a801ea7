// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The highest warp of a CTA: the last warp of a Launch, which may have fewer live lanes than the others.
//!
//! *Reads:* the warps of the CTA. *Writes:* the number of the highest one (any number if there is none). *Latency:* 0, no state.
//! Implements the last warp in *State* of `docs/contract/gather.md`.
//!
//! The block finds the highest group of four warps with a warp of the CTA, then the highest such warp in that group.

use crate::prelude::*;

/// `W` warps of `LW` bits, `LW` at least 2.
#[block]
pub struct LastWarp<W, LW> {
    pub cta_warps: Signal<In, Bits<W>>,
    pub index: Signal<Out, Bits<LW>>,
    /// Groups of four warps with a warp of the CTA, one bit per group.
    occupied_groups: Signal<Local, Bits<W>>,
    /// The lowest warp number of the highest such group.
    group_first: Signal<Local, Bits<LW>>,
    /// The warp above `group_first`.
    group_second: Signal<Local, Bits<LW>>,
    /// The warp above `group_second`.
    group_third: Signal<Local, Bits<LW>>,
    /// The warp above `group_third`.
    group_fourth: Signal<Local, Bits<LW>>,
}

#[block]
impl Logic for LastWarp<W, LW> {
    fn update(&mut self) {
        self.group_first.next = 0.into();
        self.occupied_groups.next = 0.into();
        for i in 0..((W + 3) / 4) {
            self.occupied_groups.next = self
                .occupied_groups
                .val()
                .replace_bit(i, self.occupied_groups.val().get_bit(i) | self.cta_warps.val().get_bit(4 * i));
        }
        for j in 0..((W + 2) / 4) {
            self.occupied_groups.next = self
                .occupied_groups
                .val()
                .replace_bit(j, self.occupied_groups.val().get_bit(j) | self.cta_warps.val().get_bit(4 * j + 1));
        }
        for k in 0..((W + 1) / 4) {
            self.occupied_groups.next = self
                .occupied_groups
                .val()
                .replace_bit(k, self.occupied_groups.val().get_bit(k) | self.cta_warps.val().get_bit(4 * k + 2));
        }
        for l in 0..((W + 0) / 4) {
            self.occupied_groups.next = self
                .occupied_groups
                .val()
                .replace_bit(l, self.occupied_groups.val().get_bit(l) | self.cta_warps.val().get_bit(4 * l + 3));
        }
        for m in 1..((W + 3) / 4) {
            if self.occupied_groups.val().get_bit(m) {
                self.group_first.next = (4 * m).to_bits();
            }
        }
        self.group_second.next = self.group_first.val() | 1;
        self.group_third.next = self.group_first.val() | 2;
        self.group_fourth.next = self.group_first.val() | 3;
        self.index.next = self.group_first.val();
        if self.cta_warps.val().at(self.group_second.val()) {
            self.index.next = self.group_second.val();
        }
        if self.cta_warps.val().at(self.group_third.val()) {
            self.index.next = self.group_third.val();
        }
        if self.cta_warps.val().at(self.group_fourth.val()) {
            self.index.next = self.group_fourth.val();
        }
    }
}
