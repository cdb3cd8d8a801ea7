// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of four in registers, first in first out, for a `push` that is known late.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest entry (a gate); `left`, one bit per place, filled from the
//! bottom, what stays after the pop and before the push, combinational; `full`. *Latency:* one cycle from `push` to `head` when empty. The caller
//! pushes only while a place is free.
//!
//! The place behind the last one is written in every cycle, and `push` moves no more than the marks, so no enable waits for it.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// A queue of values of type `T`.
#[block]
pub struct Ring<T: Synth> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, T>,
    pub pop: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, T>,
    pub left: Signal<Out, Bits<4>>,
    /// All places are taken.
    pub full: Signal<Out, Bit>,
    places: [DFF<T>; 4],
    /// How many are in it, one bit each, from the bottom.
    #[reset]
    filled: DFF<Bits<4>>,
    /// The place of the head; the place behind the last, one bit each.
    #[reset]
    first: DFF<Bits<2>>,
    free: DFF<Bits<4>>,
    kept: Signal<Local, Bits<4>>,
    more: Signal<Local, Bits<4>>,
    turned: Signal<Local, Bits<4>>,
    goes: Signal<Local, Bits<4>>,
    stays: Signal<Local, Bits<4>>,
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

        // What stays after the pop, and what is there after the push.
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
        self.left.next = self.kept.val();

        self.step.next = bit_cast::<2, 1>(self.pop.val().into());
        self.first.d.next = self.first.q.val() + self.step.val();
        self.turned.next = self.free.q.val() << 1;
        self.turned.next = self.turned.val().replace_bit(0, self.free.q.val().get_bit(3));
        // Written as gates, since as an enable the push would come later.
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
