// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shares of lanes in a token.

/// The change of the word by an operation, for each lane that takes part in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Shares {
    /// Arrivals of a lane, and bytes that it expects.
    pub(super) arrivals: u64,
    pub(super) bytes: u64,
    pub(super) drops: bool,
    /// Whether the word goes to two registers.
    pub(super) halves: bool,
}

impl Shares {
    /// The word of a lane with `before` lanes before it.
    pub(super) fn word(&self, word: u64, before: u64) -> u64 {
        let add = |word: u64, (at, bits): (u32, u32), number: u64| {
            let mask = (1u64 << bits) - 1;
            word & !(mask << at) | ((word >> at).wrapping_add(number) & mask) << at
        };
        // The fields are negated counts, so they increase when the count decreases.
        let arrivals = self.arrivals.wrapping_mul(before);
        let word = add(word, PENDING, arrivals);
        let word = if self.drops { add(word, EXPECTED, arrivals) } else { word };
        add(word, BYTES, self.bytes.wrapping_mul(before).wrapping_neg())
    }
}

/// Lowest bit and width of the negated counts in the word.
pub(super) const EXPECTED: (u32, u32) = (1, 20);

pub(super) const BYTES: (u32, u32) = (21, 21);

pub(super) const PENDING: (u32, u32) = (43, 20);
