// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values that join, cut out or replace bits of other values. Bits that are written in several statements become one
//! concatenation.

use super::basic::{as_constant, constant, expr, is_all, known_places, mask, peel};
use super::same::same;
use super::value::{Node, Op, Value};
use num_bigint::BigUint;

/// The OR of two concatenations as one concatenation, if in every part one of the two is zero; else
/// `None`.
pub(super) fn side_by_side(a: &Value, b: &Value) -> Option<Value> {
    let (Node::Concat(left), Node::Concat(right)) = (&a.node, &b.node) else { return None };
    let outer_parts = |parts: &[Value]| {
        let mut end = 0;
        parts
            .iter()
            .rev()
            .map(|part| {
                end += part.width;
                end
            })
            .collect::<Vec<_>>()
    };
    let mut cuts = [outer_parts(left), outer_parts(right)].concat();
    cuts.sort_unstable();
    cuts.dedup();
    let (mut low, mut joined) = (0, vec![]);
    for cut in cuts {
        let (x, y) = (slice(a, low, cut - low), slice(b, low, cut - low));
        joined.push(match (is_all(&x, false), is_all(&y, false)) {
            (true, _) => y,
            (_, true) => x,
            _ => return None,
        });
        low = cut;
    }
    joined.reverse();
    Some(concat(joined))
}

/// Joins parts, most significant first.
pub fn concat(parts: Vec<Value>) -> Value {
    let mut flat: Vec<Value> = vec![];
    for part in parts {
        let inner = match &part.node {
            Node::Concat(inner) => inner.clone(),
            _ => vec![part],
        };
        for part in inner {
            match flat.last().and_then(|above| follows(above, &part)) {
                Some(both) => {
                    flat.pop();
                    flat.push(both);
                }
                None => flat.push(part),
            }
        }
    }
    let width = flat.iter().map(|part| part.width).sum();
    let known = flat.iter().try_fold(BigUint::ZERO, |high, part| Some((high << part.width) | as_constant(part)?));
    match (flat.as_slice(), known) {
        ([only], _) => only.clone(),
        (_, Some(number)) => constant(width, number),
        _ => expr(width, Node::Concat(flat)),
    }
}

/// Merges two adjacent parts of a concatenation, if possible: numbers without a name, or consecutive bits of one net.
fn follows(above: &Value, below: &Value) -> Option<Value> {
    let width = above.width + below.width;
    match (&above.node, &below.node) {
        (Node::Const(high, None), Node::Const(low, None)) => Some(constant(width, (high << below.width) | low)),
        (Node::Slice(base, high), Node::Slice(other, low)) if *high == low + below.width && same(base, other) => {
            Some(slice(base, *low, width))
        }
        _ => None,
    }
}

/// `width` bits of `value` from bit `low` upwards. The bits must all exist.
///
/// If the bits of an operation depend only on the same bits of its operands, the operands are cut instead of the result. This needs no
/// intermediate net and leaves no unused bits.
pub fn slice(value: &Value, low: usize, width: usize) -> Value {
    if low == 0 && width == value.width {
        return value.clone();
    }
    let part = |v: &Value| slice(v, low, width);
    match &value.node {
        Node::Const(v, _) => constant(width, (v >> low) & mask(width)),
        Node::Concat(parts) => slice_concat(parts, low, width),
        Node::Slice(base, at) => slice(base, at + low, width),
        Node::Repeat(_, bit) if width == 1 => bit.clone(),
        Node::Repeat(_, bit) => expr(width, Node::Repeat(width, bit.clone())),
        Node::Not(a) => expr(width, Node::Not(part(a))),
        Node::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) => binary(*op, part(a), part(b)),
        Node::Neg(a) if low == 0 => expr(width, Node::Neg(part(a))),
        Node::Binary(op, a, b) if low == 0 => binary(*op, part(a), part(b)),
        Node::Shift(false, a, amount) if known_places(amount).is_some_and(|places| low + places + width <= a.width) => {
            slice(a, low + known_places(amount).unwrap_or(0), width)
        }
        Node::Shift(true, a, amount) if known_places(amount).is_some_and(|places| places <= low) => {
            slice(a, low - known_places(amount).unwrap_or(0), width)
        }
        Node::Shift(true, a, amount) if low == 0 => expr(width, Node::Shift(true, part(a), amount.clone())),
        Node::Binary(..) | Node::Neg(_) if low + width < value.width => {
            expr(width, Node::Slice(slice(value, 0, low + width), low))
        }
        _ => expr(width, Node::Slice(value.clone(), low)),
    }
}

fn slice_concat(parts: &[Value], low: usize, width: usize) -> Value {
    let mut picked = vec![];
    let mut base = 0;
    for part in parts.iter().rev() {
        let (from, to) = (low.max(base), (low + width).min(base + part.width));
        if from < to {
            picked.push(slice(part, from - base, to - from));
        }
        base += part.width;
    }
    picked.reverse();
    concat(picked)
}

/// `value` with its bits from `low` upwards replaced by `bits`. If `value` is a concatenation, or names a net that holds one, the
/// result is joined from the parts of the concatenation. So bits that are written in several statements become one concatenation.
pub fn splice(value: &Value, low: usize, bits: Value) -> Value {
    let whole = match &peel(value).node {
        Node::Concat(_) => peel(value),
        _ => value,
    };
    let above = low + bits.width;
    let mut parts = vec![];
    if above < value.width {
        parts.push(slice(whole, above, value.width - above));
    }
    parts.push(bits);
    if low > 0 {
        parts.push(slice(whole, 0, low));
    }
    concat(parts)
}

/// If `a` and `b` differ in exactly one bit, and both are single bits or numbers: the index of the bit, its value in `a` and its value in
/// `b`.
fn differing_bit(a: &Value, b: &Value) -> Option<(usize, Value, Value)> {
    if a.width == 1 {
        return Some((0, a.clone(), b.clone()));
    }
    let (Node::Const(x, None), Node::Const(y, None)) = (&a.node, &b.node) else { return None };
    let place = Some(x ^ y).filter(|different| different.count_ones() == 1)?.trailing_zeros()? as usize;
    Some((place, slice(a, place, 1), slice(b, place, 1)))
}

/// If `spliced` is a concatenation that differs from `whole` in exactly one bit: the index of the bit, its value in `spliced` and its value
/// in `whole`.
pub(super) fn only_difference(spliced: &Value, whole: &Value) -> Option<(usize, Value, Value)> {
    let Node::Concat(parts) = &peel(spliced).node else { return None };
    let whole = match &peel(whole).node {
        Node::Concat(_) => peel(whole),
        _ => whole,
    };
    let (mut low, mut found) = (0, None);
    for part in parts.iter().rev() {
        let written = slice(whole, low, part.width);
        if !same(part, &written) {
            let (place, bit, written) = differing_bit(part, &written)?;
            if found.is_some() {
                return None;
            }
            found = Some((low + place, bit, written));
        }
        low += part.width;
    }
    found
}

/// `op` of `a` and `b`, which are equally wide. Constants are folded.
pub fn binary(op: Op, a: Value, b: Value) -> Value {
    let width = a.width;
    let (Some(x), Some(y)) = (as_constant(&a), as_constant(&b)) else {
        return match op {
            Op::And if is_all(&a, false) || is_all(&b, true) => a,
            Op::And if is_all(&b, false) || is_all(&a, true) => b,
            Op::Or if is_all(&a, true) || is_all(&b, false) => a,
            Op::Or if is_all(&b, true) || is_all(&a, false) => b,
            Op::Xor | Op::Add | Op::Sub if is_all(&b, false) => a,
            Op::Xor | Op::Add if is_all(&a, false) => b,
            Op::Or => side_by_side(&a, &b).unwrap_or_else(|| expr(width, Node::Binary(op, a, b))),
            _ => expr(width, Node::Binary(op, a, b)),
        };
    };
    let every_bit = mask(width);
    let result = match op {
        Op::Add => x + y,
        // `x` plus the complement of `y` plus one: unlike `x - y` this is never negative.
        Op::Sub => x + (&every_bit - y) + 1u8,
        Op::Mul => x * y,
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
    };
    constant(width, result & every_bit)
}
