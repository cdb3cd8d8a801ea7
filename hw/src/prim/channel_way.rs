// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A channel through a chain of any number of buffers.
//!
//! *Reads:* the channel `in`. *Writes:* the channel `out`. *Latency:* the number of buffers, and at most one value every other
//! cycle; a chain of no buffers is a wire.

use crate::payload::Payload;
use crate::prim::buffer::Buffer;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A channel with a payload of type `T`.
#[block]
pub struct ChannelWay<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Input of the chain.
    pub in_: Sink<T>,
    /// Output of the chain.
    pub out: Source<T>,
    /// The buffers of the chain, the first at `in`.
    #[init(vec![])]
    stages: Vec<Buffer<T>>,
    #[init(0)]
    _length: usize,
    /// `valid` at the output of the last buffer of the chain.
    valid: Signal<Local, Bit>,
    /// The payload at the output of that buffer.
    payload: Signal<Local, T>,
    /// `ready` at the input of the first buffer of the chain.
    ready: Signal<Local, Bit>,
}

#[block]
impl ChannelWay {
    /// A chain of `length` buffers.
    pub fn of(length: usize) -> Self {
        ChannelWay { stages: (0..length).map(|_| Buffer::default()).collect(), _length: length, ..Default::default() }
    }
}

#[block]
impl Logic for ChannelWay {
    fn update(&mut self) {
        self.valid.next = self.in_.valid.val();
        self.payload.next = self.in_.payload.val();
        for i in 0..self._length {
            self.stages[i].in_.valid.next = self.valid.val();
            self.stages[i].in_.payload.next = self.payload.val();
            self.valid.next = self.stages[i].out.valid.val();
            self.payload.next = self.stages[i].out.payload.val();
        }
        self.out.valid.next = self.valid.val();
        self.out.payload.next = self.payload.val();

        self.ready.next = self.out.ready.val();
        for n in self._length..(self._length + 1) {
            for j in 0..self._length {
                self.stages[n - 1 - j].out.ready.next = self.ready.val();
                self.ready.next = self.stages[n - 1 - j].in_.ready.val();
            }
        }
        self.in_.ready.next = self.ready.val();
    }
}
