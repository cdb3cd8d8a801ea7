// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register that is yet to be written.

use super::shares::Shares;

/// A result of the unit or of memory that is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Pending {
    pub from: From,
    /// Lanes with their registers that get its number, or its truth.
    pub registers: Vec<(usize, usize)>,
    pub predicates: Vec<(usize, usize)>,
}

/// Who brings a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum From {
    Memory,
    /// The unit, for a word that asked with this register and predicate.
    Unit(u8, u8),
    /// An mbarrier, for these lanes.
    Mbarrier {
        lanes: u64,
        shares: Shares,
    },
}
