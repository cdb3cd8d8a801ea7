// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares a number of threads with the lanes of a number of warps.
//!
//! *Reads:* a number of threads, or of lanes that contribute 1 each; a number of warps. *Writes:* whether the threads are more than
//! the lanes of these warps. *Latency:* 0, no state. Implements the limits of POPC values in *Write to Barrier* and *Write to Warp* of
//! `docs/contract/named.md`.
//!
//! The lanes per warp are an odd number times a power of two. Both sides of the comparison are divided by the power of two: the
//! number of warps is multiplied only by the odd number, and the number of threads is shifted right. An extra lowest bit of the
//! shifted number is 1 if one of the bits shifted out is 1. If the lanes per warp are a power of two, the odd number is 1, so
//! no multiplication is needed.

use crate::prelude::*;

#[block]
pub struct MoreThan {
    pub threads: Signal<In, Bits<13>>,
    pub warps: Signal<In, Bits<7>>,
    pub is_more: Signal<Out, Bit>,
    /// The number of threads divided by the power of two, with the extra lowest bit.
    scaled_threads: Signal<Local, Bits<14>>,
    /// The number of lanes of the warps divided by the power of two, with an extra lowest bit of 0: twice the
    /// number of warps, times the odd number.
    scaled_lanes: Signal<Local, Bits<14>>,
    /// The addend for bit i of the odd factor: twice the number of warps, shifted left by i.
    bit_multiple: Signal<Local, Bits<14>>,
    /// The odd factor of the lanes per warp.
    #[init(Constant::new((config.lanes as u64 >> config.lanes.trailing_zeros()).into()))]
    odd_factor: Constant<Bits<6>>,
    /// Exponent of the power of two in the lanes per warp.
    #[init(Constant::new((config.lanes.trailing_zeros() as u64).into()))]
    even_bits: Constant<Bits<3>>,
    /// Mask of the bits of the number of threads that are shifted out.
    #[init(Constant::new(((1u64 << config.lanes.trailing_zeros()) - 1).into()))]
    remainder_mask: Constant<Bits<13>>,
}

#[block]
impl Logic for MoreThan {
    fn update(&mut self) {
        self.scaled_threads.next = bit_cast::<14, 13>(self.threads.val() >> self.even_bits.val()) << 1;
        if (self.threads.val() & self.remainder_mask.val()).any() {
            self.scaled_threads.next = self.scaled_threads.val() | 1;
        }

        // The product by shifts and additions.
        self.scaled_lanes.next = 0.into();
        self.bit_multiple.next = bit_cast::<14, 7>(self.warps.val()) << 1;
        for i in 0..6 {
            if self.odd_factor.val().get_bit(i) {
                self.scaled_lanes.next = self.scaled_lanes.val() + self.bit_multiple.val();
            }
            self.bit_multiple.next = self.bit_multiple.val() << 1;
        }
        self.is_more.next = self.scaled_threads.val() > self.scaled_lanes.val();
    }
}
