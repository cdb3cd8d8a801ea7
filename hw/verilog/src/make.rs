// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values that shift, change the width, choose or write single bits. Each folds constants. A field that is not built reads
//! as 0, so folding removes it from the text.

use super::basic::{as_constant, compare, constant, expr, is_all, known_places, logic, not, peel, reduce, select};
use super::bits::{binary, concat, only_difference, slice, splice};
use super::same::same;
use super::value::{Cmp, Node, Op, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// Shifts left or right and fills with zeros; `amount` and `value` may have different widths.
pub fn shift(to_left: bool, value: Value, amount: Value) -> Value {
    if is_all(&value, false) {
        return value;
    }
    let width = value.width;
    match known_places(&amount).filter(|places| *places == 0 || *places >= width || matches!(value.node, Node::Concat(_))) {
        Some(0) => value,
        Some(places) if places >= width => constant(width, 0u8),
        // A constant shift is a concatenation.
        Some(places) if to_left => concat(vec![slice(&value, 0, width - places), constant(places, 0u8)]),
        Some(places) => concat(vec![constant(places, 0u8), slice(&value, places, width - places)]),
        None => expr(width, Node::Shift(to_left, value, amount)),
    }
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

/// `value` with every operand replaced by `rebuild` of it. The constructors fold constants again.
pub fn remade(value: &Value, rebuild: &mut impl FnMut(&Value) -> Value) -> Value {
    let width = value.width;
    match &value.node {
        Node::Const(..) | Node::Net(_) => value.clone(),
        Node::Assigned(net, a) => expr(width, Node::Assigned(*net, rebuild(a))),
        Node::Not(a) => not(&rebuild(a)),
        Node::Neg(a) => expr(width, Node::Neg(rebuild(a))),
        Node::Reduce(how, a) => reduce(*how, rebuild(a)),
        Node::Binary(op, a, b) => binary(*op, rebuild(a), rebuild(b)),
        Node::Compare(how, signed, a, b) => compare(*how, *signed, rebuild(a), rebuild(b)),
        Node::Logic(both, a, b) => logic(*both, rebuild(a), rebuild(b)),
        Node::Shift(left, a, amount) => shift(*left, rebuild(a), rebuild(amount)),
        Node::Mux(c, a, b) => mux(&rebuild(c), &rebuild(a), &rebuild(b)),
        Node::Concat(parts) => concat(parts.iter().map(rebuild).collect()),
        Node::Repeat(count, bit) => expr(width, Node::Repeat(*count, rebuild(bit))),
        Node::Slice(a, low) => slice(&rebuild(a), *low, width),
        Node::Select(a, at) => select(width, rebuild(a), rebuild(at)),
        Node::Write(a, at, bit) => write(rebuild(a), rebuild(at), rebuild(bit)),
        Node::Marked(marks, yes, no) => expr(width, Node::Marked(rebuild(marks), rebuild(yes), rebuild(no))),
    }
}

/// `condition ? yes : no`, simplified where a simpler expression exists.
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
    // A choice between values that differ in one bit replaces only that bit, so that bits written in several statements become one
    // concatenation.
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

/// `value` with the bit at a computed index replaced; no effect if the index is out of range.
pub fn write(value: Value, at: Value, bit: Value) -> Value {
    let (width, needed) = (value.width, address_bits(value.width));
    match at.width.cmp(&needed) {
        _ if width == 1 => mux(&compare(Cmp::Eq, false, at.clone(), constant(at.width, 0u8)), &bit, &value),
        Ordering::Greater => masked(&value, &at, &bit),
        _ => expr(width, Node::Write(value, resize(&at, needed), bit)),
    }
}

/// Width in bits of an index from 0 to `whole - 1`, at least 1.
pub fn address_bits(whole: usize) -> usize {
    (usize::BITS - (whole - 1).leading_zeros()).max(1) as usize
}

/// The value of the write `value`, computed by gates. `None`: `value` is not a write.
pub fn by_gates(value: &Value) -> Option<Value> {
    match &value.node {
        Node::Write(a, at, bit) => Some(masked(a, at, bit)),
        Node::Marked(marks, yes, no) => Some(by_marks(marks, yes, no)),
        _ => None,
    }
}

/// `value` with the bit at the computed index `at` replaced by `bit`, computed with shifted masks.
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

/// The bits of `yes` where `marks` is 1, and the bits of `no` where it is 0, computed by gates.
pub fn by_marks(marks: &Value, yes: &Value, no: &Value) -> Value {
    let none = || binary(Op::And, not(marks), no.clone());
    match &yes.node {
        _ if is_all(yes, false) => none(),
        _ if is_all(yes, true) => binary(Op::Or, marks.clone(), no.clone()),
        Node::Repeat(_, bit) => mux(bit, &binary(Op::Or, marks.clone(), no.clone()), &none()),
        _ => binary(Op::Or, binary(Op::And, marks.clone(), yes.clone()), none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Reduce;
    use num_bigint::BigUint;

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
