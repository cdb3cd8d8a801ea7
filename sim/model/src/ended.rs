// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose warps are live in the stream of operations, which CTAs have ended, and which that left may give their slot back
//! (`docs/contract/bcu.md`).

use super::warp_cta::WarpCta;

/// The warps that are live as `cluster` and `grid` see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub warps: u64,
}

/// What still goes on, whoever is live.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// Warps with an access outstanding.
    pub accesses: u64,
    /// CTA slots with a copy, and with a remote operation.
    pub copies: u64,
    pub remote: u64,
}

impl Live {
    /// The slots, of the first `slots`, whose CTA has ended.
    pub fn ended(&self, slots: usize, warp_cta: &WarpCta, outstanding: Outstanding) -> u64 {
        let busy = self.warps | outstanding.accesses;
        let goes_on =
            |slot: usize| busy & warp_cta.all_of(slot as u8) != 0 || (outstanding.copies | outstanding.remote) >> slot & 1 != 0;
        (0..slots).filter(|slot| !goes_on(*slot)).fold(0, |ended, slot| ended | 1 << slot)
    }

    /// Warps come with their CTA, exit, and leave with it.
    pub fn clock(&mut self, come: u64, exit: u64, leave: u64) {
        self.warps = self.warps & !(exit | leave) | come;
    }
}

/// CTA slots on their way back to the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    left: u64,
    empty: u64,
    /// The slot that may be given back, as shown in this cycle.
    pub shown: Option<u8>,
}

impl Freed {
    /// A CTA leaves; `mbarrier` keeps nothing of one any more; of the slots in `freed` no other unit keeps anything.
    pub fn clock(&mut self, leaves: Option<u8>, empties: Option<u8>, freed: u64) {
        let ready = self.left & self.empty & freed;
        self.shown = (ready != 0).then_some(ready.trailing_zeros() as u8);
        let bit = |slot: Option<u8>| slot.map_or(0, |slot| 1 << slot);
        self.left = self.left & !bit(self.shown) | bit(leaves);
        self.empty = self.empty & !bit(self.shown) | bit(empties);
    }
}
