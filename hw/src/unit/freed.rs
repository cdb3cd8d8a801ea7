// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which CTA that left may give its slot back: one of which no unit keeps anything any more.
//!
//! *Reads:* CTAs that leave; CTAs that `mbarrier` has flushed; the slots of which `cluster` and `grid` keep nothing. *Writes:* a
//! strobe with one slot, the lowest first. *Latency:* 1. Implements *freed* of `docs/contract/bcu.md`.

use crate::prelude::*;

/// `S` CTA slots.
#[block]
pub struct Freed<W, LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA leaves.
    pub departs: StrobeIn<Departure<W, LC>>,
    /// `mbarrier` keeps nothing of a CTA that left.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// CTA slots of which `cluster` keeps nothing.
    pub of_cluster: Signal<In, Bits<S>>,
    /// CTA slots of which `grid` keeps nothing.
    pub of_grid: Signal<In, Bits<S>>,
    /// No unit keeps anything of a CTA that left.
    pub out: StrobeOut<RetiredCta<LC>>,
    /// Slots of CTAs that left and have not been given back.
    #[reset]
    left: DFF<Bits<S>>,
    /// Slots of such CTAs of which `mbarrier` keeps nothing.
    #[reset]
    empty: DFF<Bits<S>>,
    shown: StrobeRegister<RetiredCta<LC>>,
    /// The slot of the CTA that leaves, one-hot.
    leaves: Signal<Local, Bits<S>>,
    /// The slot of which `mbarrier` keeps nothing from now on, one-hot.
    empties: Signal<Local, Bits<S>>,
    /// Slots that may be given back.
    ready: Signal<Local, Bits<S>>,
    /// The lowest of these.
    lowest: Signal<Local, Bits<LC>>,
    /// The slot that is given back, one-hot.
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
