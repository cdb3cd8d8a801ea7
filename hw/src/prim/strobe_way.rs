// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A strobe through any number of registers.
//!
//! *Reads:* the strobe `in`. *Writes:* the strobe `out`, the same as many cycles later as there are registers. *Latency:* that number; with none it is
//! a wire.

use crate::payload::Payload;
use crate::prim::channel::{StrobeIn, StrobeOut};
use crate::prim::strobe::StrobeRegister;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A strobe with a payload of type `T`.
#[block]
pub struct StrobeWay<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<T>,
    pub out: StrobeOut<T>,
    #[init(vec![])]
    stages: Vec<StrobeRegister<T>>,
    #[init(0)]
    _length: usize,
    /// Behind the stages so far.
    valid: Signal<Local, Bit>,
    payload: Signal<Local, T>,
}

#[block]
impl<T: Payload> StrobeWay<T> {
    /// Of this many registers.
    pub fn of(length: usize) -> Self {
        StrobeWay { stages: (0..length).map(|_| StrobeRegister::default()).collect(), _length: length, ..Default::default() }
    }
}

#[block]
impl<T: Payload> Logic for StrobeWay<T> {
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
    }
}
