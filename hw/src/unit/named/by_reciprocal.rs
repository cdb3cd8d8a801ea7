// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Divides a number of threads by the lanes per warp, where these are no power of two.
//!
//! *Reads:* the number of threads. *Writes:* the quotient, and whether there is a remainder. *Latency:* 0, no state. Implements
//! the participants of spec 000, which are counted in threads and come in warps.
//!
//! The number is multiplied by the reciprocal of the lanes, rounded up: with 18 fraction bits the quotient is exact for numbers
//! of 12 bits. There is a remainder if the quotient times the lanes is not the number.

use crate::prelude::*;

/// Fraction bits of the reciprocal.
const FRACTION: u64 = 18;

#[block]
pub struct ByReciprocal {
    pub threads: Signal<In, Bits<12>>,
    /// The quotient: whole warps.
    pub warps: Signal<Out, Bits<12>>,
    /// There is a remainder.
    pub rest: Signal<Out, Bit>,
    /// Sum so far of the product of the number and the reciprocal.
    product: Signal<Local, Bits<30>>,
    /// The number, shifted for the next bit.
    shifted: Signal<Local, Bits<30>>,
    quotient: Signal<Local, Bits<12>>,
    /// Sum so far of the product of the quotient and the lanes.
    back: Signal<Local, Bits<12>>,
    /// The quotient, shifted for the next bit.
    times: Signal<Local, Bits<12>>,
    #[init(Constant::new((1u64 << FRACTION).div_ceil(config.lanes as u64).into()))]
    reciprocal: Constant<Bits<19>>,
    #[init(Constant::new((config.lanes as u64).into()))]
    lanes: Constant<Bits<7>>,
    #[init(Constant::new(FRACTION.into()))]
    fraction: Constant<Bits<5>>,
}

#[block]
impl Logic for ByReciprocal {
    fn update(&mut self) {
        self.product.next = 0.into();
        self.shifted.next = bit_cast::<30, 12>(self.threads.val());
        for i in 0..19 {
            if self.reciprocal.val().get_bit(i) {
                self.product.next = self.product.val() + self.shifted.val();
            }
            self.shifted.next = self.shifted.val() << 1;
        }
        self.quotient.next = bit_cast::<12, 30>(self.product.val() >> self.fraction.val());
        self.back.next = 0.into();
        self.times.next = self.quotient.val();
        for j in 0..7 {
            if self.lanes.val().get_bit(j) {
                self.back.next = self.back.val() + self.times.val();
            }
            self.times.next = self.times.val() << 1;
        }
        self.warps.next = self.quotient.val();
        self.rest.next = self.back.val() != self.threads.val();
    }
}
