// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns bits that are computed one by one into vectors: `{a[1] & b[1], a[0] & b[0]}` becomes `a[1:0] & b[1:0]`, and a chain over all bits
//! of a value becomes a reduction. A loop over bits is unrolled when its statements are walked; this pass makes it one operation again,
//! which is shorter to read and takes a simulator one step.

use super::ir::{self, NetId, Node, Op, Reduce, Value};
use super::lift::bitwise;
use super::pass::Pass;
use super::same::same;
use super::scope::Scope;
use super::value::{id, Id};
use std::collections::HashSet;
use std::rc::Rc;

/// Minimum number of terms of a chain that becomes a reduction.
const CHAIN: usize = 3;

/// Rewrites the values of all nets of a module. Writes to single bits remain only in next values of registers, because only a clocked
/// process can write single bits. `register` maps the net of a next value to the net of its register.
pub fn vectors(scope: &mut Scope, register: impl Fn(NetId) -> Option<NetId>) {
    let mut pass = Pass::default();
    for assigned in scope.assigned.values() {
        pass.settled.insert(id(&assigned.value));
        pass.count(&assigned.value);
    }
    for assigned in scope.assigned.values_mut() {
        assigned.value = pass.rewrite(&assigned.value);
    }
    let (mut seen, rewritten) =
        (HashSet::new(), scope.assigned.values().map(|assigned| assigned.value.clone()).collect::<Vec<_>>());
    rewritten.iter().for_each(|value| pass.count_taken(value, &mut seen));
    for (net, assigned) in scope.assigned.iter_mut() {
        assigned.value = match (&assigned.value.node, register(*net)) {
            (Node::Assigned(of, next), Some(q)) => {
                ir::expr(assigned.value.width, Node::Assigned(*of, pass.of_register(next, q)))
            }
            _ => pass.without_writes(&assigned.value),
        };
    }
}

impl Pass {
    fn count(&mut self, value: &Value) {
        let uses = self.uses.entry(id(value)).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            ir::operands(&value.node).into_iter().for_each(|operand| self.count(operand));
        }
    }

    fn count_taken(&mut self, value: &Value, seen: &mut HashSet<Id>) {
        if seen.insert(id(value)) {
            for operand in ir::operands(&value.node) {
                *self.settled_uses.entry(id(operand)).or_insert(0) += 1;
                self.count_taken(operand, seen);
            }
        }
    }

    fn rewrite(&mut self, value: &Value) -> Value {
        if let Some((_, done)) = self.done.get(&id(value)) {
            return done.clone();
        }
        let new = self.rewrite_node(value);
        if self.settled.contains(&id(value)) {
            self.settled.insert(id(&new));
        }
        self.done.insert(id(value), (value.clone(), new.clone()));
        new
    }

    fn rewrite_node(&mut self, value: &Value) -> Value {
        if let Some(chain) = self.chain(value) {
            return chain;
        }
        let new = match &value.node {
            Node::Const(..) | Node::Net(_) => return value.clone(),
            Node::Concat(parts) => {
                let parts = parts.iter().map(|part| self.rewrite(part)).collect::<Vec<_>>();
                return self.joined(parts);
            }
            Node::Slice(a, low) => {
                // Bits of an intermediate value are taken from its parts, because the text has no name for that value.
                let inner_value = self.without_assignments(a);
                let known = |v: &Value| ir::as_constant(v).is_some();
                match &inner_value.node {
                    Node::Concat(_) => return self.rewrite(&ir::slice(&inner_value, *low, value.width)),
                    Node::Shift(_, _, by) | Node::Binary(Op::And | Op::Or, _, by)
                        if known(by) && !Rc::ptr_eq(&inner_value, a) =>
                    {
                        return self.rewrite(&ir::slice(&inner_value, *low, value.width))
                    }
                    _ => ir::slice(&self.rewrite(a), *low, value.width),
                }
            }
            _ => ir::remade(value, &mut |operand| self.rewrite(operand)),
        };
        if alike(&new, value) {
            return value.clone();
        }
        new
    }

    /// The parts of a concatenation, with runs of bits joined to vectors where possible.
    fn joined(&mut self, parts: Vec<Value>) -> Value {
        let (mut joined, mut low) = (vec![], 0);
        let parts: Vec<Value> = parts.into_iter().rev().collect();
        while low < parts.len() {
            let bits = parts[low..].iter().take_while(|part| part.width == 1).count();
            let longest = (2..=bits).rev().find_map(|count| Some((count, self.lift(&parts[low..low + count], false)?)));
            let alike = parts[low..low + bits].iter().take_while(|part| same(part, &parts[low])).count();
            let (count, part) = match longest {
                Some(run) => run,
                None if alike > 1 => (alike, ir::expr(alike, Node::Repeat(alike, parts[low].clone()))),
                None => (1, parts[low].clone()),
            };
            joined.push(part);
            low += count;
        }
        joined.reverse();
        ir::concat(joined)
    }

    /// If `value` is a chain of one operation over single bits, the chain with reductions of vectors in place of runs of terms. `None`: no
    /// reduction is possible.
    fn chain(&mut self, value: &Value) -> Option<Value> {
        let (op, ..) = bitwise(value).filter(|_| value.width == 1)?;
        let kind = match op {
            Op::And => Reduce::All,
            Op::Or => Reduce::Any,
            Op::Xor => Reduce::Xor,
            _ => return None,
        };
        let mut terms = vec![];
        self.terms(value, op, true, &mut terms);
        if terms.len() < CHAIN {
            return None;
        }
        let terms: Vec<Value> = terms.iter().map(|term| self.rewrite(term)).collect();
        let (mut joined, mut at, mut any): (Option<Value>, _, _) = (None, 0, false);
        while at < terms.len() {
            let longest = (CHAIN..=terms.len() - at).rev().find_map(|count| {
                let bits = &terms[at..at + count];
                // Comparisons of one value with several numbers do not form a vector.
                let vector =
                    self.lift(bits, false).filter(|_| !matches!(self.without_assignments(&bits[0]).node, Node::Compare(..)))?;
                Some((count, ir::reduce(kind, vector)))
            });
            let (count, term) = longest.clone().unwrap_or_else(|| (1, terms[at].clone()));
            any |= longest.is_some();
            at += count;
            joined = Some(match joined {
                Some(before) => ir::binary(op, before, term),
                None => term,
            });
        }
        joined.filter(|_| any)
    }

    /// The terms of a chain, in text order; a value that is also used elsewhere is one term.
    fn terms(&self, value: &Value, op: Op, whole: bool, terms: &mut Vec<Value>) {
        let single = |v: &Value| self.uses.get(&id(v)).copied().unwrap_or(0) <= 1 && !self.settled.contains(&id(v));
        let mut inner = value;
        while let (Node::Assigned(_, inner_value), true) = (&inner.node, whole || single(inner)) {
            inner = inner_value;
        }
        match bitwise(inner) {
            Some((inner_op, a, b)) if inner_op == op && (whole || single(inner)) => {
                self.terms(&a, op, false, terms);
                self.terms(&b, op, false, terms);
            }
            _ => terms.push(value.clone()),
        }
    }

    /// The value inside the `Assigned` nodes of `value`, down to the first node that is the settled value of a net.
    pub(super) fn without_assignments(&self, value: &Value) -> Value {
        match &value.node {
            Node::Assigned(_, inner) if !self.settled.contains(&id(value)) => self.without_assignments(inner),
            _ => value.clone(),
        }
    }
}

/// Whether `new` has the kind of node and the operands of `old`, so that `old` can be kept.
pub(super) fn alike(new: &Value, old: &Value) -> bool {
    let (x, y) = (ir::operands(&new.node), ir::operands(&old.node));
    std::mem::discriminant(&new.node) == std::mem::discriminant(&old.node)
        && x.len() == y.len()
        && x.into_iter().zip(y).all(|(x, y)| Rc::ptr_eq(x, y))
}
