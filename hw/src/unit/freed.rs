// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the departed CTA whose CTA slot is freed next: a CTA without state in any unit.
//!
//! *Reads:* CTAs that depart; CTAs that `mbarrier` has flushed; masks of the CTA slots without state in `cluster` and in `grid`.
//! *Writes:* a strobe with one CTA slot, the lowest first. *Latency:* 2 from a departure or a flush, 1 from `cluster` and `grid`.
//! Implements *freed* of `docs/contract/bcu.md`.

use crate::prelude::*;

/// `W` warps, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Freed<W, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA departs.
    pub departure: StrobeIn<Departure<W, LC>>,
    /// `mbarrier` holds no state of the departed CTA in the payload any more.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// CTA slots without state in `cluster`.
    pub cluster_empty: Signal<In, Bits<S>>,
    /// CTA slots without state in `grid`.
    pub grid_empty: Signal<In, Bits<S>>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot.
    pub out: StrobeOut<RetiredCta<LC>>,
    /// CTA slots of departed CTAs that have not been freed.
    #[reset]
    departed_slots: DFF<Bits<S>>,
    /// CTA slots of departed CTAs without state in `mbarrier`.
    #[reset]
    mbarrier_empty: DFF<Bits<S>>,
    freed_strobe: StrobeRegister<RetiredCta<LC>>,
    /// The CTA slot of the CTA that departs, one-hot.
    departing_slot: Signal<Local, Bits<S>>,
    /// The CTA slot without state in `mbarrier` from the next cycle on, one-hot.
    emptied_slot: Signal<Local, Bits<S>>,
    /// CTA slots that may be freed.
    freeable_slots: Signal<Local, Bits<S>>,
    /// The lowest CTA slot that may be freed.
    lowest_slot: Signal<Local, Bits<LC>>,
    /// The CTA slot that is freed, one-hot.
    freed_slot: Signal<Local, Bits<S>>,
    no_slot: Constant<Bits<S>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Freed {
    fn update(&mut self) {
        // In a configuration without mbarriers, `mbarrier` never holds state of a CTA: the
        // departure itself sets the bit in `mbarrier_empty`.
        self.departing_slot.next = 0.into();
        if self.departure.valid.val() {
            self.departing_slot.next = self.no_slot.val().with(self.departure.payload.val().cta, true);
        }
        self.emptied_slot.next = self.departing_slot.val();
        if self.has_mbarrier.val() {
            self.emptied_slot.next = 0.into();
            if self.flushed.valid.val() {
                self.emptied_slot.next = self.no_slot.val().with(self.flushed.payload.val().cta, true);
            }
        }

        self.freeable_slots.next = self.departed_slots.q.val() & self.mbarrier_empty.q.val();
        if self.has_clusters.val() {
            self.freeable_slots.next = self.freeable_slots.val() & self.cluster_empty.val();
        }
        if self.has_grids.val() {
            self.freeable_slots.next = self.freeable_slots.val() & self.grid_empty.val();
        }

        // The loop runs from the highest CTA slot to the lowest, and the last assignment wins.
        self.lowest_slot.next = 0.into();
        for i in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.freeable_slots.val().get_bit(n - i) {
                    self.lowest_slot.next = (n - i).to_bits();
                }
            }
        }
        self.freed_slot.next = 0.into();
        if self.freeable_slots.val().any() {
            self.freed_slot.next = self.no_slot.val().with(self.lowest_slot.val(), true);
        }
        self.departed_slots.d.next = (self.departed_slots.q.val() & !self.freed_slot.val()) | self.departing_slot.val();
        self.mbarrier_empty.d.next = (self.mbarrier_empty.q.val() & !self.freed_slot.val()) | self.emptied_slot.val();
        self.freed_strobe.in_.valid.next = self.freeable_slots.val().any();
        self.freed_strobe.in_.payload.next.cta = self.lowest_slot.val();
        Strobe::join(&mut self.freed_strobe.out, &mut self.out);
    }
}
