// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion of a 32-bit number to tf32, the format of matrix products with 10 bits of fraction in the upper 19 bits of a word.

use super::format::Format;

/// Bits of the fraction of a 32-bit number that tf32 does not have.
const LOST: u32 = 13;

/// `cvt.RND{.relu}.tf32.f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tf32 {
    pub round: Tf32Round,
    /// A negative result becomes 0.
    pub relu: bool,
}

/// `.rna`, `.rn`, `.rz`: to nearest with ties away from zero, to nearest with ties to even, towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tf32Round {
    Away,
    Even,
    Zero,
}

impl Tf32 {
    /// The result; the bits that tf32 does not have are 0, except in a NaN.
    pub(crate) fn of(self, value: u32) -> u32 {
        let (sign, magnitude) = (value & 1 << 31, value & !(1 << 31));
        if Format::F32.is_nan(value.into()) {
            return Format::F32.nan() as u32;
        }
        if self.relu && sign != 0 {
            return 0;
        }
        let half = 1 << (LOST - 1);
        let added = match self.round {
            Tf32Round::Away => half,
            Tf32Round::Even => half - 1 + (magnitude >> LOST & 1),
            Tf32Round::Zero => 0,
        };
        // A carry out of the fraction increments the exponent, up to infinity.
        let rounded = if u64::from(magnitude) == Format::F32.infinity() { magnitude } else { magnitude + added };
        sign | rounded >> LOST << LOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_ten_bits_of_fraction() {
        let of = |round: Tf32Round, value: u32| Tf32 { round, relu: false }.of(value);
        for (value, away, even, zero) in [
            (0x3f80_1000, 0x3f80_2000, 0x3f80_0000, 0x3f80_0000),
            (0x3f80_3000, 0x3f80_4000, 0x3f80_4000, 0x3f80_2000),
            (0xbf80_0fff, 0xbf80_0000, 0xbf80_0000, 0xbf80_0000),
            (0x7f7f_ffff, 0x7f80_0000, 0x7f80_0000, 0x7f7f_e000),
            (0x7f80_0000, 0x7f80_0000, 0x7f80_0000, 0x7f80_0000),
            (0xff80_0001, 0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff),
            (0x8000_0001, 0x8000_0000, 0x8000_0000, 0x8000_0000),
        ] {
            let found = [Tf32Round::Away, Tf32Round::Even, Tf32Round::Zero].map(|round| of(round, value));
            assert_eq!(found, [away, even, zero], "{value:#x}");
        }
        let relu = Tf32 { round: Tf32Round::Even, relu: true };
        assert_eq!((relu.of(0xbf80_0000), relu.of(0x3f80_0000)), (0, 0x3f80_0000));
    }
}
