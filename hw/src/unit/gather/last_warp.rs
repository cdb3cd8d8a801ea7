// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The highest warp of a CTA: the last warp of a Launch, which may have fewer live lanes than the other warps.
//!
//! *Reads:* the warps of the CTA. *Writes:* the number of the highest warp; 0 if the mask of warps is 0. *Latency:* 0, no
//! state. Implements the last warp in *State* of `docs/contract/gather.md`.
//!
//! The block first finds the highest group of four warps in which there is a warp of the CTA, then the highest warp of the CTA in
//! that group.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `LW` at least 2.
#[block]
pub struct LastWarp<W, LW> {
    pub cta_warps: Signal<In, Bits<W>>,
    pub index: Signal<Out, Bits<LW>>,
    /// Groups of four warps in which there is a warp of the CTA, one bit per group.
    occupied_groups: Signal<Local, Bits<W>>,
    /// The lowest warp number in the highest group of `occupied_groups`.
    group_first: Signal<Local, Bits<LW>>,
    /// The warp above `group_first`.
    group_second: Signal<Local, Bits<LW>>,
    /// The warp above `group_second`.
    group_third: Signal<Local, Bits<LW>>,
    /// The warp above `group_third`.
    group_fourth: Signal<Local, Bits<LW>>,
}

#[block]
impl Logic for LastWarp {
    fn update(&mut self) {
        self.group_first.next = 0.into();
        self.occupied_groups.next = 0.into();

        // The groups with a warp of the CTA: bit m of `occupied_groups` is the OR of the bits 4m to 4m + 3 of `cta_warps`, in four
        // loops because the last group may be incomplete.
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

        // The highest such group wins, because the last assignment wins.
        for m in 1..((W + 3) / 4) {
            if self.occupied_groups.val().get_bit(m) {
                self.group_first.next = (4 * m).to_bits();
            }
        }

        // In that group the highest warp of the CTA wins; the default is the first warp of the
        // group.
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
