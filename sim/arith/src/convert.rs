// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between integers and floating-point numbers of all widths.

use super::bits::extended;
use super::float::{limited, Limit};
use super::format::{Format, Round};
use super::values::clamped;
use super::Scalar;
use super::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    pub to: Scalar,
    pub from: Scalar,
    pub round: Round,
    /// `.rni` and the like, between two equal formats: the result is an integral value.
    pub integral: bool,
    /// Subnormal 32-bit sources and results are replaced by zeros.
    pub ftz: bool,
    pub limit: Limit,
}

#[inline(always)]
pub(crate) fn convert(conversion: Conversion, source: u64) -> u64 {
    let Conversion { to, from, round, integral, ftz, limit } = conversion;
    let flushed = |from: Format| from.flushed(from.low(source), ftz && from == Format::F32);
    match (from, to) {
        (Scalar::Integer(from), Scalar::Integer(to)) => {
            let value = extended(source, from);
            let value = if limit == Limit::Unit { clamped(value, to) } else { value };
            extended(value as u64, to) as u64
        }
        (Scalar::Integer(from), Scalar::Float(to)) => limited(to, limit, to.from_integer(extended(source, from), round)),
        (Scalar::Float(from), Scalar::Integer(to)) => to_integer(from, to, round, flushed(from)),
        (Scalar::Float(from), Scalar::Float(to)) => {
            let value = from.value(flushed(from));
            let result = if integral { to.rounded(round.integral(value), Round::Even) } else { to.rounded(value, round) };
            limited(to, limit, to.flushed(result, ftz && to == Format::F32))
        }
    }
}

/// An out-of-range value becomes the nearest integer of the type; a NaN becomes 0 or, if the
/// source or the integer has 64 bits, the number with only the highest bit set.
fn to_integer(from: Format, to: Type, round: Round, source: u64) -> u64 {
    let value = from.value(source);
    let result = match value.is_nan() {
        true if from == Format::F64 || to.bits == 64 => 1 << (to.bits - 1),
        true => 0,
        false => clamped(round.integral(value) as i128, to),
    };
    extended(result as u64, to) as u64
}
