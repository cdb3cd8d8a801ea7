// SPDX-License-Identifier: Apache-2.0 OR MIT
//! At which barrier each warp arrived last, which is where it waits if it waits.
//!
//! *Reads:* the warp of the operation one cycle inside, whether it arrives to wait, and where. *Writes:* the id of that warp before.
//! *Latency:* 1. What it holds before the first arrival is not asked for. Implements "on which barrier" of `WarpBARState` in spec 001.

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
}

impl<const LW: usize> Logic for Places<LW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clock.next = self.clock.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.warp.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.warp.val();
        self.ram.write_0.next = self.new_id.val();
        self.id.next = self.ram.read_0.val();
    }
}
