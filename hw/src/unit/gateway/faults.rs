// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault channel: queues faults while the receiver is not ready, and reports whether the queue has space for one more fault.
//!
//! *Reads:* whether an operation, or a row to clear, enters the pipeline, and whether one is a cycle after entry; the fault of
//! the operation in cycle e; whether the row that is cleared was in use at the Release of its CTA. *Writes:* the fault channel
//! (latency 1; its payload is a gate); `fault_space_next`: the queue has a free entry for the fault of an operation or row that
//! enters in the next cycle. *Latency:* 1. Implements the fault channel, and the space for faults as a condition of `op_ready`,
//! of `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Origin, Verdict};
use super::ports::GatewayFault;
use crate::prelude::*;

/// A queue of four faults: one at the port, two of operations in flight, one of an operation taken before `fault_space_next` fell.
#[block]
pub struct Faults<LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation, or a row to clear, enters the pipeline.
    pub lookup_valid_next: Signal<In, Bit>,
    /// An operation, or a row to clear, is one cycle after entry.
    pub lookup_valid: Signal<In, Bit>,
    /// Whether the operation in cycle e is refused, and its fault.
    pub verdict: Signal<In, Verdict>,
    /// The source of the operation in cycle e.
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    /// Barrier id of the operation in cycle e.
    pub commit_id: Signal<In, Bits<5>>,
    /// The row that is cleared in this cycle was in use at the Release of its CTA: a fault.
    pub left_open: Signal<In, Bit>,
    /// Faults of refused operations.
    pub fault: Source<GatewayFault<LW, LC>>,
    /// An operation, or a row to clear, may enter in the next cycle: the queue has space for its fault. Combinational.
    pub fault_space_next: Signal<Out, Bit>,
    /// Faults that have not been transferred at `fault`.
    queue: Ring<Packed<GatewayFault<LW, LC>>>,
    /// The fault that is queued.
    record: Signal<Local, GatewayFault<LW, LC>>,
    /// The queue has no space for the fault of the next operation, even if no fault is queued in this cycle.
    full_without_push: Signal<Local, Bit>,
    /// The queue has no space for the fault of the next operation if a fault is queued in this cycle.
    full_with_push: Signal<Local, Bit>,
}

#[block]
impl Logic for Faults {
    fn update(&mut self) {
        let origin = self.commit_origin.val();

        self.record.next.refusal.code = self.verdict.val().fault;
        if self.left_open.val() {
            self.record.next.refusal.code = FaultCode::BarrierLeftOpen;
        }
        self.record.next.refusal.has_warp = origin.has_warp;
        self.record.next.refusal.warp = origin.warp;
        self.record.next.refusal.cta = origin.cta;
        self.record.next.id = self.commit_id.val();
        self.queue.push.next = self.verdict.val().refused | self.left_open.val();
        self.queue.data.next = self.record.val().into();
        self.queue.pop.next = self.fault.ready.val() & self.queue.valid.val();
        self.fault.valid.next = self.queue.valid.val();
        self.fault.payload.next = self.queue.head.val().into();

        // Whether the queue is too full for the fault of one more operation: without a push in this cycle, and with a push.
        // One entry is reserved for each operation or row in flight.
        self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(3);
        self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(2);
        if self.lookup_valid_next.val() | self.lookup_valid.val() {
            self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(2);
            self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(1);
        }
        if self.lookup_valid_next.val() & self.lookup_valid.val() {
            self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(1);
            self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(0);
        }
        self.fault_space_next.next = !self.full_without_push.val();
        if self.queue.push.val() {
            self.fault_space_next.next = !self.full_with_push.val();
        }
    }
}
