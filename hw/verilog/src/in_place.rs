// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints a write to single bits of a register as an assignment to these bits in the clocked process. Elsewhere, gates compute the same
//! value.

use super::ir::{self, NetId, Node, Value};
use super::pass::Pass;
use super::text::id;
use super::vector::alike;

impl Pass {
    /// The value under an `Assigned` node, if the value has written bits and only this register uses the net that holds it.
    fn only_here(&self, value: &Value) -> Option<Value> {
        let Node::Assigned(_, inner) = &value.node else { return None };
        let writes = matches!(self.without_assignments(inner).node, Node::Write(..) | Node::Marked(..));
        (self.settled.contains(&id(value)) && self.settled_uses.get(&id(value)) == Some(&1) && writes).then(|| inner.clone())
    }

    /// The next value of a register; writes to bits of the register itself remain writes.
    pub(super) fn of_register(&mut self, value: &Value, q: NetId) -> Value {
        if let Some(inner) = self.only_here(value) {
            return self.of_register(&inner, q);
        }
        match &value.node {
            _ if self.settled.contains(&id(value)) => self.without_writes(value),
            Node::Assigned(net, a) => ir::expr(value.width, Node::Assigned(*net, self.of_register(a, q))),
            Node::Write(a, at, bit) if rests_on(a, q) => {
                let (at, bit) = (self.without_writes(at), self.without_writes(bit));
                ir::write(self.of_register(a, q), at, bit)
            }
            Node::Marked(marks, yes, no) if rests_on(no, q) => {
                let (marks, yes) = (self.without_writes(marks), self.without_writes(yes));
                ir::expr(value.width, Node::Marked(marks, yes, self.of_register(no, q)))
            }
            Node::Mux(c, yes, no) => {
                let c = self.without_writes(c);
                ir::expr(value.width, Node::Mux(c, self.of_register(yes, q), self.of_register(no, q)))
            }
            _ => self.without_writes(value),
        }
    }

    pub(super) fn without_writes(&mut self, value: &Value) -> Value {
        if let Some((_, done)) = self.masked.get(&id(value)) {
            return done.clone();
        }
        let rest = ir::remade(value, &mut |operand| self.without_writes(operand));
        let new = ir::by_gates(&rest).unwrap_or(rest);
        let new = if alike(&new, value) { value.clone() } else { new };
        if self.settled.contains(&id(value)) {
            self.settled.insert(id(&new));
        }
        self.masked.insert(id(value), (value.clone(), new.clone()));
        new
    }
}

/// Whether a value is the register's present value except for written bits.
fn rests_on(value: &Value, q: NetId) -> bool {
    match &value.node {
        Node::Net(net) => *net == q,
        Node::Assigned(_, a) | Node::Write(a, ..) | Node::Marked(_, _, a) => rests_on(a, q),
        Node::Mux(_, yes, no) => rests_on(yes, q) && rests_on(no, q),
        _ => false,
    }
}
