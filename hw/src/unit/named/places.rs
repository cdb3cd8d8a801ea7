// SPDX-License-Identifier: Apache-2.0 OR MIT
//! At which barrier each warp arrived last, which is where it waits if it waits.
//!
//! *Reads:* the warp of the operation one cycle inside; of the one in its last cycle whether it arrives to wait, and where. *Writes:* one
//! cycle later the id of the former's warp, with what the latter wrote. *Latency:* 1. What it holds before the first arrival is not asked for. Implements "on which barrier" of `WarpBARState` in spec 001.

use crate::prim::ram::Ram1;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Warps of `LW` bits.
#[block]
pub struct Places<LW> {
    pub clock: Signal<In, Clock>,
    pub warp: Signal<In, Bits<LW>>,
    /// The operation in its last cycle: its warp, which is also that of the one inside.
    pub last_warp: Signal<In, Bits<LW>>,
    pub follows_own: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub new_id: Signal<In, Bits<4>>,
    pub id: Signal<Out, Bits<4>>,
    ram: Ram1<LW, 4>,
    hit: DFF<Bit>,
    kept: DFF<Bits<4>>,
}

#[block]
impl Logic for Places<LW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.read.next = true;
        self.ram.read_address.next = self.warp.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.last_warp.val();
        self.ram.write_0.next = self.new_id.val();
        self.hit.d.next = self.write.val() & self.follows_own.val();
        self.kept.d.next = self.new_id.val();
        self.id.next = self.ram.read_0.val();
        if self.hit.q.val() {
            self.id.next = self.kept.q.val();
        }
    }
}
