// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barrier id at which each warp arrived last; a waiting warp waits at that id.
//!
//! *Reads:* the warp of the operation in the lookup stage; the warp and the id of the operation in the commit stage, and whether
//! that operation makes its warp wait. *Writes:* one cycle later the id of the warp in the lookup stage. *Latency:* 1. Implements
//! the barrier id in `WarpBARState` of spec 001. Before the first arrival of a warp its id is undefined, and is never output.

use crate::prelude::*;

#[block]
pub struct ArrivalIds<LW> {
    pub clock: Signal<In, Clock>,
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// The warp of the operation in the lookup stage is that of the operation directly before.
    pub same_warp: Signal<In, Bit>,
    pub commit_warp: Signal<In, Bits<LW>>,
    pub commit_id: Signal<In, Bits<4>>,
    /// The operation in the commit stage makes its warp wait.
    pub write: Signal<In, Bit>,
    /// The id at which the warp of the operation in the commit stage arrived last.
    pub arrival_id: Signal<Out, Bits<4>>,
    ram: Ram<Bits<4>, LW>,
    /// The operation directly before wrote the id of this warp: `forwarded_id` is used instead.
    forward_id: DFF<Bit>,
    /// The id that the operation directly before wrote.
    forwarded_id: DFF<Bits<4>>,
}

#[block]
impl Logic for ArrivalIds<LW> {
    fn update(&mut self) {
        self.ram.read.next = true;
        self.ram.read_address.next = self.lookup_warp.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.commit_warp.val();
        self.ram.write_value.next = self.commit_id.val();
        self.forward_id.d.next = self.write.val() & self.same_warp.val();
        self.forwarded_id.d.next = self.commit_id.val();
        self.arrival_id.next = self.ram.read_value.val();
        if self.forward_id.q.val() {
            self.arrival_id.next = self.forwarded_id.q.val();
        }
    }
}
