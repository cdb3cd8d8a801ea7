// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The destination of the result of a B2R: keeps the destination register and predicate while the Read is in `named`.
//!
//! *Reads:* the destination of the operation that enters `named`; the result of a Read. *Writes:* the result with its destination (a
//! gate), which holds until the next result. *Latency:* 3, the latency of a Read in `named`. Implements the destinations of B2R in spec
//! 001.

use crate::prelude::*;

/// Warp numbers of `LW` bits.
#[block]
pub struct ReadDestination<LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The destination of the operation at `op` of `mem_order`.
    pub op_destination: Signal<In, Destination>,
    /// The result of a Read that entered `named` three cycles ago.
    pub read: StrobeIn<ReadResult<LW>>,
    pub writeback: StrobeOut<Writeback<LW>>,
    /// The destinations of the operations that entered `named` one, two and three cycles ago.
    stages: [DFF<Destination>; 3],
    /// The destination of the latest result.
    #[reset]
    destination_q: DFF<Destination>,
}

#[block]
impl Logic for ReadDestination {
    fn update(&mut self) {
        self.stages[0].d.next = self.op_destination.val();
        for i in 1..3 {
            self.stages[i].d.next = self.stages[i - 1].q.val();
        }
        self.writeback.payload.next.destination = self.destination_q.q.val();
        // A Read that is refused has no `read` strobe, so its destination leaves the stages unused.
        if self.read.valid.val() {
            self.writeback.payload.next.destination = self.stages[2].q.val();
        }
        self.destination_q.d.next = self.writeback.payload.val().destination;
        self.writeback.valid.next = self.read.valid.val();
        self.writeback.payload.next.result = self.read.payload.val();
    }
}
