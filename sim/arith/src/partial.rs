// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of which only some bits are known.

use super::bits::extended;
use super::types::Type;

/// A value with a mask of its known bits; an unknown bit is 0 in `bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Partial {
    pub bits: u64,
    pub known: u64,
}

impl Partial {
    pub const UNKNOWN: Partial = Partial { bits: 0, known: 0 };

    /// The value whose bits in the mask `known` are those of `bits`.
    pub fn new(bits: u64, known: u64) -> Partial {
        Partial { bits: bits & known, known }
    }

    /// The number with these bytes, lowest first; all bits above are 0.
    pub fn from_bytes(bytes: impl Iterator<Item = Option<u8>>) -> Partial {
        let mut number = Partial::from(Some(0));
        for (shift, byte) in (0..64).step_by(8).zip(bytes) {
            match byte {
                Some(byte) => number.bits |= u64::from(byte) << shift,
                None => number.known &= !(0xff << shift),
            }
        }
        number
    }

    /// The number of which each part has its lowest bit at a position; a part is 0 above its bits.
    pub fn joined(parts: impl Iterator<Item = (Partial, u32)>) -> Partial {
        parts.fold(Some(0).into(), |number: Partial, (part, shift)| {
            let unknown = !part.known << shift;
            Partial::new(number.bits | part.bits << shift, number.known & !unknown)
        })
    }

    /// The bits in which two values agree.
    pub fn agreed(self, other: Partial) -> Partial {
        Partial::new(self.bits, self.known & other.known & !(self.bits ^ other.bits))
    }

    /// A byte of the value, counted from the lowest, if all its bits are known.
    pub fn byte(self, number: usize) -> Option<u8> {
        let shift = u32::try_from(8 * number).ok().filter(|shift| *shift < 64)?;
        (self.known >> shift & 0xff == 0xff).then_some((self.bits >> shift) as u8)
    }

    /// The value if all its bits are known.
    #[inline]
    pub fn value(self) -> Option<u64> {
        (self.known == u64::MAX).then_some(self.bits)
    }

    /// The lowest value, with 0 in place of each unknown bit, or the highest.
    pub(crate) fn filled(self, with_ones: bool) -> u64 {
        if with_ones {
            self.bits | !self.known
        } else {
            self.bits
        }
    }

    /// The low bits, extended as a value of the type.
    pub fn extended(self, ty: Type) -> Partial {
        agreed([self.filled(false), self.filled(true)].map(|bits| extended(bits, ty) as u64).into_iter())
    }

    pub fn shifted(self, right: u32) -> Partial {
        let filled = !(u64::MAX.checked_shr(right).unwrap_or(0));
        Partial { bits: self.bits.checked_shr(right).unwrap_or(0), known: self.known.checked_shr(right).unwrap_or(0) | filled }
    }
}

impl From<Option<u64>> for Partial {
    #[inline]
    fn from(value: Option<u64>) -> Partial {
        value.map_or(Partial::UNKNOWN, |bits| Partial { bits, known: u64::MAX })
    }
}

/// The bits in which all values agree.
pub(crate) fn agreed(mut values: impl Iterator<Item = u64>) -> Partial {
    let Some(first) = values.next() else { return Partial::UNKNOWN };
    let differing = values.fold(0, |differing, value| differing | value ^ first);
    Partial::new(first, !differing)
}
