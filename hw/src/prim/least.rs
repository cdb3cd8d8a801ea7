// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares two numbers in a tree of gates.
//!
//! *Reads:* `a`, `b`. *Writes:* `yes`, whether `a` is at least `b`. *Latency:* 0, no state.
//!
//! A comparison that is written as such becomes a carry chain, which is short of logic but long of wire to get into and out of; for few
//! bits that come late, two levels of gates are faster.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// Numbers of `N` bits, `N` at most 8.
#[block]
pub struct AtLeast<N> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub yes: Signal<Out, Bit>,
    x: Signal<Local, Bits<8>>,
    y: Signal<Local, Bits<8>>,
    /// Of each pair of bits: above, equal.
    above: [Signal<Local, Bit>; 4],
    equal: [Signal<Local, Bit>; 4],
    low: Signal<Local, Bit>,
    high: Signal<Local, Bit>,
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
