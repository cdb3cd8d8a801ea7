// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of values that do not cut or join bits; they fold constants.

use super::value::{Cmp, Expr, Node, Reduce, Value};
use num_bigint::BigUint;
use std::rc::Rc;

pub fn expr(width: usize, node: Node) -> Value {
    Rc::new(Expr { width, node })
}

pub fn constant(width: usize, value: impl Into<BigUint>) -> Value {
    expr(width, Node::Const(value.into(), None))
}

/// The number of a constant value; `None` for any other value.
pub fn as_constant(value: &Value) -> Option<&BigUint> {
    match &value.node {
        Node::Const(v, _) => Some(v),
        _ => None,
    }
}

/// `value` without its outer `Assigned` nodes, which only name the net that holds the value.
pub fn peel(value: &Value) -> &Value {
    match &value.node {
        Node::Assigned(_, inner) => peel(inner),
        _ => value,
    }
}

/// Whether every bit of a value equals `bit`.
pub(super) fn is_all(value: &Value, bit: bool) -> bool {
    let wanted = if bit { mask(value.width) } else { BigUint::ZERO };
    as_constant(value).is_some_and(|number| *number == wanted)
}

/// `a && b` if `both` is true, else the OR (`||`) of `a` and `b`. Both operands are single bits.
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

/// Compares two equally wide values; the result is one bit.
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
        // An unsigned number is never below 0: lint tools would warn about the comparison.
        (_, Some(_)) if !signed && cmp == Cmp::Ge && is_all(&b, false) => constant(1, 1u8),
        (_, Some(_)) if !signed && cmp == Cmp::Lt && is_all(&b, false) => constant(1, 0u8),
        _ => expr(1, Node::Compare(cmp, signed, a, b)),
    }
}

/// Reduces all bits of a value to one bit.
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

/// The shift distance, if it is constant.
pub(super) fn known_places(amount: &Value) -> Option<usize> {
    as_constant(amount).map(|places| usize::try_from(places).unwrap_or(usize::MAX))
}

/// `width` bits of `value` from bit `at` upwards, where `at` is a computed index. The caller
/// guarantees that all these bits exist.
pub fn select(width: usize, value: Value, at: Value) -> Value {
    if is_all(&value, false) {
        constant(width, 0u8)
    } else if is_all(&value, true) {
        constant(width, mask(width))
    } else {
        expr(width, Node::Select(value, at))
    }
}

/// The number whose `width` lowest bits are 1.
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
