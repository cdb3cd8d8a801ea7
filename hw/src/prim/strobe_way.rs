// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A strobe through a chain of any number of registers.
//!
//! *Reads:* the strobe `in`. *Writes:* the strobe `out`: `in`, delayed by one cycle for each register. *Latency:* the number of registers;
//! a chain of no registers is a wire.

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
    /// Input of the chain.
    pub in_: StrobeIn<T>,
    /// Output of the chain.
    pub out: StrobeOut<T>,
    /// The registers of the chain, the first at `in`.
    #[init(vec![])]
    stages: Vec<StrobeRegister<T>>,
    #[init(0)]
    _length: usize,
    /// `valid` at the output of the last register of the chain.
    valid: Signal<Local, Bit>,
    /// The payload at the output of that register.
    payload: Signal<Local, T>,
}

#[block]
impl StrobeWay {
    /// A chain of `length` registers.
    pub fn of(length: usize) -> Self {
        StrobeWay { stages: (0..length).map(|_| StrobeRegister::default()).collect(), _length: length, ..Default::default() }
    }
}

#[block]
impl Logic for StrobeWay {
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
