// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integer types.

/// Integer types and their bits.
pub const INTEGERS: [(&str, u32); 6] = [("ub", 8), ("b", 8), ("uw", 16), ("w", 16), ("ud", 32), ("d", 32)];

/// Bits of an integer type.
pub fn bits_of(name: &str) -> Option<u32> {
    INTEGERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, bits)| *bits)
}
