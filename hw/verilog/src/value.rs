// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of a module with explicit width: the intermediate form between rust-hdl's statements and Verilog text.
//!
//! Every node has one width, so that the text means the same in any context. Sharing is by pointer: a value that is used twice is one node.

use num_bigint::BigUint;
use std::rc::Rc;

/// Index into the table of nets of one module.
pub type NetId = usize;
/// Index into the table of named constants of one module.
pub type LabelId = usize;
pub type Value = Rc<Expr>;

/// Identity of a node: its address. A value that is used twice is one node.
pub type Id = usize;

pub fn id(value: &Value) -> Id {
    Rc::as_ptr(value) as usize
}

#[derive(Debug)]
pub struct Expr {
    /// Width in bits, at least 1.
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
    /// A number, with the name of the constant from which it came.
    Const(BigUint, Option<LabelId>),
    /// The settled value of a net: its value after all statements of `update`.
    Net(NetId),
    /// A value that `update` assigns to the net. The node wraps the value so that the text can name it by the net.
    Assigned(NetId, Value),
    Not(Value),
    Neg(Value),
    Reduce(Reduce, Value),
    /// Both operands and the result have the same width.
    Binary(Op, Value, Value),
    /// Both operands have the same width; the flag is true for a signed comparison.
    Compare(Cmp, bool, Value, Value),
    /// `&&` (true) or `||` of two single bits.
    Logic(bool, Value, Value),
    /// Left (true) or right (false) shift, filling with zeros; the amount may have any width.
    Shift(bool, Value, Value),
    /// A choice: the condition; the value if it is 1; the value if it is 0.
    Mux(Value, Value, Value),
    /// The parts of a concatenation, most significant part first.
    Concat(Vec<Value>),
    /// Copies of a single bit: their number, and the bit.
    Repeat(usize, Value),
    /// Bits from a fixed offset upwards.
    Slice(Value, usize),
    /// Bits of the first value, from the index in the second value upwards; the bits are always in
    /// range.
    Select(Value, Value),
    /// The first value with one bit replaced by the third value; the second value is the index of the bit. An index out of range changes
    /// nothing.
    Write(Value, Value, Value),
    /// First value: a mask. Bits whose mask bit is 1 are from the second value, the other bits from the third.
    Marked(Value, Value, Value),
}

/// The values a node is computed from, in text order.
pub fn operands(node: &Node) -> Vec<&Value> {
    match node {
        Node::Const(..) | Node::Net(_) => vec![],
        Node::Assigned(_, a) | Node::Not(a) | Node::Neg(a) | Node::Reduce(_, a) | Node::Repeat(_, a) | Node::Slice(a, _) => {
            vec![a]
        }
        Node::Binary(_, a, b) | Node::Compare(_, _, a, b) | Node::Logic(_, a, b) | Node::Shift(_, a, b) => vec![a, b],
        Node::Select(a, b) => vec![a, b],
        Node::Mux(a, b, c) | Node::Write(a, b, c) | Node::Marked(a, b, c) => vec![a, b, c],
        Node::Concat(parts) => parts.iter().collect(),
    }
}
