// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides which writes to single bits of a value remain writes. A write to bits of a register, in the next value of that register,
//! remains: it is printed as an assignment to these bits in the clocked process. Any other write becomes gates with the same value, because
//! an `assign` cannot write single bits of a value.

use super::ir::{self, NetId, Node, Value};
use super::pass::Pass;
use super::value::id;
use super::vector::alike;

impl Pass {
    /// The value inside the `Assigned` node `value`, if that inner value has written bits and the net of the node is used once. The writes
    /// can then move into the register, because no other value needs the net.
    fn only_here(&self, value: &Value) -> Option<Value> {
        let Node::Assigned(_, inner) = &value.node else { return None };
        let writes = matches!(self.without_assignments(inner).node, Node::Write(..) | Node::Marked(..));
        (self.settled.contains(&id(value)) && self.settled_uses.get(&id(value)) == Some(&1) && writes).then(|| inner.clone())
    }

    /// The next value `value` of the register `q`: writes whose base is `q` remain, and all other writes become gates.
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

    /// `value` with every write replaced by gates. A value in which nothing changes keeps its node, so that a shared value stays shared.
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

/// Whether `value` is the present value of the register `q`, apart from bits that writes replace.
fn rests_on(value: &Value, q: NetId) -> bool {
    match &value.node {
        Node::Net(net) => *net == q,
        Node::Assigned(_, a) | Node::Write(a, ..) | Node::Marked(_, _, a) => rests_on(a, q),
        Node::Mux(_, yes, no) => rests_on(yes, q) && rests_on(no, q),
        _ => false,
    }
}
