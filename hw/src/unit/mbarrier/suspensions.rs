// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The suspended warps, and the strobe that wakes them.
//!
//! *Reads:* the warp that the item in the decide stage suspends, the warps that the item wakes; leaving CTAs. *Writes:* the suspended
//! warps; the strobe `wake`. *Latency:* 1. Implements *Results* of `docs/contract/mbarrier.md`.
//!
//! Suspended warps of a CTA that retires without `saved` get no result: they are no longer suspended, and no `wake` reports
//! them.

use super::ports::MbarrierWake;
use crate::prelude::*;

/// Sizes: `W` warps, CTA slot numbers of `LC` bits.
#[block]
pub struct Suspensions<W, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage suspends its warp.
    pub suspends: Signal<In, Bit>,
    /// One-hot: the warp of the item in the decide stage.
    pub warp_one_hot: Signal<In, Bits<W>>,
    /// Suspended warps that the item wakes.
    pub woken_warps: Signal<In, Bits<W>>,
    /// Predicate for the woken warps: 1 = the phase is complete.
    pub value: Signal<In, Bit>,
    /// A CTA retires, and is leaving from the next cycle on.
    pub retire: StrobeIn<Departure<W, LC>>,
    /// Suspended warps that are woken.
    pub wake: StrobeOut<MbarrierWake<W>>,
    /// Suspended warps.
    pub suspended: Signal<Out, Bits<W>>,
    /// Suspended warps.
    #[reset]
    suspended_q: DFF<Bits<W>>,
    /// Register of `wake_valid`.
    #[reset]
    wake_q: DFF<Bit>,
    /// Register of the payload of `wake`.
    #[reset]
    woken: DFF<MbarrierWake<W>>,
    /// One-hot: the warp that is suspended from the next cycle on.
    suspending_warp: Signal<Local, Bits<W>>,
    /// Warps of the CTA that retires without `saved` in this cycle.
    leaving_warps: Signal<Local, Bits<W>>,
    /// Suspended warps that are woken: `woken_warps` except the warps of a CTA that retires without `saved`.
    warps_to_wake: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for Suspensions {
    fn update(&mut self) {
        self.suspending_warp.next = 0.into();
        if self.suspends.val() {
            self.suspending_warp.next = self.warp_one_hot.val();
        }
        self.leaving_warps.next = 0.into();
        if self.retire.valid.val() & !self.retire.payload.val().saved {
            self.leaving_warps.next = self.retire.payload.val().warps;
        }
        self.suspended_q.d.next =
            (self.suspended_q.q.val() | self.suspending_warp.val()) & !self.woken_warps.val() & !self.leaving_warps.val();
        self.suspended.next = self.suspended_q.q.val();

        self.warps_to_wake.next = self.woken_warps.val() & !self.leaving_warps.val();
        self.wake_q.d.next = self.warps_to_wake.val().any();
        self.woken.d.next.warps = self.warps_to_wake.val();
        if self.woken_warps.val().any() {
            self.woken.d.next.value = self.value.val();
        }
        self.wake.valid.next = self.wake_q.q.val();
        self.wake.payload.next = self.woken.q.val();
    }
}
