// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the CTA slots: which are taken, and which belong to a leaving CTA.
//!
//! *Reads:* the CTA that is launched, the CTA that departs, and the departed CTA of which no unit holds any state. *Writes:* the
//! taken slots, the slots whose CTA is leaving, the slots whose CTA cannot be saved. *Latency:* 1. Implements the CTA slots of
//! `docs/contract/cta_table.md`.

use crate::prelude::*;

/// `LC` bits of CTA slot, `S` slots.
#[block]
pub struct Slots<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched: its slot.
    pub comes: StrobeIn<Bits<LC>>,
    /// The launched CTA belongs to a cluster or a grid.
    pub binds: Signal<In, Bit>,
    /// A CTA departs: its slot.
    pub leaves: StrobeIn<Bits<LC>>,
    /// No unit holds any state of a departed CTA: its slot is free.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// Slots with a resident CTA.
    pub taken: Signal<Out, Bits<S>>,
    /// Slots of departed CTAs of which a unit still holds state.
    pub leaving: Signal<Out, Bits<S>>,
    /// Slots of CTAs of a cluster or a grid, which cannot be saved.
    pub bound: Signal<Out, Bits<S>>,
    #[reset]
    occupied: DFF<Bits<S>>,
    #[reset]
    leavers: DFF<Bits<S>>,
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    members: DFF<Bits<S>>,
    /// `leavers` without the slot that is flushed.
    stays: Signal<Local, Bits<S>>,
}

#[block]
impl Logic for Slots<LC, S> {
    fn update(&mut self) {
        self.stays.next = self.leavers.q.val();
        if self.flushed.valid.val() {
            self.stays.next = self.leavers.q.val().with(self.flushed.payload.val().cta, false);
        }
        self.leavers.d.next = self.stays.val();
        if self.leaves.valid.val() {
            self.occupied.d.next = self.occupied.q.val().with(self.leaves.payload.val(), false);
            self.leavers.d.next = self.stays.val().with(self.leaves.payload.val(), true);
        }
        if self.comes.valid.val() {
            self.occupied.d.next = self.occupied.q.val().with(self.comes.payload.val(), true);
            self.members.d.next = self.members.q.val().with(self.comes.payload.val(), self.binds.val());
        }
        self.taken.next = self.occupied.q.val();
        self.leaving.next = self.leavers.q.val();
        self.bound.next = self.members.q.val();
    }
}
