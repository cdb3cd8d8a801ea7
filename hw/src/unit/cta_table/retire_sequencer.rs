// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a retirement: the walk that collects the warps of the CTA, the end of these warps, the wait for their operations
//! and copies, and the Release.
//!
//! *Reads:* the channel `retire`; whether a retirement may begin; the occupied CTA slots, and the CTA slots whose CTA cannot be saved;
//! the progress of the walk and the warps that it collected; operations of these warps, and copies of the CTA, that may still be in
//! flight. *Writes:* the present step; the fault of the retirement; when the warps end, when the Release is offered and the CTA departs.
//! *Latency:* 1 from step to step. Implements *Retire* of `docs/contract/cta_table.md`.

use super::payloads::ReleaseOp;
use crate::prelude::*;

/// `W` warps, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct RetireSequencer<W, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The retirement that the host requests; it is transferred when the retirement is done.
    pub retire: Sink<Retire<LC>>,
    /// No launch and no retirement is in progress, and no operation is offered. A retirement that is offered begins in this cycle.
    pub is_idle: Signal<In, Bit>,
    /// The CTA slot of the retirement that is offered or in progress; without a retirement, the CTA slot of the launch.
    pub active_cta: Signal<In, Bits<LC>>,
    /// CTA slots with a resident CTA.
    pub occupied: Signal<In, Bits<S>>,
    /// CTA slots whose CTA cannot be saved.
    pub unsavable: Signal<In, Bits<S>>,
    /// The walk reads the last warp.
    pub at_last_warp: Signal<In, Bit>,
    /// The read of the cycle before was a step of the walk of the retirement.
    pub of_retire: Signal<In, Bit>,
    /// The last lanes of a warp have exited. In such a cycle the retirement ends no warps.
    pub warp_exited: Signal<In, Bit>,
    /// Warps of the CTA that retires, collected by the walk.
    pub warps: Signal<In, Bits<W>>,
    /// Warps with an operation that has not taken effect yet.
    pub in_flight: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
    /// Rows of barriers are being cleared.
    pub clearing: Signal<In, Bit>,
    /// The Release may be offered: the operation register is free, and there is no exit. An
    /// exit has precedence.
    pub accepts_op: Signal<In, Bit>,
    /// A retirement is in progress.
    pub in_progress: Signal<Out, Bit>,
    /// A retirement begins.
    pub begins: Signal<Out, Bit>,
    /// The retirement walks over the warps.
    pub walks: Signal<Out, Bit>,
    /// The CTA of the retirement in progress was resident when the retirement began.
    pub was_resident: Signal<Out, Bit>,
    /// The warps of the CTA end in this cycle.
    pub warps_end: Signal<Out, Bit>,
    /// The Release is to be offered.
    pub release_op: StrobeOut<ReleaseOp<LC>>,
    /// A Release without a fault is to be offered: the CTA departs. The payload is its CTA slot.
    pub departure: StrobeOut<Bits<LC>>,
    /// For the latest Release offered without a fault: the open barriers of its CTA were saved.
    pub saved: Signal<Out, Bit>,

    // The steps; at most one is 1.
    /// The retirement walks over the warps.
    #[reset]
    walk_step: DFF<Bit>,
    /// The walk is done: the warps are to end.
    #[reset]
    end_step: DFF<Bit>,
    /// The retirement waits until no operation of its CTA's warps is in flight.
    #[reset]
    drain_step: DFF<Bit>,
    /// The Release is offered, and `retire_ready` is 1.
    #[reset]
    done_step: DFF<Bit>,
    /// The fault of the retirement in progress, or none.
    fault_q: DFF<FaultCode>,
    /// The CTA that retires has no operation in flight and no copy outstanding, and no rows are being cleared.
    #[reset]
    is_quiet: DFF<Bit>,
    #[reset]
    saved_q: DFF<Bit>,
    /// The step that ends the warps is done.
    end_done: Signal<Local, Bit>,
    /// Warps of the CTA that have an operation in flight.
    still_in_flight: Signal<Local, Bits<W>>,
    /// The Release is to be offered.
    drain_done: Signal<Local, Bit>,
    /// The retirement has no fault.
    has_no_fault: Signal<Local, Bit>,
}

#[block]
impl Logic for RetireSequencer {
    fn update(&mut self) {
        let retire = self.retire.payload.val();
        // The retirement begins, with its fault.
        self.done_step.d.next = false;
        self.begins.next = self.is_idle.val() & self.retire.valid.val();
        if self.begins.val() {
            self.walk_step.d.next = true;
        }
        if self.is_idle.val() {
            self.fault_q.d.next = FaultCode::None;
            if retire.saved & self.unsavable.val().at(retire.cta) {
                self.fault_q.d.next = FaultCode::CannotSave;
            }
            if !self.occupied.val().at(self.active_cta.val()) {
                self.fault_q.d.next = FaultCode::NotResident;
            }
        }

        // The walk collects the warps of the CTA; then these warps end.
        if self.walk_step.q.val() & self.at_last_warp.val() {
            self.walk_step.d.next = false;
            self.end_step.d.next = true;
        }
        self.end_done.next = self.end_step.q.val() & !self.of_retire.val() & !self.warp_exited.val();
        if self.end_done.val() {
            self.end_step.d.next = false;
            self.drain_step.d.next = true;
        }

        // The Release is offered when no operation of the CTA is in flight and no copy is outstanding; with a fault at once.
        self.has_no_fault.next = self.fault_q.q.val() == FaultCode::None;
        self.still_in_flight.next = self.warps.val() & self.in_flight.val();
        self.is_quiet.d.next = self.drain_step.q.val()
            & !(self.clearing.val() | self.still_in_flight.val().any() | self.copying.val().at(retire.cta));
        self.drain_done.next =
            self.drain_step.q.val() & self.accepts_op.val() & (!self.has_no_fault.val() | self.is_quiet.q.val());
        if self.drain_done.val() {
            self.drain_step.d.next = false;
            self.done_step.d.next = true;
        }
        self.departure.valid.next = self.drain_done.val() & self.has_no_fault.val();
        self.departure.payload.next = retire.cta;
        if self.departure.valid.val() {
            self.saved_q.d.next = retire.saved;
        }

        self.retire.ready.next = self.done_step.q.val();
        self.in_progress.next =
            self.walk_step.q.val() | self.end_step.q.val() | self.drain_step.q.val() | self.done_step.q.val();
        self.walks.next = self.walk_step.q.val();
        self.was_resident.next = self.fault_q.q.val() != FaultCode::NotResident;
        self.warps_end.next = self.end_done.val() & self.has_no_fault.val();
        self.release_op.valid.next = self.drain_done.val();
        self.release_op.payload.next.fault = self.fault_q.q.val();
        self.release_op.payload.next.cta = self.active_cta.val();
        self.saved.next = self.saved_q.q.val();
    }
}
