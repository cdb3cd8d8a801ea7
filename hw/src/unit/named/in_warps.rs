// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a number of threads into warps.
//!
//! *Reads:* the number of threads. *Writes:* the number of whole warps, and whether there is a remainder. *Latency:* 0, no state.
//! Implements the participants of spec 000, which are counted in threads and arrive in warps.
//!
//! A remainder is a fault in a configuration with checks, and is ignored in a configuration without checks. If the lanes per warp are
//! a power of two, the division is a shift. If they are not, a divider computes the number of whole warps; in a configuration with
//! checks it also detects a remainder, and its quotient is valid only if there is none.

use super::{by_inverse::ByInverse, by_reciprocal::ByReciprocal};
use crate::prelude::*;

#[block]
pub struct InWarps {
    pub threads: Signal<In, Bits<12>>,
    /// Number of whole warps.
    pub warps: Signal<Out, Bits<12>>,
    /// There is a remainder of threads.
    pub has_remainder: Signal<Out, Bit>,
    #[built(!config.lanes.is_power_of_two() && config.faults)]
    #[init(ByInverse::new(config))]
    by_inverse: ByInverse,
    #[built(!config.lanes.is_power_of_two() && !config.faults)]
    #[init(ByReciprocal::new(config))]
    by_reciprocal: ByReciprocal,
    #[init(Constant::new((config.lanes.ilog2() as u64).into()))]
    lane_bits: Constant<Bits<3>>,
    #[init(Constant::new((config.lanes as u64 - 1).into()))]
    lane_mask: Constant<Bits<12>>,
    /// Number of blocks `by_inverse`: 1 if the lanes per warp are not a power of two and checks are built, else 0.
    #[init(usize::from(!config.lanes.is_power_of_two() && config.faults))]
    _checked: usize,
    /// Number of blocks `by_reciprocal`: 1 if the lanes per warp are not a power of two and checks are not built, else 0.
    #[init(usize::from(!config.lanes.is_power_of_two() && !config.faults))]
    _unchecked: usize,
}

#[block]
impl Logic for InWarps {
    fn update(&mut self) {
        self.by_inverse.threads.next = self.threads.val();
        self.by_reciprocal.threads.next = self.threads.val();
        self.warps.next = self.threads.val() >> self.lane_bits.val();
        self.has_remainder.next = (self.threads.val() & self.lane_mask.val()).any();
        for _k in 0..self._checked {
            self.warps.next = self.by_inverse.warps.val();
            self.has_remainder.next = self.by_inverse.has_remainder.val();
        }
        for _n in 0..self._unchecked {
            self.warps.next = self.by_reciprocal.warps.val();
        }
    }
}
