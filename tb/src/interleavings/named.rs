// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of one named barrier: generations of arrivals.

use super::misuse::Misuse;
use super::program::Reduction;

/// The open generation of a named barrier. Warps are counted within their CTA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Named {
    /// The warps that have arrived, as a mask; 0 if no generation is open.
    arrived: u8,
    /// The warps of these that wait, as a mask.
    waiting: u8,
    /// The number of warps that must arrive; `None`: all warps that have not exited.
    count: Option<u8>,
    reduction: Option<Reduction>,
    /// The threads whose predicate is true.
    sum: u32,
}

/// One arrival of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub warp: usize,
    pub waits: bool,
    pub count: Option<u8>,
    pub reduction: Option<Reduction>,
    /// The threads of the warp whose predicate is true.
    pub threads: u32,
}

/// The end of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The warps that resume, as a mask.
    pub waiting: u8,
    /// The result of the reduction; 0 without one.
    pub result: u32,
}

impl Named {
    pub fn is_open(&self) -> bool {
        self.arrived != 0
    }

    /// Counts an arrival. `launched` and `live` are the warps of the CTA, all and those that have not exited.
    pub fn arrive(&mut self, arrival: Arrival, launched: usize, live: usize) -> Result<Option<Completed>, Misuse> {
        let Arrival { warp, waits, count, reduction, threads } = arrival;
        if count.is_some_and(|count| usize::from(count) > launched) {
            return Err(Misuse("count_exceeds_cta"));
        }
        if self.arrived & 1 << warp != 0 {
            return Err(Misuse("double_arrival"));
        }
        if self.is_open() && self.reduction != reduction {
            return Err(Misuse("kind_mismatch"));
        }
        if self.is_open() && self.count != count {
            return Err(Misuse("count_mismatch"));
        }
        *self = Named {
            arrived: self.arrived | 1 << warp,
            waiting: self.waiting | u8::from(waits) << warp,
            count,
            reduction,
            sum: self.sum + threads,
        };
        let target = count.map_or(live, usize::from);
        Ok(self.completed(target))
    }

    /// A warp of the CTA has exited: the barrier without a count needs one warp less. `live` are the warps that have not exited.
    pub fn exit(&mut self, live: usize) -> Option<Completed> {
        if self.is_open() && self.count.is_none() {
            self.completed(live)
        } else {
            None
        }
    }

    fn completed(&mut self, target: usize) -> Option<Completed> {
        if self.arrived.count_ones() as usize != target {
            return None;
        }
        let result = match self.reduction {
            None => 0,
            Some(Reduction::Popc) => self.sum,
            Some(Reduction::Or) => u32::from(self.sum != 0),
        };
        let completed = Completed { waiting: self.waiting, result };
        *self = Named::default();
        Some(completed)
    }
}
