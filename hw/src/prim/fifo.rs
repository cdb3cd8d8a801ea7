// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A long queue in memory, first in first out.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest value; `used`, the number of values. *Latency:*
//! two cycles from `push` to `head` when empty, one from `pop` to the next head. The caller pushes only while an entry is free,
//! and pops only while `valid` is 1.

use crate::prim::ram::Ram;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `2^A` entries for values of type `T`; at most `2^A - 1` are in use.
#[block]
pub struct Fifo<T: Synth, A> {
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
    /// Number of values in the queue.
    pub used: Signal<Out, Bits<A>>,
    /// The values.
    places: Ram<T, A>,
    /// Address of the oldest value.
    #[reset]
    first: DFF<Bits<A>>,
    /// Address after the newest value.
    #[reset]
    last: DFF<Bits<A>>,
    /// The oldest value has been read.
    #[reset]
    there: DFF<Bit>,
    /// Address of the oldest value in the next cycle.
    after: Signal<Local, Bits<A>>,
}

#[block]
impl<T: Synth> Logic for Fifo<T, A> {
    fn update(&mut self) {
        self.after.next = self.first.q.val();
        if self.pop.val() {
            self.after.next = self.first.q.val() + 1;
        }
        self.first.d.next = self.after.val();
        if self.push.val() {
            self.last.d.next = self.last.q.val() + 1;
        }
        self.there.d.next = self.after.val() != self.last.q.val();
        self.places.write.next = self.push.val();
        self.places.write_address.next = self.last.q.val();
        self.places.write_value.next = self.data.val();
        self.places.read.next = true;
        self.places.read_address.next = self.after.val();
        self.valid.next = self.there.q.val();
        self.head.next = self.places.read_value.val();
        self.used.next = self.last.q.val() - self.first.q.val();
    }
}
