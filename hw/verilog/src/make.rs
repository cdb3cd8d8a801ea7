// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values. Each keeps operands equally wide where Verilog would otherwise widen them, and computes what is known: what is
//! not built reads as 0, and no text of it is to remain.

use super::bits::{concat, only_difference, side_by_side, slice, splice, write};
use super::ir::{Cmp, Expr, Node, Op, Reduce, Value};
use super::same::same;
use num_bigint::BigUint;
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
pub(super) fn is_all(value: &Value, bit: bool) -> bool {
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
        // No number is below 0: a tool would ask whether the comparison was meant.
        (_, Some(_)) if !signed && cmp == Cmp::Ge && is_all(&b, false) => constant(1, 1u8),
        (_, Some(_)) if !signed && cmp == Cmp::Lt && is_all(&b, false) => constant(1, 0u8),
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
pub(super) fn known_places(amount: &Value) -> Option<usize> {
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
