// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares two numbers in a tree of gates instead of a carry chain.
//!
//! *Reads:* `a`, `b`. *Writes:* `yes`: `a` is at least `b`. *Latency:* 0, no state.
//!
//! Synthesis maps a comparison operator to a carry chain. A carry chain needs little logic, but its entry and exit are slow.
//! For few bits that arrive late in the cycle, two levels of gates are faster.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// Numbers of `N` bits, `N` at most 8.
#[block]
pub struct AtLeast<N> {
    /// First number.
    pub a: Signal<In, Bits<N>>,
    /// Second number.
    pub b: Signal<In, Bits<N>>,
    /// `a` is at least `b`.
    pub yes: Signal<Out, Bit>,
    /// `a` in 8 bits.
    x: Signal<Local, Bits<8>>,
    /// `b` in 8 bits.
    y: Signal<Local, Bits<8>>,
    /// For each pair of bits: the value of `a`'s is above that of `b`'s.
    above: [Signal<Local, Bit>; 4],
    /// For each pair of bits: those of `a` and `b` are equal.
    equal: [Signal<Local, Bit>; 4],
    /// The low 4 bits of `a` are at least those of `b`.
    low: Signal<Local, Bit>,
    /// The high 4 bits of `a` are above those of `b`.
    high: Signal<Local, Bit>,
    /// The high 4 bits are equal.
    tie: Signal<Local, Bit>,
}

#[block]
impl Logic for AtLeast<N> {
    fn update(&mut self) {
        self.x.next = bit_cast::<8, N>(self.a.val());
        self.y.next = bit_cast::<8, N>(self.b.val());
        for k in 0..4 {
            self.equal[k].next = (self.x.val().get_bit(2 * k) == self.y.val().get_bit(2 * k))
                & (self.x.val().get_bit(2 * k + 1) == self.y.val().get_bit(2 * k + 1));
            self.above[k].next = (self.x.val().get_bit(2 * k + 1) & !self.y.val().get_bit(2 * k + 1))
                | ((self.x.val().get_bit(2 * k + 1) == self.y.val().get_bit(2 * k + 1))
                    & self.x.val().get_bit(2 * k)
                    & !self.y.val().get_bit(2 * k));
        }
        self.low.next = self.above[1].val() | (self.equal[1].val() & (self.above[0].val() | self.equal[0].val()));
        self.high.next = self.above[3].val() | (self.equal[3].val() & self.above[2].val());
        self.tie.next = self.equal[3].val() & self.equal[2].val();
        self.yes.next = self.high.val() | (self.tie.val() & self.low.val());
    }
}
