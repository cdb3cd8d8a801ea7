// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keeps for each warp the barrier id of its last wait (Sync, Reduce, or Write to Warp with the waiting bit); a waiting warp
//! waits at that id.
//!
//! *Reads:* the warp of the operation in the lookup stage; the warp and the id of the operation in the commit stage, and
//! whether that operation makes its warp wait. *Writes:* one cycle later the barrier id of the warp that was in the lookup
//! stage. *Latency:* 1. Implements the barrier id in `WarpBARState` of spec 001. Before the first wait of a warp its id is
//! undefined. That value is not output, because the id is used only for a waiting warp.

use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits.
#[block]
pub struct ArrivalIds<LW> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    pub commit_warp: Signal<In, Bits<LW>>,
    pub commit_id: Signal<In, Bits<4>>,
    /// The operation in the commit stage makes its warp wait: the id of that warp is written.
    pub write: Signal<In, Bit>,
    /// The id of the last wait of the warp of the operation in the commit stage.
    pub arrival_id: Signal<Out, Bits<4>>,
    ram: Ram<Bits<4>, LW>,
    /// The preceding operation wrote an id for the warp that is read: that id is used instead of the word read.
    forward_id: DFF<Bit>,
    /// The id that the preceding operation wrote.
    forwarded_id: DFF<Bits<4>>,
}

#[block]
impl Logic for ArrivalIds {
    fn update(&mut self) {
        self.ram.read.next = true;
        self.ram.read_address.next = self.lookup_warp.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.commit_warp.val();
        self.ram.write_value.next = self.commit_id.val();

        // The RAM is read one cycle before the id is used, so an id that is written at the same clock edge is forwarded.
        self.forward_id.d.next = self.write.val() & self.same_warp.val();
        self.forwarded_id.d.next = self.commit_id.val();
        self.arrival_id.next = self.ram.read_value.val();
        if self.forward_id.q.val() {
            self.arrival_id.next = self.forwarded_id.q.val();
        }
    }
}
