// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What multiprocessors share: memory, CTAs that are yet to be launched, and grids.

use super::grids::Grids;
use super::memory::Memory;
use super::plan::CtaPlan;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The CTAs of a run.
pub(super) struct Blocks {
    /// Those of a cluster one behind the other, in the order of their ranks.
    pub(super) plans: Vec<CtaPlan>,
    /// How many of them have been given away.
    pub(super) given: usize,
    /// By cluster slot of the unit, the multiprocessors that have yet to show that its cluster is closed, one bit each.
    pub(super) slots: Vec<u64>,
    /// Bits of a CTA slot, and who has each CTA slot of each multiprocessor, or had it last.
    pub(super) slot_bits: u32,
    pub(super) owners: HashMap<(usize, usize), usize>,
    /// By CTA, the CTA of its cluster that they are for, and mbarrier: when the unit took the operations that are on their way.
    pub(super) remote_ops: HashMap<(usize, usize, u32), VecDeque<u64>>,
}

/// What is outside of a multiprocessor.
pub(super) struct Uncore {
    pub memory: Memory,
    pub blocks: Blocks,
    pub grids: Grids,
    /// CTAs all of whose warps have exited.
    pub gone: BTreeSet<usize>,
}
