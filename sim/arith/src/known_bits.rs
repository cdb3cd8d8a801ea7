// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known bits of results: a bit is known only if it is the same for every value of the unknown bits of the sources.

use super::bits::extended;
use super::calc::{lane_result, one_result, Calc, Operation};
use super::integer::Integer;
use super::partial::{agreed, Partial};
use super::reads::{controls, read_bits};
use super::types::{Type, TypeKind};
use super::values::{Values, MAX_SOURCES};
use super::{bounds, sums};

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
