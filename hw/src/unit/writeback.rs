// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the result of a B2R goes: keeps destination register and predicate beside the Read that is inside `named`.
//!
//! *Reads:* register and predicate of the operation that enters `named`; the result of a Read, when it is there. *Writes:* the result with
//! its register and predicate, which hold until the next (gate). *Latency:* 3, that of a Read in `named`. Implements the destinations of
//! B2R in spec 001.

use crate::prelude::*;

#[block]
pub struct ReadDestination<LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Signal<In, Destination>,
    /// The result of the operation that entered three cycles ago.
    pub read: StrobeIn<ReadResult<LW>>,
    pub writeback: StrobeOut<Writeback<LW>>,
    /// Of the operations one, two and three cycles inside.
    stages: [DFF<Destination>; 3],
    #[reset]
    destination_q: DFF<Destination>,
}

#[block]
impl Logic for ReadDestination<LW> {
    fn update(&mut self) {
        self.stages[0].d.next = self.op.val();
        for i in 1..3 {
            self.stages[i].d.next = self.stages[i - 1].q.val();
        }
        self.writeback.payload.next.destination = self.destination_q.q.val();
        // A Read that is refused leaves no trace here.
        if self.read.valid.val() {
            self.writeback.payload.next.destination = self.stages[2].q.val();
        }
        self.destination_q.d.next = self.writeback.payload.val().destination;
        self.writeback.valid.next = self.read.valid.val();
        self.writeback.payload.next.result = self.read.payload.val();
    }
}
