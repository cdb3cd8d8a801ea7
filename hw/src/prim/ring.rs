// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of four in registers, first in first out, for a `push` that arrives late in the cycle.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest value (a gate); `filled_after_pop`, the entries
//! in use after the pop and before the push, one bit each, filled from bit 0 up, combinational; `full`. *Latency:* one cycle
//! from `push` to `head` when empty. The caller pushes only while an entry is free.
//!
//! The entry after the newest value is written in every cycle, and `push` only moves the pointer to that entry, so no write enable
//! waits for `push`.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// A queue of values of type `T`.
#[block]
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
    /// The values.
    places: [DFF<T>; 4],
    /// Number of values in unary: as many bits are 1, from bit 0 up.
    #[reset]
    filled: DFF<Bits<4>>,
    /// Index of the head's entry.
    #[reset]
    first: DFF<Bits<2>>,
    /// One-hot: entry after the newest value, which the next push fills.
    free: DFF<Bits<4>>,
    /// `filled` after the pop.
    kept: Signal<Local, Bits<4>>,
    /// `kept` with one value more.
    more: Signal<Local, Bits<4>>,
    /// `free` rotated by one entry.
    turned: Signal<Local, Bits<4>>,
    /// `free` in the next cycle if there is a push, else 0.
    goes: Signal<Local, Bits<4>>,
    /// `free` in the next cycle if there is no push, else 0.
    stays: Signal<Local, Bits<4>>,
    /// 1 if there is a pop.
    step: Signal<Local, Bits<2>>,
}

#[block]
impl<T: Synth> Logic for Ring<T> {
    fn update(&mut self) {
        self.valid.next = self.filled.q.val().get_bit(0);
        self.full.next = self.filled.q.val().get_bit(3);
        self.head.next = self.places[0].q.val();
        for i in 1..4 {
            if self.first.q.val() == i.to_bits() {
                self.head.next = self.places[i].q.val();
            }
        }

        // The values after the pop, and the values after the push.
        self.kept.next = self.filled.q.val();
        if self.pop.val() {
            self.kept.next = self.filled.q.val() >> 1;
        }
        self.more.next = self.kept.val() << 1;
        self.more.next = self.more.val().replace_bit(0, true);
        self.filled.d.next = self.kept.val();
        if self.push.val() {
            self.filled.d.next = self.more.val();
        }
        self.filled_after_pop.next = self.kept.val();

        self.step.next = bit_cast::<2, 1>(self.pop.val().into());
        self.first.d.next = self.first.q.val() + self.step.val();
        self.turned.next = self.free.q.val() << 1;
        self.turned.next = self.turned.val().replace_bit(0, self.free.q.val().get_bit(3));
        // Written with gates: `push` as a write enable would make a longer path.
        self.goes.next = 0.into();
        self.stays.next = self.free.q.val();
        if self.push.val() {
            self.goes.next = self.turned.val();
            self.stays.next = 0.into();
        }
        self.free.d.next = self.goes.val() | self.stays.val();

        for i in 0..4 {
            if self.free.q.val().get_bit(i) & !self.filled.q.val().get_bit(3) {
                self.places[i].d.next = self.data.val();
            }
        }
        if self.reset.val() {
            self.free.d.next = 1.into();
        }
    }
}
