// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the departed CTA whose slot may be freed: one of which no unit holds any state.
//!
//! *Reads:* CTAs that depart; CTAs that `mbarrier` has flushed; the slots without state in `cluster` and `grid`. *Writes:* a
//! strobe with one slot, the lowest first. *Latency:* 1. Implements *freed* of `docs/contract/bcu.md`.

use crate::prelude::*;

/// `S` CTA slots.
#[block]
pub struct Freed<W, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA departs.
    pub departs: StrobeIn<Departure<W, LC>>,
    /// `mbarrier` holds no state of a departed CTA.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// CTA slots without state in `cluster`.
    pub of_cluster: Signal<In, Bits<S>>,
    /// CTA slots without state in `grid`.
    pub of_grid: Signal<In, Bits<S>>,
    /// No unit holds any state of a departed CTA.
    pub out: StrobeOut<RetiredCta<LC>>,
    /// Slots of departed CTAs that have not been freed.
    #[reset]
    left: DFF<Bits<S>>,
    /// Slots of departed CTAs without state in `mbarrier`.
    #[reset]
    empty: DFF<Bits<S>>,
    shown: StrobeRegister<RetiredCta<LC>>,
    /// The slot of the CTA that departs, one-hot.
    leaves: Signal<Local, Bits<S>>,
    /// The slot without state in `mbarrier` from now on, one-hot.
    empties: Signal<Local, Bits<S>>,
    /// Slots that may be freed.
    ready: Signal<Local, Bits<S>>,
    /// The lowest slot that may be freed.
    lowest: Signal<Local, Bits<LC>>,
    /// The slot that is freed, one-hot.
    goes: Signal<Local, Bits<S>>,
    none: Constant<Bits<S>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Freed<W, LC, S> {
    fn update(&mut self) {
        self.leaves.next = 0.into();
        if self.departs.valid.val() {
            self.leaves.next = self.none.val().with(self.departs.payload.val().cta, true);
        }
        self.empties.next = self.leaves.val();
        if self.has_mbarrier.val() {
            self.empties.next = 0.into();
            if self.flushed.valid.val() {
                self.empties.next = self.none.val().with(self.flushed.payload.val().cta, true);
            }
        }

        self.ready.next = self.left.q.val() & self.empty.q.val();
        if self.has_clusters.val() {
            self.ready.next = self.ready.val() & self.of_cluster.val();
        }
        if self.has_grids.val() {
            self.ready.next = self.ready.val() & self.of_grid.val();
        }
        self.lowest.next = 0.into();
        for i in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.ready.val().get_bit(n - i) {
                    self.lowest.next = (n - i).to_bits();
                }
            }
        }
        self.goes.next = 0.into();
        if self.ready.val().any() {
            self.goes.next = self.none.val().with(self.lowest.val(), true);
        }
        self.left.d.next = (self.left.q.val() & !self.goes.val()) | self.leaves.val();
        self.empty.d.next = (self.empty.q.val() & !self.goes.val()) | self.empties.val();
        self.shown.in_.valid.next = self.ready.val().any();
        self.shown.in_.payload.next.cta = self.lowest.val();
        Strobe::join(&mut self.shown.out, &mut self.out);
    }
}
