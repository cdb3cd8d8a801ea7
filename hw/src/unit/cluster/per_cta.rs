// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two maps between warps and CTA slots. The first finds the CTA slots in which all live warps have arrived. The second finds the warps of
//! the CTA slots whose phase completes.
//!
//! *Reads:* which warps are live, the CTA of each warp, which warps have arrived; the CTA slots whose phase completes. *Writes:* the CTA
//! slots in which all live warps have arrived, and the warps of the CTA slots whose phase completes. *Latency:* 0, no state. Implements
//! *Phases* of `docs/contract/clusters.md`, section `cluster`.

use crate::prelude::*;
use crate::unit::warps_of::WarpsOf;

/// Sizes: `W` warps, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct PerCta<W, LC, S> {
    /// Live warps.
    pub live: Signal<In, Bits<W>>,
    /// Port `warp_cta_b` has bit b of the CTA slot number of each warp.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps that have arrived in the open phase.
    pub arrived_warps: Signal<In, Bits<W>>,
    /// CTA slots whose phase completes.
    pub completed_slots: Signal<In, Bits<S>>,
    /// CTA slots that have live warps, all of which have arrived in the open phase.
    pub arrived_slots: Signal<Out, Bits<S>>,
    /// Warps of the CTA slots in `completed_slots`.
    pub completing_warps: Signal<Out, Bits<W>>,
    /// The warps of each CTA slot.
    cta_warps: WarpsOf<W, LC, S>,
    /// Live warps of each CTA slot.
    live_warps: [Signal<Local, Bits<W>>; S],
    /// Live warps of each CTA slot that have not arrived.
    missing_warps: [Signal<Local, Bits<W>>; S],
    /// Warps of each CTA slot whose phase completes.
    cta_completing_warps: [Signal<Local, Bits<W>>; S],
}

#[block]
impl Logic for PerCta {
    fn update(&mut self) {
        for b in 0..LC {
            self.cta_warps.warp_cta[b].next = self.warp_cta[b].val();
        }
        self.arrived_slots.next = 0.into();
        self.completing_warps.next = 0.into();
        for i in 0..S {
            self.live_warps[i].next = self.live.val() & self.cta_warps.warps[i].val();
            self.missing_warps[i].next = self.live_warps[i].val() & !self.arrived_warps.val();
            self.arrived_slots.next =
                self.arrived_slots.val().replace_bit(i, self.live_warps[i].val().any() & !self.missing_warps[i].val().any());
            self.cta_completing_warps[i].next = 0.into();
            if self.completed_slots.val().get_bit(i) {
                self.cta_completing_warps[i].next = self.cta_warps.warps[i].val();
            }
            self.completing_warps.next = self.completing_warps.val() | self.cta_completing_warps[i].val();
        }
    }
}
