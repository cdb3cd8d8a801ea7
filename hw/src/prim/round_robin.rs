// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is, of several that ask: the next one behind the last, in their order, round and round.
//!
//! *Reads:* who asks, and whether the turn is taken. *Writes:* whose turn it is, one bit, 0 if nobody asks; who took the last. *Latency:* 0; a turn
//! that is taken counts from the next cycle on.
//!
//! The lowest one is what it has in common with its negation, and the bits above it are those in which the two differ: a carry chain, where a loop
//! over all would be a chain of gates. That of those behind the last and that of all are found side by side.

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
    /// Those behind the last.
    #[reset]
    behind: DFF<Bits<N>>,
    later: Signal<Local, Bits<N>>,
    minus_later: Signal<Local, Bits<N>>,
    minus_asks: Signal<Local, Bits<N>>,
    none: Constant<Bits<N>>,
}

#[block]
impl Logic for RoundRobin<N> {
    fn update(&mut self) {
        self.later.next = self.asks.val() & self.behind.q.val();
        self.minus_later.next = self.none.val() - self.later.val();
        self.minus_asks.next = self.none.val() - self.asks.val();
        self.turn.next = self.asks.val() & self.minus_asks.val();
        if self.later.val().any() {
            self.turn.next = self.later.val() & self.minus_later.val();
        }
        if self.takes.val() & self.asks.val().any() {
            self.kept.d.next = self.turn.val();
            self.behind.d.next = self.asks.val() ^ self.minus_asks.val();
            if self.later.val().any() {
                self.behind.d.next = self.later.val() ^ self.minus_later.val();
            }
        }
        self.last.next = self.kept.q.val();
    }
}
