// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two channels become one: where both have something, they take turns.
//!
//! *Reads:* the channels `a` and `b`. *Writes:* the channel `out`. *Latency:* 0. What is offered stays until it is taken, whatever the other
//! channel does; while nothing is, `out` shows the payload of the channel that was last taken or offered.

use crate::payload::Payload;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Channels of values of type `T`.
#[block]
pub struct Merge<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Sink<T>,
    pub b: Sink<T>,
    pub out: Source<T>,
    /// It was `b` that was offered last.
    #[reset]
    last: DFF<Bit>,
    /// What was offered in the cycle before was not taken.
    #[reset]
    offered: DFF<Bit>,
    takes_b: Signal<Local, Bit>,
}

#[block]
impl<T: Payload> Logic for Merge<T> {
    fn update(&mut self) {
        self.takes_b.next = self.last.q.val();
        if !self.offered.q.val() {
            if self.a.valid.val() & self.b.valid.val() {
                self.takes_b.next = !self.last.q.val();
            }
            if self.a.valid.val() & !self.b.valid.val() {
                self.takes_b.next = false;
            }
            if self.b.valid.val() & !self.a.valid.val() {
                self.takes_b.next = true;
            }
        }
        self.last.d.next = self.takes_b.val();
        self.out.valid.next = self.a.valid.val() | self.b.valid.val();
        self.offered.d.next = self.out.valid.val() & !self.out.ready.val();
        self.out.payload.next = self.a.payload.val();
        if self.takes_b.val() {
            self.out.payload.next = self.b.payload.val();
        }
        self.a.ready.next = self.out.ready.val() & !self.takes_b.val();
        self.b.ready.next = self.out.ready.val() & self.takes_b.val();
    }
}
