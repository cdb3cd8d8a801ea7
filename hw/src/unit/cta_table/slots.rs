// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the CTA slots: which are occupied, and which belong to a leaving CTA.
//!
//! *Reads:* the CTA that is launched, the CTA that departs, and the departed CTA of which no unit holds any state. *Writes:* the occupied
//! slots, the slots whose CTA is leaving, the slots whose CTA cannot be saved. *Latency:* 1. Implements the CTA slots of
//! `docs/contract/cta_table.md`.

use crate::prelude::*;

/// `LC` bits of CTA slot, `S` slots.
#[block]
pub struct Slots<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched; the payload is its slot.
    pub launch: StrobeIn<Bits<LC>>,
    /// The launched CTA belongs to a cluster or a grid.
    pub is_bound: Signal<In, Bit>,
    /// A CTA departs; the payload is its slot.
    pub departure: StrobeIn<Bits<LC>>,
    /// No unit holds any state of a departed CTA: its slot is free.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// Slots with a resident CTA.
    pub occupied: Signal<Out, Bits<S>>,
    /// Slots of departed CTAs of which a unit still holds state.
    pub leaving: Signal<Out, Bits<S>>,
    /// Slots of CTAs of a cluster or a grid, which cannot be saved.
    pub bound: Signal<Out, Bits<S>>,
    #[reset]
    occupied_q: DFF<Bits<S>>,
    #[reset]
    leaving_q: DFF<Bits<S>>,
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    bound_q: DFF<Bits<S>>,
    /// `leaving_q` without the slot that is flushed.
    still_leaving: Signal<Local, Bits<S>>,
}

#[block]
impl Logic for Slots<LC, S> {
    fn update(&mut self) {
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
