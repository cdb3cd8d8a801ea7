// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A short queue in registers, first in first out.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest value; `used_next`, the entries in use in the
//! next cycle, one bit each, filled from bit 0 up; `full`. *Latency:* one cycle from `push` to `head` when empty. The caller
//! pushes only while an entry is free, or is freed by `pop` in that cycle. Pushes that are still in flight to the queue are not counted
//! here, so the caller counts them and drives `ready` of the channel that feeds the queue.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// A queue of `N` values of type `T`, `N` at least 2.
#[block(primitive(queue, WIDTH = data, DEPTH = used_next))]
pub struct Queue<T: Synth, N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// `data` is pushed.
    pub push: Signal<In, Bit>,
    /// Value to push.
    pub data: Signal<In, T>,
    /// `head` is removed.
    pub pop: Signal<In, Bit>,
    /// The queue is not empty: `head` has a value.
    pub valid: Signal<Out, Bit>,
    /// The oldest value.
    pub head: Signal<Out, T>,
    /// Entries in use in the next cycle, one bit each, filled from bit 0 up.
    pub used_next: Signal<Out, Bits<N>>,
    /// All entries are in use.
    pub full: Signal<Out, Bit>,
    /// The values; entry 0 is the head.
    values: [DFF<T>; N],
    /// Entries in use, one bit each, filled from bit 0 up.
    filled: DFF<Bits<N>>,
    /// Entries in use after the pop and before the push.
    remaining: Signal<Local, Bits<N>>,
    /// Entries in use after the pop and the push.
    filled_next: Signal<Local, Bits<N>>,
    /// Variable of the loop over the entries in `update`: the loop has not yet found an entry for the push.
    push_pending: Signal<Local, Bit>,
    /// For each entry: the push writes `data` to the entry.
    receives_push: [Signal<Local, Bit>; N],
}

#[block]
impl Logic for Queue {
    fn update(&mut self) {
        self.valid.next = self.filled.q.val().get_bit(0);
        self.head.next = self.values[0].q.val();
        for n in N..(N + 1) {
            self.full.next = self.filled.q.val().get_bit(n - 1);
        }

        // Entries that stay in use after the pop, already moved down by one.
        self.remaining.next = self.filled.q.val();
        if self.pop.val() {
            self.remaining.next = self.filled.q.val() >> 1;
        }
        self.filled_next.next = self.remaining.val();

        for i in 1..N {
            if self.pop.val() & self.filled.q.val().get_bit(i) {
                self.values[i - 1].d.next = self.values[i].q.val();
            }
        }
        // The push goes to the lowest entry that is free after the pop.
        self.push_pending.next = self.push.val();
        for i in 0..N {
            self.receives_push[i].next = self.push_pending.val() & !self.remaining.val().get_bit(i);
            if self.receives_push[i].val() {
                self.values[i].d.next = self.data.val();
                self.filled_next.next = self.remaining.val().replace_bit(i, true);
                self.push_pending.next = false;
            }
        }
        if self.reset.val() {
            self.filled_next.next = 0.into();
        }
        self.filled.d.next = self.filled_next.val();
        self.used_next.next = self.filled_next.val();
    }
}
