// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of four values in registers, first in first out, for a `push` that arrives late in the cycle.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest value (a gate); `filled_after_pop`, the entries
//! in use after the pop and before the push, one bit each, filled from bit 0 up, combinational; `full`. *Latency:* one cycle
//! from `push` to `head` when empty. The caller pushes only while `full` is 0, even in a cycle with a pop.
//!
//! The entry after the newest value is written in every cycle in which `full` is 0, and `push` only moves the pointer to that entry, so
//! no write enable waits for `push`.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// A queue of values of type `T`.
#[block(primitive(ring, WIDTH = data))]
pub struct Ring<T: Synth> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// `data` is pushed.
    pub push: Signal<In, Bit>,
    /// Value to push.
    pub data: Signal<In, T>,
    /// `head` is removed.
    pub pop: Signal<In, Bit>,
    /// `head` is the oldest value.
    pub valid: Signal<Out, Bit>,
    /// The oldest value.
    pub head: Signal<Out, T>,
    /// Entries in use after the pop and before the push, one bit each, filled from bit 0 up.
    pub filled_after_pop: Signal<Out, Bits<4>>,
    /// All entries are in use.
    pub full: Signal<Out, Bit>,
    /// The entries, each for one value.
    values: [DFF<T>; 4],
    /// Number of values in unary: that many bits are 1, from bit 0 up.
    #[reset]
    filled: DFF<Bits<4>>,
    /// Index of the head's entry.
    #[reset]
    head_index: DFF<Bits<2>>,
    /// One-hot: entry after the newest value, which the next push fills.
    push_entry: DFF<Bits<4>>,
    /// `filled` after the pop and before the push.
    remaining: Signal<Local, Bits<4>>,
    /// `filled` after the pop and the push.
    filled_after_push: Signal<Local, Bits<4>>,
    /// `push_entry` rotated by one entry.
    rotated_entry: Signal<Local, Bits<4>>,
    /// `push_entry` in the next cycle if there is a push, else 0.
    advanced_entry: Signal<Local, Bits<4>>,
    /// `push_entry` in the next cycle if there is no push, else 0.
    unchanged_entry: Signal<Local, Bits<4>>,
    /// Increment of `head_index`: 1 if there is a pop, else 0.
    head_increment: Signal<Local, Bits<2>>,
}

#[block]
impl Logic for Ring {
    fn update(&mut self) {
        self.valid.next = self.filled.q.val().get_bit(0);
        self.full.next = self.filled.q.val().get_bit(3);
        self.head.next = self.values[0].q.val();
        for i in 1..4 {
            if self.head_index.q.val() == i.to_bits() {
                self.head.next = self.values[i].q.val();
            }
        }

        // The entries in use after the pop (`remaining`), and after pop and push.
        self.remaining.next = self.filled.q.val();
        if self.pop.val() {
            self.remaining.next = self.filled.q.val() >> 1;
        }
        self.filled_after_push.next = self.remaining.val() << 1;
        self.filled_after_push.next = self.filled_after_push.val().replace_bit(0, true);
        self.filled.d.next = self.remaining.val();
        if self.push.val() {
            self.filled.d.next = self.filled_after_push.val();
        }
        self.filled_after_pop.next = self.remaining.val();

        self.head_increment.next = bit_cast::<2, 1>(self.pop.val().into());
        self.head_index.d.next = self.head_index.q.val() + self.head_increment.val();
        self.rotated_entry.next = self.push_entry.q.val() << 1;
        self.rotated_entry.next = self.rotated_entry.val().replace_bit(0, self.push_entry.q.val().get_bit(3));
        // `push` selects between two values: `push` as the write enable of the register would be a
        // longer path.
        self.advanced_entry.next = 0.into();
        self.unchanged_entry.next = self.push_entry.q.val();
        if self.push.val() {
            self.advanced_entry.next = self.rotated_entry.val();
            self.unchanged_entry.next = 0.into();
        }
        self.push_entry.d.next = self.advanced_entry.val() | self.unchanged_entry.val();

        for i in 0..4 {
            if self.push_entry.q.val().get_bit(i) & !self.filled.q.val().get_bit(3) {
                self.values[i].d.next = self.data.val();
            }
        }
        if self.reset.val() {
            self.push_entry.d.next = 1.into();
        }
    }
}
