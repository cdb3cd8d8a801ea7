// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparisons of integers of which some bits are unknown: the bounds of both values often decide.

use super::compare::{compare as compare_values, Compare, Comparison, Test};
use super::partial::Partial;
use super::reads::low;
use super::types::{Type, TypeKind};
use super::values::{Scalar, Values, MAX_SOURCES};

/// Both results of a comparison, as of known values. `values` are the sources that are known.
pub(crate) fn compare(comparison: Comparison, sources: [Partial; MAX_SOURCES], values: Values) -> (Option<u64>, Option<u64>) {
    let (Test::Ordered(test), Scalar::Integer(ty)) = (comparison.test, comparison.scalar) else { return (None, None) };
    if holds(test, ty, sources[0], sources[1]).is_none() || comparison.join.is_some() && values[2].is_none() {
        return (None, None);
    }
    // Every value of the unknown bits gives the same result.
    compare_values(comparison, &[Some(sources[0].bits), Some(sources[1].bits), values[2], None])
}

/// The result of a comparison; `None`: it depends on the unknown bits.
fn holds(test: Compare, ty: Type, a: Partial, b: Partial) -> Option<bool> {
    let (least_a, most_a) = bounds(ty, a);
    let (least_b, most_b) = bounds(ty, b);
    let decided = |always: bool, never: bool| if always { Some(true) } else { never.then_some(false) };
    match test {
        Compare::Eq => decided(false, (a.bits ^ b.bits) & a.known & b.known & low(ty.bits) != 0),
        Compare::Ne => holds(Compare::Eq, ty, a, b).map(|equal| !equal),
        Compare::Lt => decided(most_a < least_b, least_a >= most_b),
        Compare::Le => decided(most_a <= least_b, least_a > most_b),
        Compare::Gt => holds(Compare::Le, ty, a, b).map(|below| !below),
        Compare::Ge => holds(Compare::Lt, ty, a, b).map(|below| !below),
    }
}

/// The lowest and the highest value of the type, with an inverted sign if the type is signed, so that they are ordered as unsigned numbers.
fn bounds(ty: Type, value: Partial) -> (u64, u64) {
    let sign = if ty.kind == TypeKind::Signed { 1 << (ty.bits.clamp(1, 64) - 1) } else { 0 };
    let least = (value.bits ^ sign) & value.known & low(ty.bits);
    (least, least | !value.known & low(ty.bits))
}
