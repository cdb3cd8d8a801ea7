// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Approximate functions, calculated in 64 bits: the error of the 32-bit result is below every bound that PTX states.

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
