// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results that registers wait for.

use super::shares::Shares;

/// A result of the unit or of memory that has not arrived yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Pending {
    pub from: From,
    /// The pairs of lane and register that get the result as a number.
    pub registers: Vec<(usize, usize)>,
    /// The pairs of lane and register that get the truth value of the result.
    pub predicates: Vec<(usize, usize)>,
}

/// The source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum From {
    Memory,
    /// The unit, as the result of an instruction word with this register and this predicate.
    Unit(u8, u8),
    /// The unit, as the answer to an mbarrier operation of these lanes.
    Mbarrier {
        lanes: u64,
        shares: Shares,
    },
}
