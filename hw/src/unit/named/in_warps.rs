// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a number of threads into warps.
//!
//! *Reads:* the number of threads. *Writes:* how many whole warps that is, and whether threads are left over. *Latency:* 0, no
//! state. Implements the participants of spec 000, which are counted in threads and come in warps.
//!
//! If the lanes per warp are a power of two, this is a shift.

use super::by_reciprocal::ByReciprocal;
use crate::prelude::*;

#[block]
pub struct InWarps {
    pub threads: Signal<In, Bits<12>>,
    /// Whole warps.
    pub warps: Signal<Out, Bits<12>>,
    /// Threads are left over.
    pub rest: Signal<Out, Bit>,
    #[built(!config.lanes.is_power_of_two())]
    #[init(ByReciprocal::new(config))]
    by_reciprocal: ByReciprocal,
    #[init(Constant::new((config.lanes.ilog2() as u64).into()))]
    lane_bits: Constant<Bits<3>>,
    #[init(Constant::new((config.lanes as u64 - 1).into()))]
    lane_mask: Constant<Bits<12>>,
    /// 1 if the lanes per warp are no power of two, else 0: how many dividers are built.
    #[init(usize::from(!config.lanes.is_power_of_two()))]
    _divides: usize,
}

#[block]
impl Logic for InWarps {
    fn update(&mut self) {
        self.by_reciprocal.threads.next = self.threads.val();
        self.warps.next = self.threads.val() >> self.lane_bits.val();
        self.rest.next = (self.threads.val() & self.lane_mask.val()).any();
        for _k in 0..self._divides {
            self.warps.next = self.by_reciprocal.warps.val();
            self.rest.next = self.by_reciprocal.rest.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{named, Config};

    #[test]
    fn every_number_of_threads_is_divided_by_every_number_of_lanes() {
        for lanes in 1..65 {
            let mut block = InWarps::new(&Config { lanes, ..named("tiny").unwrap() });
            block.connect_all();
            for threads in 0..1u64 << 12 {
                block.threads.next = threads.into();
                while {
                    block.update_all();
                    block.has_changed()
                } {}
                let (warps, rest) = (block.warps.val().to_u64(), block.rest.val());
                assert_eq!((warps, rest), (threads / lanes as u64, threads % lanes as u64 != 0), "{threads} by {lanes}");
            }
        }
    }
}
