// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an operation is, as far as its order matters.
//!
//! *Reads:* what the operation does, and what is wrong with it. *Writes:* whether it is an arrival; whether it never waits for memory accesses
//! or for its warp's other operations. *Latency:* 0, no state. Implements which operations of `docs/interface.md`, section `order`, wait.

use crate::unit::channels::Request;
use crate::unit::op::{FaultCode, OpKind};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Slots of `LC` bits.
#[block]
pub struct Class<LC> {
    pub request: Signal<In, Request<LC>>,
    /// A Sync, Arrive or Reduce that is carried out.
    pub arrival: Signal<Out, Bit>,
    /// An exit, launch or release.
    pub through: Signal<Out, Bit>,
}

#[block]
impl Logic for Class<LC> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrival.next = (self.request.val().fault == FaultCode::None)
            & ((self.request.val().kind == OpKind::Sync)
                | (self.request.val().kind == OpKind::Arrive)
                | (self.request.val().kind == OpKind::Reduce));
        self.through.next = (self.request.val().kind == OpKind::Exit)
            | (self.request.val().kind == OpKind::Launch)
            | (self.request.val().kind == OpKind::Release);
    }
}
