// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A buffer of one: it takes a value while it is empty, and offers it until it is taken.
//!
//! *Reads:* the channel `in`. *Writes:* the channel `out`. *Latency:* 1, and a value every other cycle at most.

use crate::payload::Payload;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A buffer of a value of type `T`.
#[block]
pub struct Buffer<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<T>,
    pub out: Source<T>,
    #[reset]
    full: DFF<Bit>,
    value: DFF<T>,
}

#[block]
impl<T: Payload> Logic for Buffer<T> {
    fn update(&mut self) {
        if self.full.q.val() {
            self.full.d.next = !self.out.ready.val();
        } else {
            self.full.d.next = self.in_.valid.val();
            self.value.d.next = self.in_.payload.val();
        }
        self.in_.ready.next = !self.full.q.val();
        self.out.valid.next = self.full.q.val();
        self.out.payload.next = self.value.q.val();
    }
}
