// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values. Each keeps operands equally wide where Verilog would otherwise widen them, and computes what is known: what is
//! not built reads as 0, and no text of it is to remain.

use super::ir::{Cmp, Expr, Node, Op, Reduce, Value};
use super::vector::same;
use num_bigint::BigUint;
use std::cmp::Ordering;
use std::rc::Rc;

pub fn expr(width: usize, node: Node) -> Value {
    Rc::new(Expr { width, node })
}

pub fn constant(width: usize, value: impl Into<BigUint>) -> Value {
    expr(width, Node::Const(value.into(), None))
}

/// The number a value always has.
pub fn as_constant(value: &Value) -> Option<&BigUint> {
    match &value.node {
        Node::Const(v, _) => Some(v),
        _ => None,
    }
}

/// The value behind the assignments that only passed it on.
pub fn peel(value: &Value) -> &Value {
    match &value.node {
        Node::Held(_, inner) => peel(inner),
        _ => value,
    }
}

/// Whether every bit of a value is this one.
fn is_all(value: &Value, bit: bool) -> bool {
    let wanted = if bit { mask(value.width) } else { BigUint::ZERO };
    as_constant(value).is_some_and(|number| *number == wanted)
}

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
    let all = mask(width);
    let result = match op {
        Op::Add => x + y,
        // The complement of `y` plus one, kept positive.
        Op::Sub => x + (&all - y) + 1u8,
        Op::Mul => x * y,
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
    };
    constant(width, result & all)
}

/// Fields that are joined by an OR, each where the other has zeros only, as the concatenation that this is.
fn side_by_side(a: &Value, b: &Value) -> Option<Value> {
    let (Node::Concat(left), Node::Concat(right)) = (&a.node, &b.node) else { return None };
    let ends = |parts: &[Value]| {
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
    let mut cuts = [ends(left), ends(right)].concat();
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

/// `&&` (true) or `||` of two single bits.
pub fn logic(both: bool, a: Value, b: Value) -> Value {
    match (as_constant(&a).map(|a| a.bit(0)), as_constant(&b).map(|b| b.bit(0))) {
        (Some(known), _) => {
            if known == both {
                b
            } else {
                a
            }
        }
        (_, Some(known)) => {
            if known == both {
                a
            } else {
                b
            }
        }
        _ => expr(1, Node::Logic(both, a, b)),
    }
}

/// One bit from two equally wide values.
pub fn compare(cmp: Cmp, signed: bool, a: Value, b: Value) -> Value {
    match (as_constant(&a), as_constant(&b)) {
        (Some(x), Some(y)) if !signed => {
            let holds = match cmp {
                Cmp::Eq => x == y,
                Cmp::Ne => x != y,
                Cmp::Lt => x < y,
                Cmp::Le => x <= y,
                Cmp::Gt => x > y,
                Cmp::Ge => x >= y,
            };
            constant(1, u8::from(holds))
        }
        _ => expr(1, Node::Compare(cmp, signed, a, b)),
    }
}

/// One bit from all bits of a value.
pub fn reduce(kind: Reduce, value: Value) -> Value {
    let known = as_constant(&value).map(|number| match kind {
        Reduce::All => is_all(&value, true),
        Reduce::Any => !is_all(&value, false),
        Reduce::Xor => number.count_ones() % 2 == 1,
    });
    match known {
        Some(bit) => constant(1, u8::from(bit)),
        None if value.width == 1 => value,
        None => expr(1, Node::Reduce(kind, value)),
    }
}

/// Left or right by an amount of its own width, filling with zeros.
pub fn shift(left: bool, value: Value, amount: Value) -> Value {
    if is_all(&value, false) {
        return value;
    }
    let width = value.width;
    match known_places(&amount).filter(|places| *places == 0 || *places >= width || matches!(value.node, Node::Concat(_))) {
        Some(0) => value,
        Some(places) if places >= width => constant(width, 0u8),
        // Fields in their places.
        Some(places) if left => concat(vec![slice(&value, 0, width - places), constant(places, 0u8)]),
        Some(places) => concat(vec![constant(places, 0u8), slice(&value, places, width - places)]),
        None => expr(width, Node::Shift(left, value, amount)),
    }
}

/// How far a value is shifted, if that is always the same.
fn known_places(amount: &Value) -> Option<usize> {
    as_constant(amount).map(|places| usize::try_from(places).unwrap_or(usize::MAX))
}

/// `width` bits from a computed place upwards, which always lie inside.
pub fn select(width: usize, value: Value, at: Value) -> Value {
    if is_all(&value, false) {
        return constant(width, 0u8);
    }
    expr(width, Node::Select(value, at))
}

/// Zero-extends or truncates.
pub fn resize(value: &Value, width: usize) -> Value {
    if width <= value.width {
        return slice(value, 0, width);
    }
    match &value.node {
        Node::Const(v, _) => constant(width, v.clone()),
        _ => concat(vec![constant(width - value.width, 0u8), value.clone()]),
    }
}

/// Sign-extends or truncates.
pub fn resize_signed(value: &Value, width: usize) -> Value {
    if width <= value.width {
        return slice(value, 0, width);
    }
    let sign = slice(value, value.width - 1, 1);
    match as_constant(&sign).map(|s| s.bit(0)) {
        Some(false) => resize(value, width),
        _ => concat(vec![expr(width - value.width, Node::Repeat(width - value.width, sign)), value.clone()]),
    }
}

/// `value` with the bit at a computed place replaced, if there is such a bit.
pub fn write(value: Value, at: Value, bit: Value) -> Value {
    let (width, needed) = (value.width, address_bits(value.width));
    match at.width.cmp(&needed) {
        _ if width == 1 => mux(&compare(Cmp::Eq, false, at.clone(), constant(at.width, 0u8)), &bit, &value),
        Ordering::Greater => masked(&value, &at, &bit),
        _ => expr(width, Node::Write(value, resize(&at, needed), bit)),
    }
}

/// Bits of a number below `whole`, at least 1.
pub fn address_bits(whole: usize) -> usize {
    (usize::BITS - (whole - 1).leading_zeros()).max(1) as usize
}

/// The same by masks.
pub fn masked(value: &Value, at: &Value, bit: &Value) -> Value {
    let moved = |v: Value| shift(true, v, at.clone());
    let place = moved(constant(value.width, 1u8));
    match as_constant(bit).map(|bit| bit.bit(0)) {
        Some(true) => binary(Op::Or, value.clone(), place),
        Some(false) => binary(Op::And, value.clone(), not(&place)),
        None => {
            let cleared = binary(Op::And, value.clone(), not(&place));
            binary(Op::Or, cleared, moved(resize(bit, value.width)))
        }
    }
}

/// The bits of `yes` that are marked, and the others of `no`, by gates.
pub fn by_marks(marks: &Value, yes: &Value, no: &Value) -> Value {
    let none = || binary(Op::And, not(marks), no.clone());
    match &yes.node {
        _ if is_all(yes, false) => none(),
        _ if is_all(yes, true) => binary(Op::Or, marks.clone(), no.clone()),
        Node::Repeat(_, bit) => mux(bit, &binary(Op::Or, marks.clone(), no.clone()), &none()),
        _ => binary(Op::Or, binary(Op::And, marks.clone(), yes.clone()), none()),
    }
}

/// A value of the same kind, of what its operands become.
pub fn remade(value: &Value, of: &mut impl FnMut(&Value) -> Value) -> Value {
    let width = value.width;
    match &value.node {
        Node::Const(..) | Node::Net(_) => value.clone(),
        Node::Held(net, a) => expr(width, Node::Held(*net, of(a))),
        Node::Not(a) => not(&of(a)),
        Node::Neg(a) => expr(width, Node::Neg(of(a))),
        Node::Reduce(how, a) => reduce(*how, of(a)),
        Node::Binary(op, a, b) => binary(*op, of(a), of(b)),
        Node::Compare(how, signed, a, b) => compare(*how, *signed, of(a), of(b)),
        Node::Logic(both, a, b) => logic(*both, of(a), of(b)),
        Node::Shift(left, a, amount) => shift(*left, of(a), of(amount)),
        Node::Mux(c, a, b) => mux(&of(c), &of(a), &of(b)),
        Node::Concat(parts) => concat(parts.iter().map(of).collect()),
        Node::Repeat(count, bit) => expr(width, Node::Repeat(*count, of(bit))),
        Node::Slice(a, low) => slice(&of(a), *low, width),
        Node::Select(a, at) => select(width, of(a), of(at)),
        Node::Write(a, at, bit) => write(of(a), of(at), of(bit)),
        Node::Marked(marks, yes, no) => expr(width, Node::Marked(of(marks), of(yes), of(no))),
    }
}

/// Joins parts, the most significant first.
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

/// Two parts of a concatenation that are one: numbers without a name, or bits of one net that follow each other.
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

/// `width` bits from `low` upwards; all of them must exist.
///
/// Where the bits of the result need only the same bits of the operands, the operands are cut instead: that needs no
/// intermediate net and leaves no bits unused.
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

/// `value` with other bits from `low` upwards. Of a concatenation the parts are taken, whatever net holds it meanwhile, so that bits
/// written one after the other end in one.
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

/// The only bit in which two values differ, if they are single bits or numbers: its place, and what both have there.
fn differing_bit(a: &Value, b: &Value) -> Option<(usize, Value, Value)> {
    if a.width == 1 {
        return Some((0, a.clone(), b.clone()));
    }
    let (Node::Const(x, None), Node::Const(y, None)) = (&a.node, &b.node) else { return None };
    let place = Some(x ^ y).filter(|different| different.count_ones() == 1)?.trailing_zeros()? as usize;
    Some((place, slice(a, place, 1), slice(b, place, 1)))
}

/// Two values that differ in one bit of a concatenation only: its place, and what both have there.
fn only_difference(spliced: &Value, whole: &Value) -> Option<(usize, Value, Value)> {
    let Node::Concat(parts) = &peel(spliced).node else { return None };
    let whole = match &peel(whole).node {
        Node::Concat(_) => peel(whole),
        _ => whole,
    };
    let (mut low, mut found) = (0, None);
    for part in parts.iter().rev() {
        let other = slice(whole, low, part.width);
        if !same(part, &other) {
            let (place, bit, other) = differing_bit(part, &other)?;
            if found.is_some() {
                return None;
            }
            found = Some((low + place, bit, other));
        }
        low += part.width;
    }
    found
}

/// All ones.
pub fn mask(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

pub fn not(value: &Value) -> Value {
    match &value.node {
        Node::Const(v, _) => constant(value.width, mask(value.width) ^ v),
        Node::Not(inner) => inner.clone(),
        _ => expr(value.width, Node::Not(value.clone())),
    }
}

/// `condition ? yes : no`, without the cases that say less than a plain expression.
pub fn mux(condition: &Value, yes: &Value, no: &Value) -> Value {
    match as_constant(condition).map(|condition| condition.bit(0)) {
        Some(true) => return yes.clone(),
        Some(false) => return no.clone(),
        None => {}
    }
    if Rc::ptr_eq(yes, no) || as_constant(yes).is_some() && as_constant(yes) == as_constant(no) {
        return yes.clone();
    }
    if let Node::Mux(inner, deep, other) = &peel(yes).node {
        if same(other, no) {
            return mux(&logic(true, condition.clone(), inner.clone()), deep, no);
        }
    }
    if yes.width == 1 {
        let bit = |v: &Value| as_constant(peel(v)).map(|c| c.bit(0));
        match (bit(yes), bit(no)) {
            (Some(true), Some(false)) => return condition.clone(),
            (Some(false), Some(true)) => return not(condition),
            _ => {}
        }
    }
    // The first of several bits that are written one after the other.
    if let (Node::Const(bits, None), true) = (&yes.node, yes.width > 1 && is_all(no, false)) {
        if bits.count_ones() == 1 {
            return splice(no, bits.trailing_zeros().unwrap_or(0) as usize, condition.clone());
        }
    }
    if let Some((low, bits, others)) = only_difference(yes, no) {
        return splice(no, low, mux(condition, &bits, &others));
    }
    if let Some((low, others, bits)) = only_difference(no, yes) {
        return splice(yes, low, mux(condition, &bits, &others));
    }
    expr(yes.width, Node::Mux(condition.clone(), yes.clone(), no.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_a_sum_cuts_its_operands() {
        let (a, b) = (expr(8, Node::Net(0)), expr(8, Node::Net(1)));
        let sum = binary(Op::Add, a, b);
        let Node::Binary(Op::Add, x, _) = &slice(&sum, 0, 4).node else { panic!("not a sum") };
        assert_eq!(x.width, 4);
        let Node::Slice(base, 2) = &slice(&sum, 2, 4).node else { panic!("not a slice") };
        assert_eq!(base.width, 6);
    }

    #[test]
    fn concatenations_are_cut_at_their_parts() {
        let (a, b) = (expr(3, Node::Net(0)), expr(5, Node::Net(1)));
        let both = concat(vec![a, b]);
        assert!(matches!(slice(&both, 5, 3).node, Node::Net(0)));
        let Node::Concat(parts) = &slice(&both, 4, 2).node else { panic!("not a concatenation") };
        assert_eq!(parts.len(), 2);
        assert_eq!(as_constant(&resize_signed(&constant(4, 5u8), 8)), Some(&BigUint::from(5u8)));
    }

    #[test]
    fn nested_conditions_without_else_become_one() {
        let net = |n| expr(1, Node::Net(n));
        let (c, d, wide) = (net(0), net(1), expr(4, Node::Net(2)));
        let old = expr(4, Node::Net(3));
        let inner = mux(&d, &wide, &old);
        assert!(matches!(&mux(&c, &inner, &old).node, Node::Mux(test, _, _) if matches!(test.node, Node::Logic(true, ..))));
        assert!(Rc::ptr_eq(&mux(&c, &old, &old), &old));
    }

    #[test]
    fn what_is_known_is_not_computed() {
        let (a, b) = (expr(4, Node::Net(0)), expr(1, Node::Net(1)));
        let (zero, ones, one) = (constant(4, 0u8), constant(4, 15u8), constant(1, 1u8));
        for (op, known, comes) in
            [(Op::And, &zero, &zero), (Op::And, &ones, &a), (Op::Or, &zero, &a), (Op::Or, &ones, &ones), (Op::Xor, &zero, &a)]
        {
            assert!(Rc::ptr_eq(&binary(op, a.clone(), known.clone()), comes), "{op:?}");
            assert!(Rc::ptr_eq(&binary(op, known.clone(), a.clone()), comes), "{op:?}");
        }
        assert!(
            Rc::ptr_eq(&logic(true, one.clone(), b.clone()), &b) && Rc::ptr_eq(&logic(false, b.clone(), one.clone()), &one)
        );
        assert!(Rc::ptr_eq(&mux(&one, &a, &zero), &a) && Rc::ptr_eq(&mux(&not(&one), &a, &zero), &zero));
        assert!(Rc::ptr_eq(&not(&not(&a)), &a));
        assert!(Rc::ptr_eq(&mux(&b, &ones, &constant(4, 15u8)), &ones));
        let number = |value: Value| as_constant(&value).cloned();
        assert_eq!(number(compare(Cmp::Lt, false, zero.clone(), ones.clone())), Some(1u8.into()));
        assert_eq!(number(reduce(Reduce::All, concat(vec![one.clone(), ones.clone()]))), Some(1u8.into()));
        assert_eq!(number(concat(vec![one.clone(), zero.clone()])), Some(16u8.into()));
        assert_eq!(number(select(1, shift(true, zero.clone(), a.clone()), b.clone())), Some(0u8.into()));
        assert!(number(binary(Op::Add, a.clone(), zero)).is_none() && number(compare(Cmp::Eq, true, ones, a)).is_none());
    }
}
