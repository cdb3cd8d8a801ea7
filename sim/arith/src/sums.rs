// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums, differences and products of integers of which some bits are unknown.

use super::integer::{Integer, Part};
use super::partial::Partial;
use super::types::Type;
use super::values::MAX_SOURCES;

/// Whether [`sum`] calculates the operation.
pub(crate) fn is_sum(op: Integer) -> bool {
    let is_low = |part: Part| part != Part::High;
    match op {
        Integer::Add | Integer::Sub | Integer::Neg => true,
        Integer::Mul(part) | Integer::Mad(part) => is_low(part),
        _ => false,
    }
}

/// The known bits of a sum, a difference or the low bits of a product.
pub(crate) fn sum(op: Integer, ty: Type, sources: [Partial; MAX_SOURCES]) -> Partial {
    let [a, b, c, _] = sources;
    let wide = Type { bits: ty.bits * 2, ..ty };
    let zero = Partial::from(Some(0));
    let (result, ty) = match op {
        Integer::Add => (added(a, b, false), ty),
        Integer::Sub => (added(a, inverted(b), true), ty),
        Integer::Neg => (added(zero, inverted(a), true), ty),
        Integer::Mul(Part::Low) => (product(a, b), ty),
        Integer::Mad(Part::Low) => (added(product(a, b), c, false), ty),
        Integer::Mul(Part::Wide) => (product(a.extended(ty), b.extended(ty)), wide),
        Integer::Mad(Part::Wide) => (added(product(a.extended(ty), b.extended(ty)), c, false), wide),
        _ => (Partial::UNKNOWN, ty),
    };
    result.extended(ty)
}

fn inverted(value: Partial) -> Partial {
    Partial::new(!value.bits, value.known)
}

/// The sum. The carry into a bit is lowest if all unknown bits are 0 and highest if they are all 1, so it is known where both agree.
fn added(a: Partial, b: Partial, carry: bool) -> Partial {
    let carries = |with_ones: bool| {
        let (a, b) = (a.filled(with_ones), b.filled(with_ones));
        a.wrapping_add(b).wrapping_add(carry.into()) ^ a ^ b
    };
    let (lowest, highest) = (carries(false), carries(true));
    Partial::new(a.bits ^ b.bits ^ lowest, a.known & b.known & !(lowest ^ highest))
}

/// The low bits of a product. An unknown bit of a source changes the product from its own position on, and higher if the other source ends
/// with zeros.
fn product(a: Partial, b: Partial) -> Partial {
    let known = |value: Partial| value.known.trailing_ones();
    let zeros = |value: Partial| (value.bits | !value.known).trailing_zeros();
    let bits = (known(a) + zeros(b)).min(known(b) + zeros(a)).min(64);
    Partial::new(a.bits.wrapping_mul(b.bits), super::reads::low(bits))
}
