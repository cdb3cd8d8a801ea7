// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of a module with their width made explicit: what stands between rust-hdl's statements and the Verilog text.
//!
//! Every node has one width, and every constructor keeps operands equally wide where Verilog would otherwise widen them,
//! so that the text means the same in any context. Sharing is by pointer: a value that is used twice is one node.

use num_bigint::BigUint;
use std::rc::Rc;

/// Position in the table of nets of one module.
pub type NetId = usize;
/// Position in the table of named constants of one module.
pub type LabelId = usize;
pub type Value = Rc<Expr>;

#[derive(Debug)]
pub struct Expr {
    /// Bits, at least 1.
    pub width: usize,
    pub node: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    All,
    Any,
    Xor,
}

#[derive(Debug)]
pub enum Node {
    /// A number, with the name of the constant it came from.
    Const(BigUint, Option<LabelId>),
    /// The settled value of a net.
    Net(NetId),
    /// What a net holds from one assignment of `update` to the next.
    Held(NetId, Value),
    Not(Value),
    Neg(Value),
    Reduce(Reduce, Value),
    /// Both operands and the result have the same width.
    Binary(Op, Value, Value),
    /// Both operands have the same width; the flag says signed.
    Compare(Cmp, bool, Value, Value),
    /// `&&` (true) or `||` of two single bits.
    Logic(bool, Value, Value),
    /// Left (true) or right, filling with zeros; the amount has its own width.
    Shift(bool, Value, Value),
    /// Condition, value if 1, value if 0.
    Mux(Value, Value, Value),
    /// Most significant part first.
    Concat(Vec<Value>),
    /// `count` copies of a single bit.
    Repeat(usize, Value),
    /// Bits from a fixed offset upwards.
    Slice(Value, usize),
    /// One bit, or several from an offset upwards, at a computed place that is always inside the value.
    Select(Value, Value),
}

pub fn expr(width: usize, node: Node) -> Value {
    Rc::new(Expr { width, node })
}

pub fn constant(width: usize, value: impl Into<BigUint>) -> Value {
    expr(width, Node::Const(value.into(), None))
}

/// The number a value always has, looking through assignments.
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

pub fn binary(op: Op, a: Value, b: Value) -> Value {
    let width = a.width;
    let (Some(x), Some(y)) = (as_constant(&a), as_constant(&b)) else { return expr(width, Node::Binary(op, a, b)) };
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
    match flat.as_slice() {
        [only] => only.clone(),
        _ => expr(flat.iter().map(|p| p.width).sum(), Node::Concat(flat)),
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
        _ => expr(value.width, Node::Not(value.clone())),
    }
}

/// `condition ? yes : no`, without the cases that say less than a plain expression.
pub fn mux(condition: &Value, yes: &Value, no: &Value) -> Value {
    if Rc::ptr_eq(yes, no) {
        return yes.clone();
    }
    if let Node::Mux(inner, deep, other) = &peel(yes).node {
        if Rc::ptr_eq(other, no) {
            return mux(&expr(1, Node::Logic(true, condition.clone(), inner.clone())), deep, no);
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

/// The values a node is computed from, in text order.
pub fn operands(node: &Node) -> Vec<&Value> {
    match node {
        Node::Const(..) | Node::Net(_) => vec![],
        Node::Held(_, a) | Node::Not(a) | Node::Neg(a) | Node::Reduce(_, a) | Node::Repeat(_, a) | Node::Slice(a, _) => vec![a],
        Node::Binary(_, a, b) | Node::Compare(_, _, a, b) | Node::Logic(_, a, b) | Node::Shift(_, a, b) => vec![a, b],
        Node::Select(a, b) => vec![a, b],
        Node::Mux(a, b, c) => vec![a, b, c],
        Node::Concat(parts) => parts.iter().collect(),
    }
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
}
