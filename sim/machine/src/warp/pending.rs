// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results that registers wait for.

use super::shares::Shares;
use smallvec::SmallVec;

/// Registers, each with the lanes that get a result, one bit per lane.
pub(in super::super) type Owed = SmallVec<[(usize, u64); 4]>;

/// A result of the unit or of memory that has not arrived yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Pending {
    pub from: From,
    /// The registers that get the result as a number.
    pub registers: Owed,
    /// The registers that get the truth value of the result.
    pub predicates: Owed,
}

/// The source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum From {
    /// The access with this number.
    Memory(u64),
    /// The unit, as the result of an instruction word with this register and this predicate.
    Unit(u8, u8),
    /// The unit, as the answer to an mbarrier operation of these lanes.
    Mbarrier { lanes: u64, shares: Shares },
}
