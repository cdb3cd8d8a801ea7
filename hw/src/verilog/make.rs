// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values. Each keeps operands equally wide where Verilog would otherwise widen them, and computes what is known: what is
//! not built reads as 0, and no text of it is to remain.

use super::ir::{Cmp, Expr, Node, Op, Reduce, Value};
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
            Op::Xor if is_all(&b, false) => a,
            Op::Xor if is_all(&a, false) => b,
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
    expr(value.width, Node::Shift(left, value, amount))
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

/// Joins parts, the most significant first.
pub fn concat(parts: Vec<Value>) -> Value {
    let mut flat: Vec<Value> = vec![];
    for part in parts {
        match &part.node {
            Node::Concat(inner) => flat.extend(inner.iter().cloned()),
            _ => flat.push(part),
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
        if Rc::ptr_eq(other, no) {
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
