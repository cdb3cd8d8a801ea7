// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Maps between warps and CTA slots: in which slots all live warps have arrived, and which warps belong to slots whose phase
//! completes.
//!
//! *Reads:* which warps are live, the CTA of each warp, which warps have arrived; the slots whose phase completes. *Writes:*
//! the slots that are full, and the warps of the slots whose phase completes. *Latency:* 0, no state. Implements *Phases* of
//! `docs/contract/clusters.md`, section `cluster`.

use crate::prelude::*;
use crate::unit::warps_of::WarpsOf;

/// `W` warps, `S` CTA slots of `LC` bits.
#[block]
pub struct PerCta<W, LC, S> {
    /// Live warps.
    pub live: Signal<In, Bits<W>>,
    /// One bit of the CTA slot of every warp: the bit whose number ends the name.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps that have arrived in the open phase.
    pub arrived: Signal<In, Bits<W>>,
    /// CTA slots whose phase completes.
    pub completed: Signal<In, Bits<S>>,
    /// CTA slots with live warps, all of which have arrived.
    pub full: Signal<Out, Bits<S>>,
    /// Warps of the slots whose phase completes.
    pub over: Signal<Out, Bits<W>>,
    /// The warps of each CTA slot.
    of: WarpsOf<W, LC, S>,
    /// Live warps of each CTA slot.
    there: [Signal<Local, Bits<W>>; S],
    /// Live warps of each CTA slot that have not arrived.
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
