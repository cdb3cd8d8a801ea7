// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register stage of a channel, for one value: accepts a value while it is empty, and offers the value until its transfer.
//!
//! *Reads:* the channel `in`. *Writes:* the channel `out`. *Latency:* 1, and at most one value every other cycle.

use crate::payload::Payload;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A buffer for one value of type `T`.
#[block(primitive(buffer, WIDTH = in_.payload))]
pub struct Buffer<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Values that enter the buffer.
    pub in_: Sink<T>,
    /// The value in the buffer.
    pub out: Source<T>,
    /// The buffer holds a value.
    #[reset]
    full: DFF<Bit>,
    /// The value in the buffer; stale if `full` is 0.
    value: DFF<T>,
}

#[block]
impl Logic for Buffer {
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
