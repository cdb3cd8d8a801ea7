// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Approximate functions, calculated in 64 bits: the error of a shorter result is below every bound that PTX states, and that of a 64-bit
//! result below two units in the last place.

use super::format::Format;

/// The approximate functions, by opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approx {
    Rcp,
    Sqrt,
    Rsqrt,
    /// `.approx`, for which divisors above 2^126 are out of range.
    Div,
    /// `div.full`, which has no limit on the divisor.
    DivFull,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
}

impl Approx {
    pub fn sources(self) -> usize {
        match self {
            Approx::Div | Approx::DivFull => 2,
            _ => 1,
        }
    }
}

/// The value of a function; `b` is used only by the divisions.
pub(crate) fn approximate(function: Approx, a: f64, b: f64) -> f64 {
    match function {
        Approx::Rcp => 1.0 / a,
        Approx::Sqrt => a.sqrt(),
        Approx::Rsqrt => 1.0 / a.sqrt(),
        // The reciprocal of a finite divisor above 2^126 counts as 0.
        Approx::Div if b.abs() > super::format::power(126) && b.is_finite() => a * 0f64.copysign(b),
        Approx::Div | Approx::DivFull => a / b,
        Approx::Ex2 => a.exp2(),
        Approx::Lg2 => a.log2(),
        Approx::Sin => a.sin(),
        Approx::Cos => a.cos(),
        Approx::Tanh => a.tanh(),
    }
}

/// The NaN that `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` return.
const NAN: u64 = 0x7fff_ffff_0000_0000;

/// A function with `.approx.ftz` of a 64-bit number: source and result have only their upper 32 bits, with 20 bits of the fraction; the
/// lower bits of the source are ignored, those of the result are 0.
pub(crate) fn of_high_word(function: Approx, source: u64) -> u64 {
    let source = Format::F64.flushed(source >> 32 << 32, true);
    let result = approximate(function, f64::from_bits(source), 0.0);
    if result.is_nan() {
        return NAN;
    }
    // Rounded to nearest; a carry out of the fraction correctly increments the exponent.
    let result = result.to_bits();
    let rounded = (result + 0x7fff_ffff + (result >> 32 & 1)) >> 32 << 32;
    Format::F64.flushed(rounded, true)
}
