// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state that multiprocessors share: memory, CTAs that are not launched yet, and grids.

use super::grids::Grids;
use super::memory::Memory;
use super::plan::CtaPlan;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The CTAs of a run.
pub(super) struct Blocks {
    /// The CTAs in launch order: those of a cluster are adjacent, in order of rank.
    pub(super) plans: Vec<CtaPlan>,
    /// The number of CTAs that have been given to multiprocessors.
    pub(super) placed_count: usize,
    /// By cluster slot of the unit, a mask of the multiprocessors that have not yet reported its cluster as closed.
    pub(super) slots: Vec<u64>,
    /// The number of bits of a CTA slot; and, by multiprocessor and CTA slot, the present or last CTA.
    pub(super) slot_bits: u32,
    pub(super) owners: HashMap<(usize, usize), usize>,
    /// By sending CTA, target CTA of its cluster, and mbarrier: the cycles in which the unit accepted the operations in flight.
    pub(super) remote_ops: HashMap<(usize, usize, u32), VecDeque<u64>>,
}

/// The state outside of a multiprocessor.
pub(super) struct Uncore {
    pub memory: Memory,
    pub blocks: Blocks,
    pub grids: Grids,
    /// CTAs whose warps have all exited.
    pub exited_ctas: BTreeSet<usize>,
}
