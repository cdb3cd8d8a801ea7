// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The floating-point formats: their fields, special values, and conversion to and from a 64-bit float, which holds every value exactly.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

/// `.rn`, `.rz`, `.rm`, `.rp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Even,
    Zero,
    Down,
    Up,
}

impl Round {
    pub(crate) fn soft(self) -> rustc_apfloat::Round {
        match self {
            Round::Even => rustc_apfloat::Round::NearestTiesToEven,
            Round::Zero => rustc_apfloat::Round::TowardZero,
            Round::Down => rustc_apfloat::Round::TowardNegative,
            Round::Up => rustc_apfloat::Round::TowardPositive,
        }
    }

    /// The nearest integral value in this direction; a zero keeps its sign.
    pub(crate) fn integral(self, value: f64) -> f64 {
        match self {
            Round::Even => value.round_ties_even(),
            Round::Zero => value.trunc(),
            Round::Down => value.floor(),
            Round::Up => value.ceil(),
        }
    }
}

/// 2 to the power of `exponent`, which must be the exponent of a normal 64-bit float.
pub(crate) fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    pub fn bits(self) -> u32 {
        match self {
            Format::F16 | Format::Bf16 => 16,
            Format::F32 => 32,
            Format::F64 => 64,
        }
    }

    /// Bits of the fraction, without the leading one.
    pub fn fraction(self) -> u32 {
        match self {
            Format::F16 => 10,
            Format::Bf16 => 7,
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    /// The NaN of every result. PTX leaves the payload open; this is the payload of the hardware.
    pub fn nan(self) -> u64 {
        match self {
            Format::F16 | Format::Bf16 => 0x7fff,
            Format::F32 => 0x7fff_ffff,
            Format::F64 => 0xfff8_0000_0000_0000,
        }
    }

    pub fn one_bits(self) -> u64 {
        match self {
            Format::F16 => 0x3c00,
            Format::Bf16 => 0x3f80,
            Format::F32 => 0x3f80_0000,
            Format::F64 => 0x3ff0_0000_0000_0000,
        }
    }

    pub fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Infinity, whose exponent has all bits set.
    pub fn infinity(self) -> u64 {
        (self.sign() - 1) >> self.fraction() << self.fraction()
    }

    /// The bits of a register that belong to the value.
    pub fn low(self, value: u64) -> u64 {
        value & (self.sign() | (self.sign() - 1))
    }

    pub fn magnitude(self, value: u64) -> u64 {
        value & (self.sign() - 1)
    }

    pub fn is_nan(self, value: u64) -> bool {
        self.magnitude(value) > self.infinity()
    }

    pub fn is_zero(self, value: u64) -> bool {
        self.magnitude(value) == 0
    }

    pub fn is_subnormal(self, value: u64) -> bool {
        !self.is_zero(value) && self.magnitude(value) >> self.fraction() == 0
    }

    /// With `.ftz`, a subnormal number becomes a zero of the same sign.
    pub(crate) fn flushed(self, value: u64, ftz: bool) -> u64 {
        if ftz && self.is_subnormal(value) {
            return value & self.sign();
        }
        value
    }

    /// Every NaN becomes [`Format::nan`]; other values are unchanged.
    pub(crate) fn canonical(self, value: u64) -> u64 {
        if self.is_nan(value) {
            return self.nan();
        }
        value
    }

    /// The number as a 64-bit float.
    pub fn value(self, value: u64) -> f64 {
        match self {
            Format::F64 => f64::from_bits(value),
            Format::F32 => f32::from_bits(value as u32).into(),
            Format::Bf16 => f32::from_bits((value as u32) << 16).into(),
            Format::F16 => {
                let fraction = (value & 0x3ff) as f64;
                let size = match value as i32 >> 10 & 0x1f {
                    0 => fraction * power(-24),
                    0x1f if value & 0x3ff == 0 => f64::INFINITY,
                    0x1f => f64::NAN,
                    exponent => (fraction + 1024.0) * power(exponent - 25),
                };
                if value >> 15 & 1 == 1 {
                    -size
                } else {
                    size
                }
            }
        }
    }

    /// The number of this format that `value` rounds to.
    pub(crate) fn rounded(self, value: f64, round: Round) -> u64 {
        let double = || Double::from_bits(value.to_bits().into());
        let (soft, mut inexact) = (round.soft(), false);
        let bits = match (self, round) {
            (Format::F64, _) => value.to_bits(),
            (Format::F32, Round::Even) => (value as f32).to_bits().into(),
            (Format::F32, _) => FloatConvert::<Single>::convert_r(double(), soft, &mut inexact).value.to_bits() as u64,
            (Format::F16, _) => FloatConvert::<Half>::convert_r(double(), soft, &mut inexact).value.to_bits() as u64,
            (Format::Bf16, _) => FloatConvert::<BFloat>::convert_r(double(), soft, &mut inexact).value.to_bits() as u64,
        };
        self.canonical(bits)
    }

    /// The number of this format that an integer rounds to.
    pub(crate) fn from_integer(self, value: i128, round: Round) -> u64 {
        let soft = round.soft();
        match (self, round) {
            (Format::F32, Round::Even) => (value as f32).to_bits().into(),
            (Format::F64, Round::Even) => (value as f64).to_bits(),
            (Format::F16, _) => Half::from_i128_r(value, soft).value.to_bits() as u64,
            (Format::Bf16, _) => BFloat::from_i128_r(value, soft).value.to_bits() as u64,
            (Format::F32, _) => Single::from_i128_r(value, soft).value.to_bits() as u64,
            (Format::F64, _) => Double::from_i128_r(value, soft).value.to_bits() as u64,
        }
    }
}
