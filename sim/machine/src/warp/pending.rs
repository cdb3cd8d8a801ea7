// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers with pending writes.

use super::shares::Shares;

/// A pending result of the unit or of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Pending {
    pub from: From,
    /// Lanes with the registers that get the number of the result; and in `predicates` its truth value.
    pub registers: Vec<(usize, usize)>,
    pub predicates: Vec<(usize, usize)>,
}

/// The source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum From {
    Memory,
    /// The unit, for an instruction word with this register and predicate.
    Unit(u8, u8),
    /// An mbarrier, for these lanes.
    Mbarrier {
        lanes: u64,
        shares: Shares,
    },
}
