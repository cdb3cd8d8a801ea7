// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares values by structure, because equal statements create separate nodes.

use super::value::{self, Node, Value};
use std::rc::Rc;

/// Maximum number of nodes compared to decide whether two values are the same.
const COMPARED: usize = 64;

/// Whether two values have equal structure, so that they are equal in every bit. `false` also if the comparison reaches its limit of nodes.
pub fn same(a: &Value, b: &Value) -> bool {
    let mut left = COMPARED;
    same_within(a, b, &mut left)
}

/// Computes [`same`]; `budget` is the number of nodes that may still be compared.
fn same_within(a: &Value, b: &Value, budget: &mut usize) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    if a.width != b.width || *budget == 0 {
        return false;
    }
    *budget -= 1;
    let alike = match (&a.node, &b.node) {
        (Node::Const(x, _), Node::Const(y, _)) => return x == y,
        (Node::Net(x), Node::Net(y)) => return x == y,
        (Node::Assigned(x, _), Node::Assigned(y, _)) => x == y,
        (Node::Reduce(x, _), Node::Reduce(y, _)) => x == y,
        (Node::Binary(x, ..), Node::Binary(y, ..)) => x == y,
        (Node::Compare(x, s, ..), Node::Compare(y, t, ..)) => x == y && s == t,
        (Node::Logic(x, ..), Node::Logic(y, ..)) => x == y,
        (Node::Shift(x, ..), Node::Shift(y, ..)) => x == y,
        (Node::Repeat(x, _), Node::Repeat(y, _)) => x == y,
        (Node::Slice(_, x), Node::Slice(_, y)) => x == y,
        (Node::Not(_), Node::Not(_))
        | (Node::Neg(_), Node::Neg(_))
        | (Node::Mux(..), Node::Mux(..))
        | (Node::Concat(_), Node::Concat(_))
        | (Node::Select(..), Node::Select(..))
        | (Node::Write(..), Node::Write(..))
        | (Node::Marked(..), Node::Marked(..)) => true,
        _ => false,
    };
    let (x, y) = (value::operands(&a.node), value::operands(&b.node));
    alike && x.len() == y.len() && x.into_iter().zip(y).all(|(x, y)| same_within(x, y, budget))
}
