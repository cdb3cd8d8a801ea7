// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A long queue in memory, first in first out.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head`, the oldest value; `value_count`, the number of values. *Latency:*
//! two cycles from `push` to `head` when empty, one from `pop` to the next head. The caller pushes only while an entry is free,
//! and pops only while `valid` is 1.

use crate::prim::ram::Ram;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `2^A` entries for values of type `T`; at most `2^A - 1` are in use.
#[block(primitive(fifo, WIDTH = data, ADDRESS_BITS = value_count))]
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
    pub value_count: Signal<Out, Bits<A>>,
    /// The entries, each for one value.
    values: Ram<T, A>,
    /// Address of the oldest value.
    #[reset]
    head_address: DFF<Bits<A>>,
    /// Address after the newest value.
    #[reset]
    tail_address: DFF<Bits<A>>,
    /// The oldest value is at the read port of `values`, so `head` is valid.
    #[reset]
    head_valid: DFF<Bit>,
    /// Address of the oldest value in the next cycle.
    next_head_address: Signal<Local, Bits<A>>,
}

#[block]
impl Logic for Fifo {
    fn update(&mut self) {
        self.next_head_address.next = self.head_address.q.val();
        if self.pop.val() {
            self.next_head_address.next = self.head_address.q.val() + 1;
        }
        self.head_address.d.next = self.next_head_address.val();
        if self.push.val() {
            self.tail_address.d.next = self.tail_address.q.val() + 1;
        }
        self.head_valid.d.next = self.next_head_address.val() != self.tail_address.q.val();
        self.values.write.next = self.push.val();
        self.values.write_address.next = self.tail_address.q.val();
        self.values.write_value.next = self.data.val();
        self.values.read.next = true;
        self.values.read_address.next = self.next_head_address.val();
        self.valid.next = self.head_valid.q.val();
        self.head.next = self.values.read_value.val();
        self.value_count.next = self.tail_address.q.val() - self.head_address.q.val();
    }
}
