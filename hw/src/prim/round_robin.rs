// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is, of several that want one: the next behind the last that had it, round and round.
//!
//! *Reads:* who wants a turn, and whether the turn is taken. *Writes:* in the same cycle who has it, one bit, none if nobody wants it.
//! *Latency:* 0. After reset the lowest is the first.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N` that take turns.
#[block]
pub struct RoundRobin<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub wants: Signal<In, Bits<N>>,
    pub takes: Signal<In, Bit>,
    pub turn: Signal<Out, Bits<N>>,
    /// Who had the last turn, if anybody.
    #[reset]
    last: DFF<Bits<N>>,
    /// All below the last.
    below: Signal<Local, Bits<N>>,
    later: Signal<Local, Bits<N>>,
    choice: Signal<Local, Bits<N>>,
    less: Signal<Local, Bits<N>>,
}

#[block]
impl Logic for RoundRobin<N> {
    fn update(&mut self) {
        self.below.next = self.last.q.val() - 1;
        self.later.next = self.wants.val() & !self.below.val() & !self.last.q.val();
        self.choice.next = self.wants.val();
        if self.later.val().any() {
            self.choice.next = self.later.val();
        }
        // The lowest bit of the choice.
        self.less.next = self.choice.val() - 1;
        self.turn.next = self.choice.val() & !self.less.val();
        if self.takes.val() & self.wants.val().any() {
            self.last.d.next = self.turn.val();
        }
    }
}
