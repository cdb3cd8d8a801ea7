// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Swizzles of shared memory, by which tensor maps and matrix descriptors exchange chunks within a line of 128 bytes (PTX, *Swizzling
//! Modes*). The pattern depends on the address, not on the position in a box.

/// Bytes of a line, whose number selects the exchange.
const LINE: u64 = 128;

/// A swizzle mode, with the names of `CUtensorMapSwizzle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    #[default]
    None,
    /// Exchanges chunks of 16 bytes within 32, 64 or 128 bytes.
    B32,
    B64,
    B128,
    /// Exchanges chunks of 32 or 64 bytes within 128 bytes.
    B128Atom32,
    B128Atom64,
}

impl Swizzle {
    /// The supported modes with the names that launch files have for them.
    pub const ALL: [(&'static str, Swizzle); 6] = [
        ("none", Swizzle::None),
        ("32B", Swizzle::B32),
        ("64B", Swizzle::B64),
        ("128B", Swizzle::B128),
        ("128B_atom_32B", Swizzle::B128Atom32),
        ("128B_atom_64B", Swizzle::B128Atom64),
    ];

    pub fn name(self) -> &'static str {
        Swizzle::ALL.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }

    /// Bytes within which chunks change places; `None` without swizzle.
    pub fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B128 | Swizzle::B128Atom32 | Swizzle::B128Atom64 => Some(128),
        }
    }

    /// Bytes that stay contiguous.
    pub fn chunk(self) -> u64 {
        match self {
            Swizzle::B128Atom32 => 32,
            Swizzle::B128Atom64 => 64,
            _ => 16,
        }
    }

    /// The address at which the byte with the address `at` is, where the pattern begins at line `first_line`.
    pub fn address(self, at: u64, first_line: u64) -> u64 {
        let Some(span) = self.span() else { return at };
        let line = (at / LINE).wrapping_sub(first_line);
        at ^ (line & (span / self.chunk() - 1)) * self.chunk()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of the PTX document: for each line, the chunks of 16 bytes in the order of their addresses.
    const TABLES: [(Swizzle, &[[u64; 8]]); 6] = [
        (Swizzle::None, &[[0, 1, 2, 3, 4, 5, 6, 7]]),
        (Swizzle::B32, &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]),
        (
            Swizzle::B64,
            &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5], [3, 2, 1, 0, 7, 6, 5, 4]],
        ),
        (
            Swizzle::B128,
            &[
                [0, 1, 2, 3, 4, 5, 6, 7],
                [1, 0, 3, 2, 5, 4, 7, 6],
                [2, 3, 0, 1, 6, 7, 4, 5],
                [3, 2, 1, 0, 7, 6, 5, 4],
                [4, 5, 6, 7, 0, 1, 2, 3],
                [5, 4, 7, 6, 1, 0, 3, 2],
                [6, 7, 4, 5, 2, 3, 0, 1],
                [7, 6, 5, 4, 3, 2, 1, 0],
            ],
        ),
        (
            Swizzle::B128Atom32,
            &[[0, 1, 2, 3, 4, 5, 6, 7], [2, 3, 0, 1, 6, 7, 4, 5], [4, 5, 6, 7, 0, 1, 2, 3], [6, 7, 4, 5, 2, 3, 0, 1]],
        ),
        (Swizzle::B128Atom64, &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]]),
    ];

    #[test]
    fn the_patterns_are_those_of_the_document() {
        for (swizzle, table) in TABLES {
            for line in 0..32 {
                let found = table[line as usize % table.len()];
                for (place, chunk) in found.into_iter().enumerate() {
                    for byte in [0, 7, 15] {
                        let (from, to) = (line * LINE + chunk * 16 + byte, line * LINE + place as u64 * 16 + byte);
                        assert_eq!(swizzle.address(from, 0), to, "{swizzle:?} line {line} chunk {chunk}");
                        // A pattern that begins at another line is the same pattern, moved.
                        assert_eq!(swizzle.address(from + 3 * LINE, 3), to + 3 * LINE, "{swizzle:?} line {line}");
                    }
                }
            }
        }
    }
}
