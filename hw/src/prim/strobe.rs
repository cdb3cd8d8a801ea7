// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register stage of a strobe.
//!
//! *Reads:* the strobe `in`. *Writes:* the strobe `out`: `in`, delayed by one cycle. *Latency:* 1.

use crate::payload::Payload;
use crate::prim::channel::{StrobeIn, StrobeOut};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// A strobe with a payload of type `T`.
#[block(primitive(strobe_register, WIDTH = in_.payload))]
pub struct StrobeRegister<T: Payload> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The strobe to delay.
    pub in_: StrobeIn<T>,
    /// The strobe one cycle later.
    pub out: StrobeOut<T>,
    /// `in_valid` of the cycle before.
    #[reset]
    valid: DFF<Bit>,
    /// Payload of the cycle before.
    payload: DFF<T>,
}

#[block]
impl Logic for StrobeRegister {
    fn update(&mut self) {
        self.valid.d.next = self.in_.valid.val();
        self.payload.d.next = self.in_.payload.val();
        self.out.valid.next = self.valid.q.val();
        self.out.payload.next = self.payload.q.val();
    }
}
