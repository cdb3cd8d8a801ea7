// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of which only some bits are known. A bit of a result is known only if it is the same for every value of the unknown bits.

use super::bits::extended;
use super::calc::{lane_result, one_result, Calc, Operation};
use super::integer::Integer;
use super::reads::{controls, read_bits};
use super::types::{Type, TypeKind};
use super::values::{Values, MAX_SOURCES};
use super::{bounds, sums};

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
fn agreed(mut values: impl Iterator<Item = u64>) -> Partial {
    let Some(first) = values.next() else { return Partial::UNKNOWN };
    let differing = values.fold(0, |differing, value| differing | value ^ first);
    Partial::new(first, !differing)
}

/// First and second result of one lane, as [`lane_result`], for sources of which some bits are unknown.
pub fn lane_partial(calc: Calc, sources: [Partial; MAX_SOURCES]) -> (Partial, Partial) {
    let half = |bits: u32, upper: Partial, lower: Partial| {
        let low = Type { kind: TypeKind::Unsigned, bits };
        let (upper, lower) = (upper.extended(low), lower.extended(low));
        let outside = u64::MAX.checked_shl(2 * bits).unwrap_or(0);
        let mask = extended(u64::MAX, low) as u64;
        Partial::new(upper.bits << bits | lower.bits, (upper.known & mask) << bits | lower.known & mask | outside)
    };
    match (calc.pair, calc.op) {
        (Some(bits), op) => {
            let part = |shift: u32| one_partial(op, sources.map(|source| source.shifted(shift))).0;
            (half(bits, part(bits), part(0)), Partial::UNKNOWN)
        }
        (None, Operation::ConvertPair(conversion)) => {
            let part = |source: Partial| one_partial(Operation::Convert(conversion), [source; MAX_SOURCES]).0;
            (half(16, part(sources[0]), part(sources[1])), Partial::UNKNOWN)
        }
        (None, op) => one_partial(op, sources),
    }
}

fn one_partial(op: Operation, sources: [Partial; MAX_SOURCES]) -> (Partial, Partial) {
    let calc = Calc { op, pair: None };
    let mut values: Values = [None; MAX_SOURCES];
    for (i, (value, source)) in values.iter_mut().zip(sources).enumerate() {
        *value = (!source.known & read_bits(op, i) == 0).then_some(source.bits);
    }
    let (first, second) = lane_result(calc, values);
    if first.is_some() {
        return (first.into(), second.into());
    }
    let first = match op {
        Operation::Compare(comparison) => {
            let (first, second) = bounds::compare(comparison, sources, values);
            return (first.into(), second.into());
        }
        Operation::Integer { op: Integer::Cnot, ty, .. } if sources[0].bits & read_bits(op, 0) != 0 && ty.bits > 0 => {
            Some(0).into()
        }
        Operation::Integer { op: sum, ty, saturate: false } if sums::is_sum(sum) => sums::sum(sum, ty, sources),
        _ => controls(op).map_or(Partial::UNKNOWN, |controls| bitwise(calc, controls, sources, values)),
    };
    (first, Partial::UNKNOWN)
}

/// The result of an operation each of whose result bits depends on at most one bit of each source, apart from the sources `controls`, which
/// must be known. So it is enough to replace all unknown bits of a source together, once by 0 and once by 1.
fn bitwise(calc: Calc, controls: &[usize], sources: [Partial; MAX_SOURCES], values: Values) -> Partial {
    let arity = calc.sources().min(MAX_SOURCES);
    if controls.iter().any(|control| values[*control].is_none()) {
        return Partial::UNKNOWN;
    }
    let result = |fill: usize| {
        let mut filled = values;
        for (i, value) in filled.iter_mut().enumerate().take(arity) {
            *value = value.or(Some(sources[i].filled(fill >> i & 1 == 1)));
        }
        one_result(calc.op, &filled).0
    };
    let results: Option<Vec<u64>> = (0..1 << arity).map(result).collect();
    results.map_or(Partial::UNKNOWN, |results| agreed(results.into_iter()))
}

#[cfg(test)]
mod tests;
