// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the barriers: a row per (CTA slot, id), the CTA slots, the warps (`docs/contract/named.md`, State).

use super::op::Reduction;
use super::outcome::Reduced;
use super::sizes::{mask, Sizes};

/// A barrier of a CTA; an idle row is all 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// A generation is in progress: from its first arrival to its completion.
    pub open: bool,
    /// Warps that have arrived in this generation; one bit per warp.
    pub arrived: u64,
    /// Arrived warps that wait for the completion.
    pub waiting: u64,
    /// The number of warps that have arrived.
    pub count: u32,
    /// The number of warps that complete the generation; 0 = no count given.
    pub expected: u32,
    /// The reduction of the generation.
    pub reduction: Reduction,
    /// And: warps with a false lane; Or: warps with a true lane; Popc: true lanes.
    pub sum: u32,
}

impl Row {
    /// Whether a generation is in progress.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether a generation without a count is in progress: it completes when all live warps have arrived.
    pub fn is_uncounted(&self) -> bool {
        self.is_open() && self.expected == 0
    }

    /// The result of the reduction so far.
    pub fn result(&self) -> Reduced {
        let value = match self.reduction {
            Reduction::None => 0,
            Reduction::And => u16::from(self.sum == 0),
            Reduction::Or => u16::from(self.sum != 0),
            Reduction::Popc => self.sum as u16,
        };
        Reduced { reduction: self.reduction, value }
    }
}

/// The state of a CTA slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The number of launched warps.
    pub launched: u32,
    /// The number of warps that have not exited.
    pub live: u32,
    /// The number of barriers declared at launch.
    pub declared: u32,
    /// The number of open rows.
    pub open_rows: u32,
    /// The number of open rows without a count.
    pub uncounted_rows: u32,
    /// The id of the row without a count that was used last.
    pub last_uncounted: u8,
}

impl Slot {
    /// Counts the change of a row from `before` to `after`. Returns true if the change opens a row without a count while at least one other
    /// row without a count is open. Each counter holds 0 to the number of barriers; it can wrap only after a launch into a CTA slot with
    /// open rows.
    pub fn count_rows(&mut self, sizes: &Sizes, before: &Row, after: &Row) -> bool {
        let cut = mask(sizes.id_bits() + 1) as u32;
        let step = |number: u32, was: bool, is: bool| number.wrapping_add(u32::from(is)).wrapping_sub(u32::from(was)) & cut;
        self.open_rows = step(self.open_rows, before.is_open(), after.is_open());
        self.uncounted_rows = step(self.uncounted_rows, before.is_uncounted(), after.is_uncounted());
        after.is_uncounted() && !before.is_uncounted() && self.uncounted_rows >= 2
    }
}

/// The state of the warps; bit w of a vector is warp w.
#[derive(Clone, Debug, PartialEq)]
pub struct Warps {
    /// Warps that wait at a barrier, after all operations applied so far; one bit per warp.
    pub waiting: u64,
    /// For every warp, the id at which it arrived last with a Sync or Reduce.
    pub last_id: [u8; 64],
    /// For every warp, the result of its last reduction.
    pub results: [Reduced; 64],
}

impl Default for Warps {
    fn default() -> Warps {
        Warps { waiting: 0, last_id: [0; 64], results: [Reduced::default(); 64] }
    }
}

impl Warps {
    /// Stores `result` as the last result of every warp in `warps`.
    pub fn set_results(&mut self, warps: u64, result: Reduced) {
        let mut rest = warps;
        while rest != 0 {
            self.results[rest.trailing_zeros() as usize] = result;
            rest &= rest - 1;
        }
    }

    /// Clears the state of warps that leave with their CTA.
    pub fn leave(&mut self, warps: u64) {
        self.waiting &= !warps;
        self.set_results(warps, Reduced::default());
    }
}
