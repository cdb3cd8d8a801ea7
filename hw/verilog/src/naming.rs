// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names for the wires that the printer adds, derived from what they compute: `sum_is_expected`, `any_waiting`.

use super::ir::{as_constant, Cmp, LabelId, NetId, Node, Op, Reduce, Value};
use super::names::snake_case;

/// Maximum length of a name made from operands, in characters. If the name is longer, the word of the operation alone is the name.
const LONGEST: usize = 40;

/// A name for `value`, derived from its operation and operands. The name may be in use already, or be a keyword.
pub fn describe(value: &Value, net: &dyn Fn(NetId) -> String, label: &dyn Fn(LabelId) -> String) -> String {
    let inner = |v: &Value| describe(v, net, label);
    let (long, short) = match &value.node {
        Node::Const(_, Some(id)) => (snake_case(label(*id).rsplit('$').next().unwrap_or("constant")), "constant"),
        Node::Const(number, None) => (number.to_string(), "constant"),
        Node::Net(id) | Node::Assigned(id, _) => (net(*id), "value"),
        Node::Not(a) => (format!("not_{}", inner(a)), "inverse"),
        Node::Neg(a) => (format!("minus_{}", inner(a)), "negative"),
        Node::Reduce(kind, a) => {
            let (prefix, short) = match kind {
                Reduce::All => ("all", "all_set"),
                Reduce::Any => ("any", "any_set"),
                Reduce::Xor => ("parity", "parity"),
            };
            (format!("{prefix}_{}", inner(a)), short)
        }
        Node::Binary(op, a, b) => {
            let (word, short) = match op {
                Op::Add => ("plus", "sum"),
                Op::Sub => ("minus", "difference"),
                Op::Mul => ("times", "product"),
                Op::And => ("and", "both"),
                Op::Or => ("or", "either"),
                Op::Xor => ("xor", "exclusive"),
            };
            (format!("{}_{word}_{}", inner(a), inner(b)), short)
        }
        Node::Compare(cmp, _, a, b) => {
            let (word, short) = match cmp {
                Cmp::Eq => ("is", "equal"),
                Cmp::Ne => ("is_not", "different"),
                Cmp::Lt => ("below", "less"),
                Cmp::Le => ("up_to", "at_most"),
                Cmp::Gt => ("above", "greater"),
                Cmp::Ge => ("from", "at_least"),
            };
            (format!("{}_{word}_{}", inner(a), inner(b)), short)
        }
        Node::Logic(true, a, b) => (format!("{}_and_{}", inner(a), inner(b)), "both"),
        Node::Logic(false, a, b) => (format!("{}_or_{}", inner(a), inner(b)), "either"),
        Node::Shift(_, a, _) => match as_constant(a) {
            Some(_) => ("one_hot".to_string(), "one_hot"),
            None => (format!("{}_shifted", inner(a)), "shifted"),
        },
        Node::Mux(..) => ("chosen".to_string(), "chosen"),
        Node::Concat(parts) => match parts.as_slice() {
            [zeros, only] if as_constant(zeros).is_some() => (format!("{}_wide", inner(only)), "wide"),
            _ => ("joined".to_string(), "joined"),
        },
        Node::Repeat(_, bit) => (format!("{}_repeated", inner(bit)), "repeated"),
        Node::Slice(a, low) if value.width == 1 => (format!("{}_{low}", inner(a)), "bit_of"),
        Node::Slice(a, low) => (format!("{}_{}_{low}", inner(a), low + value.width - 1), "part"),
        Node::Marked(..) => ("chosen".to_string(), "chosen"),
        Node::Write(a, ..) => (format!("{}_written", inner(a)), "written"),
        Node::Select(a, at) => (format!("{}_at_{}", inner(a), inner(at)), "selected"),
    };
    let legal = long.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match &value.node {
        Node::Net(_) | Node::Assigned(..) | Node::Const(..) => long,
        _ if long.len() <= LONGEST && legal => long,
        _ => short.to_string(),
    }
}

/// Words of operations that [`describe`] uses alone if the name from the operands is too long.
const OPERATIONS: [&str; 14] = [
    "both",
    "chosen",
    "difference",
    "different",
    "either",
    "equal",
    "exclusive",
    "greater",
    "joined",
    "less",
    "product",
    "repeated",
    "shifted",
    "sum",
];

/// Whether the name `name` from [`describe`] contains operands. A name that is only the word of the operation contains none: many values
/// would share it.
pub fn names_operands(name: &str) -> bool {
    name.split_once('_').is_some_and(|(first, _)| !OPERATIONS.contains(&first))
}
