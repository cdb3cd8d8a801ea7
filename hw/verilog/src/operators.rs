// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text of operators.

use super::ir::{Cmp, Node, Op, Value};

/// The text without the parentheses around all of it.
pub(super) fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early {
        text
    } else {
        inner
    }
}

/// The operator and the operands of an operation of two values. Single bits are joined by `&&` and `||`, which give the same bit as `&` and
/// `|` for every pair of 0, 1, x and z; vectors are joined by `&` and `|`.
pub(super) fn joined(value: &Value) -> Option<(&'static str, &Value, &Value)> {
    match &value.node {
        Node::Logic(true, a, b) => Some(("&&", a, b)),
        Node::Logic(false, a, b) => Some(("||", a, b)),
        Node::Binary(Op::And, a, b) if value.width == 1 => Some(("&&", a, b)),
        Node::Binary(Op::Or, a, b) if value.width == 1 => Some(("||", a, b)),
        Node::Binary(op, a, b) => Some((operator(*op), a, b)),
        _ => None,
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "^",
    }
}

pub(super) fn comparator(cmp: Cmp) -> &'static str {
    match cmp {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    }
}
