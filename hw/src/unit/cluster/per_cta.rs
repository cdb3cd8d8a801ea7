// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps and their CTAs: of which CTAs all live warps have arrived, and whose warps those are of which a phase is completed.
//!
//! *Reads:* who is live and where, who has arrived, the slots of which a phase is completed. *Writes:* the slots that are full, and the warps of those
//! that are completed. *Latency:* 0, no state. Implements *Phases* of `docs/clusters.md`, section `cluster`.

use crate::prelude::*;
use crate::unit::warps_of::WarpsOf;

/// `W` warps, `S` CTA slots of `LC` bits.
#[block]
pub struct PerCta<W, LC, S> {
    pub live: Signal<In, Bits<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub arrived: Signal<In, Bits<W>>,
    pub completed: Signal<In, Bits<S>>,
    /// All live warps have arrived, and there is one.
    pub full: Signal<Out, Bits<S>>,
    /// The warps of the slots that are completed.
    pub over: Signal<Out, Bits<W>>,
    of: WarpsOf<W, LC, S>,
    there: [Signal<Local, Bits<W>>; S],
    missing: [Signal<Local, Bits<W>>; S],
}

#[block]
impl Logic for PerCta<W, LC, S> {
    fn update(&mut self) {
        for b in 0..LC {
            self.of.warp_cta[b].next = self.warp_cta[b].val();
        }
        self.full.next = 0.into();
        self.over.next = 0.into();
        for i in 0..S {
            self.there[i].next = self.live.val() & self.of.warps[i].val();
            self.missing[i].next = self.there[i].val() & !self.arrived.val();
            self.full.next = self.full.val().replace_bit(i, self.there[i].val().any() & !self.missing[i].val().any());
            if self.completed.val().get_bit(i) {
                self.over.next = self.over.val() | self.of.warps[i].val();
            }
        }
    }
}
