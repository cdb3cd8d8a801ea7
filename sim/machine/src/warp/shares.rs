// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each lane's share of the change that a joint operation of several lanes makes to the word of an mbarrier.

/// The change of the word of an mbarrier by each lane that takes part in an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Shares {
    /// The number of arrivals of a lane.
    pub(super) arrivals: u64,
    /// The number of bytes that a lane expects.
    pub(super) bytes: u64,
    pub(super) drops: bool,
    /// Whether the word is written to two 32-bit registers.
    pub(super) halves: bool,
}

impl Shares {
    /// The word that a lane gets if `before` lanes take part before it.
    pub(super) fn word(&self, word: u64, before: u64) -> u64 {
        let add = |word: u64, (at, bits): (u32, u32), number: u64| {
            let mask = (1u64 << bits) - 1;
            word & !(mask << at) | ((word >> at).wrapping_add(number) & mask) << at
        };
        // The fields hold negated counts, so a field increases when its count decreases.
        let arrivals = self.arrivals.wrapping_mul(before);
        let word = add(word, PENDING, arrivals);
        let word = if self.drops { add(word, EXPECTED, arrivals) } else { word };
        add(word, BYTES, self.bytes.wrapping_mul(before).wrapping_neg())
    }
}

/// The lowest bit and the width of the fields with negated counts in the word of an mbarrier.
pub(super) const EXPECTED: (u32, u32) = (1, 20);

pub(super) const BYTES: (u32, u32) = (21, 21);

pub(super) const PENDING: (u32, u32) = (43, 20);
