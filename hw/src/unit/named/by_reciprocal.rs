// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Divides a number of threads by the lanes per warp, if the lanes are not a power of two and checks are not built.
//!
//! *Reads:* the number of threads. *Writes:* the quotient. *Latency:* 0, no state. Implements "nothing is checked" of
//! `docs/contract/named.md`, so a remainder is ignored.
//!
//! The number is multiplied by the reciprocal of the lanes per warp. The reciprocal is rounded up and has 18 fraction bits, so the
//! quotient is exact for numbers of 12 bits.

use crate::prelude::*;

/// Fraction bits of the reciprocal.
const FRACTION: u64 = 18;

#[block]
pub struct ByReciprocal {
    pub threads: Signal<In, Bits<12>>,
    /// The quotient: the number of whole warps.
    pub warps: Signal<Out, Bits<12>>,
    /// The product of the number of threads and the reciprocal.
    product: Signal<Local, Bits<30>>,
    /// The addend for bit i of the reciprocal: the number of threads, shifted left by i.
    bit_multiple: Signal<Local, Bits<30>>,
    #[init(Constant::new((1u64 << FRACTION).div_ceil(config.lanes as u64).into()))]
    reciprocal: Constant<Bits<19>>,
    #[init(Constant::new(FRACTION.into()))]
    fraction_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for ByReciprocal {
    fn update(&mut self) {
        self.product.next = 0.into();
        self.bit_multiple.next = bit_cast::<30, 12>(self.threads.val());
        for i in 0..19 {
            if self.reciprocal.val().get_bit(i) {
                self.product.next = self.product.val() + self.bit_multiple.val();
            }
            self.bit_multiple.next = self.bit_multiple.val() << 1;
        }
        self.warps.next = bit_cast::<12, 30>(self.product.val() >> self.fraction_bits.val());
    }
}
