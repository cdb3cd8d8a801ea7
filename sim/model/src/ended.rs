// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that are live in the stream of operations, the CTAs that have ended, and the CTA slots that may be freed
//! (`docs/contract/bcu.md`).

use super::sizes::mask;
use super::warp_cta::WarpCta;

/// The warps that `cluster` and `grid` treat as live, one bit per warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub warps: u64,
}

/// Activity that keeps a CTA from ending even without a live warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outstanding {
    /// Warps with an access outstanding; one bit per warp.
    pub accesses: u64,
    /// CTA slots with a copy outstanding, one bit per slot.
    pub copies: u64,
    /// CTA slots with a remote operation outstanding, one bit per slot.
    pub remote: u64,
}

impl Live {
    /// The CTA slots below `slots` whose CTA has ended, one bit per slot.
    pub fn ended(&self, slots: usize, warp_cta: &WarpCta, outstanding: Outstanding) -> u64 {
        let busy = warp_cta.slots_of(self.warps | outstanding.accesses) | outstanding.copies | outstanding.remote;
        mask(slots) & !busy
    }

    /// Updates the live warps at the edge: warps in `come` belong to a launched CTA, warps in `exit` have exited, warps in `leave` belong
    /// to a CTA that leaves.
    pub fn clock(&mut self, come: u64, exit: u64, leave: u64) {
        self.warps = self.warps & !(exit | leave) | come;
    }
}

/// CTA slots in the process of being freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// CTA slots whose CTA has left and that are not freed yet, one bit per slot.
    retired: u64,
    /// CTA slots whose CTA has left no state in `mbarrier` and that are not freed yet, one bit per slot.
    empty: u64,
    /// The CTA slot that may be freed, as output in this cycle.
    pub shown: Option<u8>,
}

impl Freed {
    /// Applies the rising edge. `leaves`: the CTA slot of a CTA that leaves; `empties`: the CTA slot whose last state in `mbarrier` is now
    /// gone; `freed`: the CTA slots of which `cluster` and `grid` hold no state, one bit per slot.
    pub fn clock(&mut self, leaves: Option<u8>, empties: Option<u8>, freed: u64) {
        let ready = self.retired & self.empty & freed;
        self.shown = (ready != 0).then_some(ready.trailing_zeros() as u8);
        let bit = |slot: Option<u8>| slot.map_or(0, |slot| 1 << slot);
        self.retired = self.retired & !bit(self.shown) | bit(leaves);
        self.empty = self.empty & !bit(self.shown) | bit(empties);
    }
}
