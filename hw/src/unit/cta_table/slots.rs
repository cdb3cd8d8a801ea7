// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the CTA slots: which are occupied, and which belong to a leaving CTA.
//!
//! *Reads:* the CTA that is launched, the CTA that departs, and the departed CTA of which no unit holds any state. *Writes:* masks of the
//! CTA slots that are occupied, of those whose CTA is leaving, and of those whose CTA cannot be saved. *Latency:* 1. Implements the CTA
//! slots of `docs/contract/cta_table.md`.

use crate::prelude::*;

/// `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Slots<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched; the payload is its CTA slot.
    pub launch: StrobeIn<Bits<LC>>,
    /// The launched CTA belongs to a cluster or a grid.
    pub is_bound: Signal<In, Bit>,
    /// A CTA departs; the payload is its CTA slot.
    pub departure: StrobeIn<Bits<LC>>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot, which is free now.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// CTA slots with a resident CTA.
    pub occupied: Signal<Out, Bits<S>>,
    /// CTA slots whose departed CTA still has state in a unit.
    pub leaving: Signal<Out, Bits<S>>,
    /// CTA slots whose CTA belongs to a cluster or a grid. Such a CTA cannot be saved.
    pub bound: Signal<Out, Bits<S>>,
    #[reset]
    occupied_q: DFF<Bits<S>>,
    #[reset]
    leaving_q: DFF<Bits<S>>,
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    bound_q: DFF<Bits<S>>,
    /// `leaving_q` without the CTA slot that is flushed in this cycle.
    still_leaving: Signal<Local, Bits<S>>,
}

#[block]
impl Logic for Slots {
    fn update(&mut self) {
        // A CTA slot is occupied from launch to departure, and leaving from departure to flush.
        self.still_leaving.next = self.leaving_q.q.val();
        if self.flushed.valid.val() {
            self.still_leaving.next = self.leaving_q.q.val().with(self.flushed.payload.val().cta, false);
        }
        self.leaving_q.d.next = self.still_leaving.val();
        if self.departure.valid.val() {
            self.occupied_q.d.next = self.occupied_q.q.val().with(self.departure.payload.val(), false);
            self.leaving_q.d.next = self.still_leaving.val().with(self.departure.payload.val(), true);
        }
        if self.launch.valid.val() {
            self.occupied_q.d.next = self.occupied_q.q.val().with(self.launch.payload.val(), true);
            self.bound_q.d.next = self.bound_q.q.val().with(self.launch.payload.val(), self.is_bound.val());
        }
        self.occupied.next = self.occupied_q.q.val();
        self.leaving.next = self.leaving_q.q.val();
        self.bound.next = self.bound_q.q.val();
    }
}
