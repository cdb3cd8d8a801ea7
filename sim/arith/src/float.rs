// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Floating-point arithmetic with its rounding modes. The host calculates round-to-nearest, which is exact for 32 and 64 bits; every other
//! mode and the 16-bit formats are calculated in software.

use super::approx::{approximate, of_high_word, Approx};
use super::format::{power, Format, Round};
use super::Values;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Rcp,
    Sqrt,
    Min,
    Max,
    /// The minimum or maximum of three sources.
    Min3,
    Max3,
    Neg,
    Abs,
    Copysign,
    Approx(Approx),
}

/// The effect of modifiers on sources and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub round: Round,
    /// Subnormal sources and results are replaced by zeros.
    pub ftz: bool,
    pub limit: Limit,
    /// `.NaN`: a minimum or maximum with a NaN is a NaN.
    pub nan: bool,
    /// `.xorsign.abs`: the minimum or maximum of the magnitudes, with the exclusive or of both signs.
    pub xorsign: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    None,
    /// `.sat`: the result is limited to the range from 0 to 1; a NaN becomes 0.
    Unit,
    /// `.relu`: a negative result becomes 0.
    Relu,
}

impl Float {
    pub fn sources(self) -> usize {
        match self {
            Float::Fma | Float::Min3 | Float::Max3 => 3,
            Float::Rcp | Float::Sqrt | Float::Neg | Float::Abs => 1,
            Float::Approx(function) => function.sources(),
            _ => 2,
        }
    }
}

#[inline(always)]
pub(crate) fn float(op: Float, format: Format, rules: Rules, values: &Values) -> Option<u64> {
    let source = |i: usize| values[i].map(|v| format.flushed(format.low(v), rules.ftz));
    // These operations change only the sign, also that of a NaN.
    match op {
        Float::Neg => return Some(source(0)? ^ format.sign()),
        Float::Abs => return Some(format.magnitude(source(0)?)),
        Float::Copysign => return Some(source(0)? & format.sign() | format.magnitude(source(1)?)),
        _ => {}
    }
    let (a, b) = (source(0)?, if op.sources() > 1 { source(1)? } else { 0 });
    let round = rules.round;
    let result = match op {
        Float::Add => rounded(Exact::Add, format, round, [a, b, 0]),
        Float::Sub => rounded(Exact::Add, format, round, [a, b ^ format.sign(), 0]),
        Float::Mul => rounded(Exact::Mul, format, round, [a, b, 0]),
        Float::Fma => rounded(Exact::Fma, format, round, [a, b, source(2)?]),
        Float::Div => rounded(Exact::Div, format, round, [a, b, 0]),
        Float::Rcp => rounded(Exact::Div, format, round, [format.one_bits(), a, 0]),
        Float::Sqrt => root(format, round, a),
        Float::Min | Float::Max => extreme(op == Float::Min, format, rules, a, b),
        Float::Min3 | Float::Max3 => {
            let least = op == Float::Min3;
            extreme(least, format, rules, extreme(least, format, rules, a, b), source(2)?)
        }
        Float::Approx(function) if format == Format::F64 && rules.ftz => return Some(of_high_word(function, a)),
        Float::Approx(function) => format.rounded(approximate(function, format.value(a), format.value(b)), Round::Even),
        Float::Neg | Float::Abs | Float::Copysign => return None,
    };
    let result = format.flushed(format.canonical(result), rules.ftz);
    Some(limited(format, rules.limit, result))
}

pub(crate) fn limited(format: Format, limit: Limit, value: u64) -> u64 {
    let negative = value & format.sign() != 0;
    match limit {
        Limit::Unit if format.is_nan(value) || negative => 0,
        Limit::Unit => value.min(format.one_bits()),
        Limit::Relu if negative && !format.is_nan(value) => 0,
        _ => value,
    }
}

/// An operation that is calculated exactly and then rounded once.
#[derive(Clone, Copy)]
enum Exact {
    Add,
    Mul,
    Fma,
    Div,
}

#[inline(always)]
fn rounded(op: Exact, format: Format, round: Round, sources: [u64; 3]) -> u64 {
    match (format, round) {
        (Format::F32, Round::Even) => {
            let [a, b, c] = sources.map(|v| f32::from_bits(v as u32));
            let result = match op {
                Exact::Add => a + b,
                Exact::Mul => a * b,
                Exact::Fma => a.mul_add(b, c),
                Exact::Div => a / b,
            };
            result.to_bits().into()
        }
        (Format::F64, Round::Even) => {
            let [a, b, c] = sources.map(f64::from_bits);
            let result = match op {
                Exact::Add => a + b,
                Exact::Mul => a * b,
                Exact::Fma => a.mul_add(b, c),
                Exact::Div => a / b,
            };
            result.to_bits()
        }
        (Format::F16, _) => in_software::<Half>(op, round, sources),
        (Format::Bf16, _) => in_software::<BFloat>(op, round, sources),
        (Format::F32, _) => in_software::<Single>(op, round, sources),
        (Format::F64, _) => in_software::<Double>(op, round, sources),
    }
}

fn in_software<F: rustc_apfloat::Float>(op: Exact, round: Round, sources: [u64; 3]) -> u64 {
    let [a, b, c] = sources.map(|v| F::from_bits(v.into()));
    let round = round.soft();
    let result = match op {
        Exact::Add => a.add_r(b, round),
        Exact::Mul => a.mul_r(b, round),
        Exact::Fma => a.mul_add_r(b, c, round),
        Exact::Div => a.div_r(b, round),
    };
    result.value.to_bits() as u64
}

/// A square root of 32 or 64 bits; there is no square root of another format.
fn root(format: Format, round: Round, source: u64) -> u64 {
    let value = format.value(source);
    if round == Round::Even || value.is_nan() || value <= 0.0 || value.is_infinite() {
        return match format {
            Format::F32 => f32::from_bits(source as u32).sqrt().to_bits().into(),
            _ => format.rounded(value.sqrt(), Round::Even),
        };
    }
    // The value is `fraction` * 2^`exponent`, with enough bits in the fraction for its root to fill the format.
    let (mut fraction, mut exponent) = parts(value);
    let wanted = 2 * (format.fraction() + 1);
    let shift = fraction.leading_zeros() as i32 - (128 - wanted as i32);
    let shift = if (exponent - shift) % 2 == 0 { shift } else { shift - 1 };
    fraction <<= shift.max(0);
    // A 32-bit number has no bits below its fraction, so the right shift loses nothing.
    fraction >>= (-shift).max(0);
    exponent -= shift;
    let floor = fraction.isqrt();
    let up = round == Round::Up && floor * floor != fraction;
    let result = (floor + u128::from(up)) as f64 * power(exponent / 2);
    format.rounded(result, Round::Even)
}

/// Fraction and exponent of a positive number.
fn parts(value: f64) -> (u128, i32) {
    let bits = value.to_bits();
    let fraction = u128::from(bits & ((1 << 52) - 1));
    match (bits >> 52) as i32 {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

fn extreme(least: bool, format: Format, rules: Rules, a: u64, b: u64) -> u64 {
    let sign = if rules.xorsign { (a ^ b) & format.sign() } else { 0 };
    let [a, b] = [a, b].map(|v| if rules.xorsign { format.magnitude(v) } else { v });
    let chosen = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.nan(),
        (true, false) | (false, true) if rules.nan => return format.nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let (x, y) = (format.value(a), format.value(b));
            // For minimum and maximum, a negative zero is less than a positive zero.
            let below = x < y || (x == y && a & format.sign() != 0);
            if below == least {
                a
            } else {
                b
            }
        }
    };
    chosen | sign
}
