// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether the stream may transfer an operation in the next cycle: `op_ready`.
//!
//! *Reads:* whether an operation is taken, and its class; whether a Release is in the pipeline; whether in the next cycle the fault
//! queue has space, and whether there is a row to clear. *Writes:* `op_ready` (a register); whether the fault queue has space for
//! the fault of an operation or clear step that enters. *Latency:* 1. Implements `op_ready` of `docs/contract/named.md`.
//!
//! A Release stops the stream until its cycle e: only then the unit determines whether the CTA has open rows. A refused Release
//! stops the stream for the same number of cycles.

use super::entering_payloads::OpClass;
use crate::prelude::*;

#[block]
pub struct StreamGate {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// In the next cycle the fault queue has space for the entering operation or clear step.
    pub fault_space_next: Signal<In, Bit>,
    /// There is a row to clear in the next cycle.
    pub scrub_next: Signal<In, Bit>,
    /// An operation is transferred.
    pub op_taken: Signal<In, Bit>,
    /// The transferred operation has no fault from upstream.
    pub op_accepted: Signal<In, Bit>,
    /// The class of the operation at the port.
    pub class: Signal<In, OpClass>,
    /// A Release without a fault is in its first lookup cycle.
    pub first_slot_release: Signal<In, Bit>,
    /// A Release without a fault is in its second lookup cycle.
    pub second_slot_release: Signal<In, Bit>,
    /// `op_ready`: the stream may transfer an operation in this cycle.
    pub ready: Signal<Out, Bit>,
    /// The fault queue has space for the entering operation or clear step.
    pub fault_space: Signal<Out, Bit>,
    #[reset]
    ready_q: DFF<Bit>,
    /// Register of `fault_space`; 1 after reset.
    fault_space_q: DFF<Bit>,
    /// A Release with a fault is in its first lookup cycle.
    #[reset]
    first_slot_refused_release: DFF<Bit>,
    /// A Release with a fault is in its second lookup cycle.
    #[reset]
    second_slot_refused_release: DFF<Bit>,
}

#[block]
impl Logic for StreamGate {
    fn update(&mut self) {
        self.first_slot_refused_release.d.next = self.op_taken.val() & !self.op_accepted.val() & self.class.val().is_release;
        self.second_slot_refused_release.d.next = self.first_slot_refused_release.q.val();
        self.fault_space_q.d.next = self.fault_space_next.val();
        self.ready_q.d.next = self.fault_space_next.val()
            & !self.scrub_next.val()
            & !(self.op_taken.val() & self.class.val().needs_two_slots)
            & !self.first_slot_release.val()
            & !self.second_slot_release.val()
            & !self.first_slot_refused_release.q.val()
            & !self.second_slot_refused_release.q.val();
        if self.reset.val() {
            self.fault_space_q.d.next = true;
        }
        self.ready.next = self.ready_q.q.val();
        self.fault_space.next = self.fault_space_q.q.val();
    }
}
