// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A queue of two in registers, first in first out, field by field.
//!
//! *Reads:* `push` with `data`, `pop`. *Writes:* `valid` and `head` (the oldest entry); `full`, and as it will be in the next cycle.
//! *Latency:* one cycle from `push` to `head` when empty. The caller pushes only while a place is free or becomes free.
//!
//! Whatever stands at `data` is written where nothing is kept, so that no enable waits for `push`.

use crate::payload::Payload;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A queue of values of type `T`.
#[block]
pub struct Pair<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, T>,
    pub pop: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, T>,
    pub full: Signal<Out, Bit>,
    pub full_next: Signal<Out, Bit>,
    first: DFF<T>,
    second: DFF<T>,
    #[reset]
    one: DFF<Bit>,
    #[reset]
    two: DFF<Bit>,
}

#[block]
impl<T: Payload> Logic for Pair<T> {
    fn update(&mut self) {
        if self.pop.val() | !self.one.q.val() {
            self.first.d.next = self.data.val();
            if self.two.q.val() {
                self.first.d.next = self.second.q.val();
            }
        }
        if self.pop.val() | !self.two.q.val() {
            self.second.d.next = self.data.val();
        }
        self.full_next.next = (self.two.q.val() & !self.pop.val()) | (self.push.val() & self.one.q.val() & !self.pop.val());
        if self.two.q.val() & self.pop.val() {
            self.full_next.next = self.push.val();
        }
        self.one.d.next = self.push.val() | self.two.q.val() | (self.one.q.val() & !self.pop.val());
        self.two.d.next = self.full_next.val();
        self.valid.next = self.one.q.val();
        self.head.next = self.first.q.val();
        self.full.next = self.two.q.val();
    }
}
