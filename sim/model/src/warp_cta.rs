// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTA slot of every warp, in the form of the ports `warp_cta_*`: for every bit of a CTA slot number, a vector with one bit per warp.

use super::wire::{PortAction, Walk};
use bcu_isa::ports::Dir;

/// `planes[b]` holds bit b of the CTA slot number of every warp, one bit per warp. A unit has LC planes, at most 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpCta {
    pub planes: [u64; 6],
}

impl WarpCta {
    /// Visits the ports `warp_cta_0` and so on.
    pub fn ports(&mut self, dir: Dir, at: &mut Walk<impl PortAction>) {
        let (bits, warps) = (at.sizes().cta_bits(), at.sizes().warps());
        at.array(dir, "warp_cta", &mut self.planes[..bits], warps);
    }

    /// The CTA slot of a warp.
    #[inline]
    pub fn slot_of(&self, warp: u8) -> u8 {
        let mut slot = 0;
        for (bit, plane) in self.planes.into_iter().enumerate() {
            slot |= ((plane >> warp & 1) as u8) << bit;
        }
        slot
    }

    /// The warps whose CTA slot is `cta`, one bit per warp.
    #[inline]
    pub fn warps_of_slot(&self, cta: u8) -> u64 {
        let (mut differ, mut rest) = (0, u64::from(cta));
        for plane in self.planes {
            differ |= plane ^ (rest & 1).wrapping_neg();
            rest >>= 1;
        }
        !differ
    }

    /// The CTA slots of `warps`; one bit per CTA slot in the result.
    pub fn slots_of(&self, warps: u64) -> u64 {
        let (mut rest, mut slots) = (warps, 0);
        while rest != 0 {
            let slot = self.slot_of(rest.trailing_zeros() as u8);
            slots |= 1 << slot;
            rest &= !self.warps_of_slot(slot);
        }
        slots
    }

    /// Sets the CTA slot of `warps` to `cta`.
    pub fn set(&mut self, warps: u64, cta: u8) {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            *plane = *plane & !warps | if cta >> bit & 1 != 0 { warps } else { 0 };
        }
    }
}
