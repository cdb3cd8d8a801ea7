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
    /// The number of CTAs that have been placed on multiprocessors.
    pub(super) placed_count: usize,
    /// For each cluster slot of the unit, one bit for each multiprocessor that has not reported the slot's cluster as closed.
    pub(super) slots: Vec<u64>,
    /// The number of bits of a CTA slot number.
    pub(super) slot_bits: u32,
    /// The CTA that is in a CTA slot, or was there last; the key is multiprocessor and CTA slot.
    pub(super) owners: HashMap<(usize, usize), usize>,
    /// The cycles in which the unit accepted the operations in flight to mbarriers of other CTAs; the key is sending CTA, target CTA and
    /// address.
    pub(super) remote_ops: HashMap<(usize, usize, u32), VecDeque<u64>>,
}

/// The state of the machine outside of the multiprocessors.
pub(super) struct Uncore {
    pub memory: Memory,
    pub blocks: Blocks,
    pub grids: Grids,
    /// CTAs whose warps have all exited.
    pub exited_ctas: BTreeSet<usize>,
}
