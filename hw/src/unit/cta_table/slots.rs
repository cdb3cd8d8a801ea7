// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTA slots: which are taken, and which are of a CTA that leaves.
//!
//! *Reads:* the CTA that comes, that leaves, and that of which nothing is kept any more. *Writes:* the slots that are taken, those whose CTA leaves, those
//! whose CTA cannot be saved. *Latency:* 1. Implements the CTA slots of `docs/interface.md`, section `cta_table`.

use crate::prelude::*;

/// `LC` bits of CTA slot, `S` slots.
#[block]
pub struct Slots<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub comes: StrobeIn<Bits<LC>>,
    /// It is of a cluster or a grid.
    pub binds: Signal<In, Bit>,
    pub leaves: StrobeIn<Bits<LC>>,
    /// Nothing of it is kept any more: it gives its slot back.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    pub taken: Signal<Out, Bits<S>>,
    pub leaving: Signal<Out, Bits<S>>,
    /// CTAs of a cluster or a grid, which cannot be saved.
    pub bound: Signal<Out, Bits<S>>,
    #[reset]
    occupied: DFF<Bits<S>>,
    #[reset]
    leavers: DFF<Bits<S>>,
    #[built(config.has_clusters() || config.has_grids())]
    #[reset]
    members: DFF<Bits<S>>,
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
