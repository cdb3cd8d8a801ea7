// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is, of several that ask: the next one behind the last, in their order, round and round.
//!
//! *Reads:* who asks, and whether the turn is taken. *Writes:* whose turn it is, one bit, 0 if nobody asks; who took the last. *Latency:* 0; a turn
//! that is taken counts from the next cycle on.
//!
//! The bits below and at the lowest one are those that a subtraction changes: a carry chain, where a loop over all would be a chain of gates.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N` that ask.
#[block]
pub struct RoundRobin<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub asks: Signal<In, Bits<N>>,
    pub takes: Signal<In, Bit>,
    pub turn: Signal<Out, Bits<N>>,
    pub last: Signal<Out, Bits<N>>,
    #[reset]
    kept: DFF<Bits<N>>,
    below: Signal<Local, Bits<N>>,
    later: Signal<Local, Bits<N>>,
    choice: Signal<Local, Bits<N>>,
    negated: Signal<Local, Bits<N>>,
    none: Constant<Bits<N>>,
}

#[block]
impl Logic for RoundRobin<N> {
    fn update(&mut self) {
        self.below.next = self.kept.q.val() - 1;
        self.later.next = self.asks.val() & !(self.kept.q.val() | self.below.val());
        self.choice.next = self.asks.val();
        if self.later.val().any() {
            self.choice.next = self.later.val();
        }
        self.negated.next = self.none.val() - self.choice.val();
        self.turn.next = self.choice.val() & self.negated.val();
        if self.takes.val() & self.asks.val().any() {
            self.kept.d.next = self.turn.val();
        }
        self.last.next = self.kept.q.val();
    }
}
