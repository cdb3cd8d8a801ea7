// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds registers that never change their value at power-up, such as a field of an operation that the configuration does not use.
//!
//! The next value of such a register is its present value or the value at power-up, in every bit and on every path, also in a reset. So the
//! register equals its value at power-up in every cycle. In the text a register is unknown at power-up; the constant is one of its values.

use super::collect::Tree;
use super::ir::{self, mask, NetId, Node, Op, Value};
use super::scope::Scope;
use super::value::{id, Id};
use num_bigint::BigUint;
use std::collections::HashSet;

/// A register, or a field of one: the nets of its present and of its next value, and its value at power-up.
pub(super) struct Leaf {
    pub(super) q: NetId,
    pub(super) d: NetId,
    pub(super) initial: BigUint,
}

/// The registers of a module, with their fields.
pub(super) fn leaves(tree: &Tree, scope: &Scope) -> Vec<Leaf> {
    let mut found = vec![];
    for inner in scope.module.children.iter().map(|&child| &tree.modules[child]) {
        let Some(register) = &inner.register else { continue };
        let nets = |port: &str| scope.leaves(&format!("{}${port}", inner.instance));
        let mut low = 0;
        for (q, d) in nets(&register.q).into_iter().zip(nets(&register.d)) {
            let width = scope.nets[q].width;
            found.push(Leaf { q, d, initial: (&register.initial >> low) & mask(width) });
            low += width;
        }
    }
    found
}

/// The registers of a walked module that never change.
pub(super) fn constant(tree: &Tree, scope: &Scope) -> Vec<Leaf> {
    let never_changes = |leaf: &Leaf| {
        let assigned = scope.assigned.get(&leaf.d).filter(|assigned| assigned.always);
        let mut kept = Kept { q: leaf.q, initial: &leaf.initial, done: HashSet::new() };
        assigned.is_some_and(|assigned| kept.keeps(&assigned.value, 0))
    };
    leaves(tree, scope).into_iter().filter(|leaf| !scope.is_known(leaf.q) && never_changes(leaf)).collect()
}

struct Kept<'a> {
    q: NetId,
    initial: &'a BigUint,
    /// Values that are known to keep the bits from a bit upwards.
    done: HashSet<(Id, usize)>,
}

impl Kept<'_> {
    /// Whether `value` equals the bits of the register from bit `low` upwards, if the register has its initial value.
    fn keeps(&mut self, value: &Value, low: usize) -> bool {
        let is_kept = self.done.contains(&(id(value), low)) || self.keeps_new(value, low);
        if is_kept {
            self.done.insert((id(value), low));
        }
        is_kept
    }

    fn keeps_new(&mut self, value: &Value, low: usize) -> bool {
        let bits = (self.initial >> low) & mask(value.width);
        match &value.node {
            Node::Const(number, _) => *number == bits,
            Node::Net(net) => *net == self.q && low == 0,
            Node::Slice(base, at) => match ir::peel(base).node {
                Node::Net(net) => net == self.q && *at == low,
                _ => false,
            },
            Node::Assigned(_, inner) => self.keeps(inner, low),
            Node::Mux(_, yes, no) | Node::Marked(_, yes, no) => self.keeps(yes, low) && self.keeps(no, low),
            Node::Binary(Op::And, a, b) if bits == BigUint::ZERO => self.keeps(a, low) || self.keeps(b, low),
            Node::Binary(Op::And | Op::Or, a, b) => self.keeps(a, low) && self.keeps(b, low),
            Node::Concat(parts) => {
                let mut at = low;
                parts.iter().rev().all(|part| {
                    at += part.width;
                    self.keeps(part, at - part.width)
                })
            }
            Node::Write(base, _, bit) => {
                let alike = ir::as_constant(ir::peel(bit)).is_some_and(|bit| match bit.bit(0) {
                    false => bits == BigUint::ZERO,
                    true => bits == mask(value.width),
                });
                alike && self.keeps(base, low)
            }
            _ => false,
        }
    }
}
