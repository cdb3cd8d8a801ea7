// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the CTA slot of each warp into one mask of warps for each CTA slot.
//!
//! *Reads:* the CTA slot of each warp, as one mask of warps for each bit of the CTA slot's number. *Writes:* the mask of warps of
//! each CTA slot. *Latency:* 0, no state.

use crate::prelude::*;

/// `W` warps, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct WarpsOf<W, LC, S> {
    /// Bit b of the CTA slot of each warp, in `warp_cta_b`.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// The warps of each CTA slot.
    pub warps: [Signal<Out, Bits<W>>; S],
    #[init(std::array::from_fn(|slot| Constant::new((slot as u64).into())))]
    slot_numbers: [Constant<Bits<LC>>; S],
    /// For each CTA slot: the warps of all other CTA slots.
    other_warps: [Signal<Local, Bits<W>>; S],
}

#[block]
impl Logic for WarpsOf {
    fn update(&mut self) {
        for i in 0..S {
            self.other_warps[i].next = 0.into();
            for b in 0..LC {
                if self.slot_numbers[i].val().get_bit(b) {
                    self.other_warps[i].next = self.other_warps[i].val() | !self.warp_cta[b].val();
                } else {
                    self.other_warps[i].next = self.other_warps[i].val() | self.warp_cta[b].val();
                }
            }
            self.warps[i].next = !self.other_warps[i].val();
        }
    }
}
