// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tracks the Launch and the Release in transit from `cta_table` to `named` or `gateway`, and reports the departure of a CTA.
//!
//! *Reads:* the operation of `cta_table` that enters `gather`; whether a Launch or a Release enters `named` or `gateway`. *Writes:*
//! whether a Launch, or a Release without a fault, is in transit; the CTA that departs. *Latency:* 0 for the departure, 1 for the
//! other outputs. Implements *releasing* and `launching` of `docs/contract/bcu.md`.

use crate::prelude::*;

/// `W` warps, CTA slots with numbers of `LC` bits.
#[block]
pub struct HostTransit<W, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation of `cta_table` enters `gather`.
    pub op_enters: Signal<In, Bit>,
    /// The kind of the operation of `cta_table`.
    pub op_kind: Signal<In, OpKind>,
    /// The fault of the operation of `cta_table`, or none.
    pub op_fault: Signal<In, FaultCode>,
    /// Launch, Release: CTA slot.
    pub op_cta: Signal<In, Bits<LC>>,
    /// Launch, Release: warp slots of the CTA.
    pub op_mask: Signal<In, Bits<W>>,
    /// Release: the open barriers of the CTA were saved.
    pub saved: Signal<In, Bit>,
    /// A Launch enters `named` or `gateway`.
    pub launch_enters: Signal<In, Bit>,
    /// A Release without a fault enters `named` or `gateway`.
    pub release_enters: Signal<In, Bit>,
    /// A Launch is in transit to `named` or `gateway`.
    pub launching: Signal<Out, Bit>,
    /// A Release without a fault is in transit to `named` or `gateway`.
    pub releasing: Signal<Out, Bit>,
    /// A CTA departs: its Release enters `gather`, and no other operation of its warps is in flight.
    pub departure: StrobeOut<Departure<W, LC>>,
    #[reset]
    launching_q: DFF<Bit>,
    #[reset]
    releasing_q: DFF<Bit>,
}

#[block]
impl Logic for HostTransit {
    fn update(&mut self) {
        if self.launch_enters.val() {
            self.launching_q.d.next = false;
        }
        if self.op_enters.val() & (self.op_kind.val() == OpKind::Launch) {
            self.launching_q.d.next = true;
        }
        self.departure.valid.next =
            self.op_enters.val() & (self.op_kind.val() == OpKind::Release) & (self.op_fault.val() == FaultCode::None);
        self.departure.payload.next.cta = self.op_cta.val();
        self.departure.payload.next.warps = self.op_mask.val();
        self.departure.payload.next.saved = self.saved.val();
        if self.release_enters.val() {
            self.releasing_q.d.next = false;
        }
        if self.departure.valid.val() {
            self.releasing_q.d.next = true;
        }
        self.launching.next = self.launching_q.q.val();
        self.releasing.next = self.releasing_q.q.val();
    }
}
