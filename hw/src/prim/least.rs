// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares two numbers in a tree of gates instead of a carry chain.
//!
//! *Reads:* `a`, `b`. *Writes:* `is_at_least`: `a` is at least `b`. *Latency:* 0, no state.
//!
//! Synthesis maps a comparison operator to a carry chain. A carry chain needs little logic, but its entry and exit are slow.
//! For few bits that arrive late in the cycle, two levels of gates are faster.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// Numbers of `N` bits, `N` at most 8.
#[block]
pub struct AtLeast<N> {
    /// The number that is compared.
    pub a: Signal<In, Bits<N>>,
    /// The number with which `a` is compared.
    pub b: Signal<In, Bits<N>>,
    /// `a` is at least `b`.
    pub is_at_least: Signal<Out, Bit>,
    /// `a`, extended with zeros to 8 bits.
    a_bits: Signal<Local, Bits<8>>,
    /// `b`, extended with zeros to 8 bits.
    b_bits: Signal<Local, Bits<8>>,
    /// For each pair of bits: the pair of `a`, as a number, is above the pair of `b`.
    pair_above: [Signal<Local, Bit>; 4],
    /// For each pair of bits: the pair of `a` equals the pair of `b`.
    pair_equal: [Signal<Local, Bit>; 4],
    /// The low 4 bits of `a` are at least those of `b`.
    low_at_least: Signal<Local, Bit>,
    /// The high 4 bits of `a` are above those of `b`.
    high_above: Signal<Local, Bit>,
    /// The high 4 bits are equal.
    high_equal: Signal<Local, Bit>,
}

#[block]
impl Logic for AtLeast {
    fn update(&mut self) {
        self.a_bits.next = bit_cast::<8, N>(self.a.val());
        self.b_bits.next = bit_cast::<8, N>(self.b.val());
        for k in 0..4 {
            self.pair_equal[k].next = (self.a_bits.val().get_bit(2 * k) == self.b_bits.val().get_bit(2 * k))
                & (self.a_bits.val().get_bit(2 * k + 1) == self.b_bits.val().get_bit(2 * k + 1));
            self.pair_above[k].next = (self.a_bits.val().get_bit(2 * k + 1) & !self.b_bits.val().get_bit(2 * k + 1))
                | ((self.a_bits.val().get_bit(2 * k + 1) == self.b_bits.val().get_bit(2 * k + 1))
                    & self.a_bits.val().get_bit(2 * k)
                    & !self.b_bits.val().get_bit(2 * k));
        }
        self.low_at_least.next =
            self.pair_above[1].val() | (self.pair_equal[1].val() & (self.pair_above[0].val() | self.pair_equal[0].val()));
        self.high_above.next = self.pair_above[3].val() | (self.pair_equal[3].val() & self.pair_above[2].val());
        self.high_equal.next = self.pair_equal[3].val() & self.pair_equal[2].val();
        self.is_at_least.next = self.high_above.val() | (self.high_equal.val() & self.low_at_least.val());
    }
}
