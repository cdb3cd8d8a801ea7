// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether the stream may transfer an operation in the next cycle: `op_ready`.
//!
//! *Reads:* whether an operation is taken, and whether it is a Launch or a Release; whether in the next cycle the queue has space
//! for a fault, and whether there is a row to clear. *Writes:* `op_ready` (a register); whether the fault queue has space for the
//! fault of the operation or row that enters. *Latency:* 1. Implements `op_ready` of `docs/contract/gateway.md`.

use crate::prelude::*;

#[block]
pub struct StreamGate {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// In the next cycle the fault queue has space for the entering operation or row.
    pub fault_space_next: Signal<In, Bit>,
    /// There is a row to clear in the next cycle.
    pub scrub_next: Signal<In, Bit>,
    /// An operation is transferred at `op`.
    pub op_taken: Signal<In, Bit>,
    /// The operation at the port is a Launch.
    pub is_launch: Signal<In, Bit>,
    /// The operation at the port is a Release.
    pub is_release: Signal<In, Bit>,
    /// `op_ready`.
    pub ready: Signal<Out, Bit>,
    /// The fault queue has space for the entering operation or row.
    pub fault_space: Signal<Out, Bit>,
    #[reset]
    ready_q: DFF<Bit>,
    /// Register of `fault_space`; 1 after reset.
    fault_space_q: DFF<Bit>,
    /// A Release, with or without a fault, was taken in the cycle before.
    #[reset]
    release_taken: DFF<Bit>,
}

#[block]
impl Logic for StreamGate {
    fn update(&mut self) {
        self.release_taken.d.next = self.op_taken.val() & self.is_release.val();
        self.fault_space_q.d.next = self.fault_space_next.val();
        self.ready_q.d.next = self.fault_space_next.val()
            & !self.scrub_next.val()
            & !(self.op_taken.val() & self.is_launch.val())
            & !(self.op_taken.val() & self.is_release.val())
            & !self.release_taken.q.val();
        if self.reset.val() {
            self.fault_space_q.d.next = true;
        }
        self.ready.next = self.ready_q.q.val();
        self.fault_space.next = self.fault_space_q.q.val();
    }
}
