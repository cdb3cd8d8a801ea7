// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A strobe in registers.
//!
//! *Reads:* the strobe `in`. *Writes:* the strobe `out`, the same one cycle later. *Latency:* 1.

use crate::payload::Payload;
use crate::prim::channel::{StrobeIn, StrobeOut};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A strobe with a payload of type `T`.
#[block]
pub struct StrobeRegister<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: StrobeIn<T>,
    pub out: StrobeOut<T>,
    #[reset]
    valid: DFF<Bit>,
    payload: DFF<T>,
}

#[block]
impl<T: Payload> Logic for StrobeRegister<T> {
    fn update(&mut self) {
        self.valid.d.next = self.in_.valid.val();
        self.payload.d.next = self.in_.payload.val();
        self.out.valid.next = self.valid.q.val();
        self.out.payload.next = self.payload.q.val();
    }
}
