// SPDX-License-Identifier: Apache-2.0 OR MIT
//! At which barrier each warp arrived last, which is where it waits if it waits.
//!
//! *Reads:* the warp of the operation that enters; one cycle later `write` with the id. *Writes:* the id of the warp inside.
//! *Latency:* 1. A RAM with forwarding like the rows; what it holds before the first arrival is not asked for. Implements
//! "on which barrier" of `WarpBARState` in spec 001.

use crate::prim::ram::Ram1;
use rust_hdl::prelude::*;

/// Warps of `LW` bits.
#[derive(LogicBlock, Default)]
pub struct Places<const LW: usize> {
    pub clock: Signal<In, Clock>,
    pub warp: Signal<In, Bits<LW>>,
    pub write: Signal<In, Bit>,
    pub new_id: Signal<In, Bits<4>>,
    pub id: Signal<Out, Bits<4>>,
    ram: Ram1<LW, 4>,
    at: DFF<Bits<LW>>,
    hit: DFF<Bit>,
    last_id: DFF<Bits<4>>,
}

impl<const LW: usize> Logic for Places<LW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, hit, last_id);
        self.ram.clock.next = self.clock.val();
        self.ram.read_address.next = self.warp.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.at.q.val();
        self.ram.write_0.next = self.new_id.val();
        self.at.d.next = self.warp.val();
        self.hit.d.next = self.write.val() & (self.warp.val() == self.at.q.val());
        self.last_id.d.next = self.new_id.val();
        self.id.next = self.ram.read_0.val();
        if self.hit.q.val() {
            self.id.next = self.last_id.q.val();
        }
    }
}
