// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Divides a number of threads by the lanes per warp, if the lanes are not a power of two and checks are built.
//!
//! *Reads:* the number of threads. *Writes:* whether there is a remainder; the quotient, if there is none. *Latency:* 0, no state.
//! Implements the participants of spec 000, which are counted in threads and arrive in warps.
//!
//! The lanes are an odd number times a power of two. The odd number has an inverse modulo 2^12. A multiple of the odd number,
//! times the inverse, is the quotient. Multiplication by the inverse maps the 12-bit numbers one to one. It maps the multiples
//! of the odd number to all numbers from 0 to the largest quotient, and any other number to a larger product. So a comparison
//! with the largest quotient detects a remainder. The lowest 12 bits of the product are sufficient.

use crate::prelude::*;

#[block]
pub struct ByInverse {
    pub threads: Signal<In, Bits<12>>,
    /// The quotient: the number of whole warps.
    pub warps: Signal<Out, Bits<12>>,
    /// There is a remainder.
    pub has_remainder: Signal<Out, Bit>,
    /// The product of the number of threads and the inverse.
    product: Signal<Local, Bits<12>>,
    /// The addend for bit i of the inverse: the number of threads without the bits below the power of two, shifted left
    /// by i.
    bit_multiple: Signal<Local, Bits<12>>,
    #[init(Constant::new(inverse(config.lanes as u64 >> config.lanes.trailing_zeros()).into()))]
    inverse: Constant<Bits<12>>,
    /// Exponent of the power of two in the lanes per warp.
    #[init(Constant::new((config.lanes.trailing_zeros() as u64).into()))]
    even_bits: Constant<Bits<3>>,
    /// Mask of the bits of `threads` below the power of two in the lanes per warp: if one of these bits is 1, there is a remainder.
    #[init(Constant::new(((1u64 << config.lanes.trailing_zeros()) - 1).into()))]
    remainder_mask: Constant<Bits<12>>,
    /// The largest product without a remainder: that of the largest multiple of the lanes.
    #[init(Constant::new(((4095 / config.lanes as u64) << config.lanes.trailing_zeros()).into()))]
    largest_product: Constant<Bits<12>>,
}

/// The inverse of an odd number modulo 2^12, by Newton's method: each step doubles the number of correct bits. The start value, the
/// number itself, is correct in 3 bits.
fn inverse(odd: u64) -> u64 {
    let better = |inverse: u64| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    better(better(odd)) % (1 << 12)
}

#[block]
impl Logic for ByInverse {
    fn update(&mut self) {
        self.product.next = 0.into();
        self.bit_multiple.next = self.threads.val() & !self.remainder_mask.val();
        for i in 0..12 {
            if self.inverse.val().get_bit(i) {
                self.product.next = self.product.val() + self.bit_multiple.val();
            }
            self.bit_multiple.next = self.bit_multiple.val() << 1;
        }
        self.warps.next = self.product.val() >> self.even_bits.val();
        self.has_remainder.next =
            (self.threads.val() & self.remainder_mask.val()).any() | (self.product.val() > self.largest_product.val());
    }
}
