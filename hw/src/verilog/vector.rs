// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bits that are computed one by one, as vectors: `{a[1] & b[1], a[0] & b[0]}` becomes `a[1:0] & b[1:0]`, and a chain over all bits of a
//! value a reduction. A loop over bits is unrolled when its statements are walked; here it becomes one operation again, which is
//! shorter to read and one step of a simulator.

use super::ir::{self, Cmp, NetId, Node, Op, Reduce, Value};
use super::scope::Scope;
use super::text::{id, Id};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Fewest bits of a chain that become a reduction.
const CHAIN: usize = 3;

/// Nodes that are compared at most to see whether two values are the same.
const COMPARED: usize = 64;

/// Rewrites the values of all nets of a module. Only a register, `register` of the net of its next value, has bits written in place,
/// which its process can do.
pub fn vectors(scope: &mut Scope, register: impl Fn(NetId) -> Option<NetId>) {
    let mut pass = Pass::default();
    for held in scope.held.values() {
        pass.settled.insert(id(&held.value));
        pass.count(&held.value);
    }
    for held in scope.held.values_mut() {
        held.value = pass.rewrite(&held.value);
    }
    let (mut seen, rewritten) = (HashSet::new(), scope.held.values().map(|held| held.value.clone()).collect::<Vec<_>>());
    rewritten.iter().for_each(|value| pass.count_taken(value, &mut seen));
    for (net, held) in scope.held.iter_mut() {
        held.value = match (&held.value.node, register(*net)) {
            (Node::Held(of, next), Some(q)) => ir::expr(held.value.width, Node::Held(*of, pass.of_register(next, q))),
            _ => pass.without_writes(&held.value),
        };
    }
}

#[derive(Default)]
struct Pass {
    /// Nodes that are the settled value of a net: these have a name.
    settled: HashSet<Id>,
    uses: HashMap<Id, usize>,
    /// How often a settled value is taken, after the rewriting.
    taken: HashMap<Id, usize>,
    /// What each node became; the first keeps its address taken.
    done: HashMap<Id, (Value, Value)>,
    lifted: HashMap<Vec<Id>, (Vec<Value>, Option<Value>)>,
    /// What each node became without writes.
    masked: HashMap<Id, (Value, Value)>,
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
                *self.taken.entry(id(operand)).or_insert(0) += 1;
                self.count_taken(operand, seen);
            }
        }
    }

    fn rewrite(&mut self, value: &Value) -> Value {
        if let Some((_, done)) = self.done.get(&id(value)) {
            return done.clone();
        }
        let new = self.made(value);
        if self.settled.contains(&id(value)) {
            self.settled.insert(id(&new));
        }
        self.done.insert(id(value), (value.clone(), new.clone()));
        new
    }

    fn made(&mut self, value: &Value) -> Value {
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
                // What a net holds meanwhile has no name that is worth more than its parts.
                let behind = self.behind(a);
                let known = |v: &Value| ir::as_constant(v).is_some();
                match &behind.node {
                    Node::Concat(_) => return self.rewrite(&ir::slice(&behind, *low, value.width)),
                    Node::Shift(_, _, by) | Node::Binary(Op::And | Op::Or, _, by) if known(by) && !Rc::ptr_eq(&behind, a) => {
                        return self.rewrite(&ir::slice(&behind, *low, value.width))
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

    /// The parts of a concatenation, each run of bits as a vector where it is one.
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

    /// The value whose bits these are, the lowest first, if one operation makes them. Bits that are all the same are a repetition, or an
    /// operand that stands for every bit.
    fn lift(&mut self, bits: &[Value], operand: bool) -> Option<Value> {
        let bits: Vec<Value> = bits.iter().map(|bit| self.behind(bit)).collect();
        let key: Vec<Id> = bits.iter().map(id).collect();
        if let Some((_, known)) = self.lifted.get(&key) {
            return known.clone().filter(|vector| operand || !matches!(vector.node, Node::Repeat(..)));
        }
        let lifted = self.lift_new(&bits, operand);
        if operand || lifted.is_some() {
            self.lifted.insert(key, (bits, lifted.clone()));
        }
        lifted
    }

    fn lift_new(&mut self, bits: &[Value], operand: bool) -> Option<Value> {
        let (first, count) = (&bits[0], bits.len());
        if bits.iter().all(|bit| ir::as_constant(bit).is_some()) {
            let number = bits.iter().rev().try_fold(BigUint::ZERO, |high, bit| Some((high << 1usize) | ir::as_constant(bit)?));
            return number.map(|number| ir::constant(count, number));
        }
        if bits[1..].iter().all(|bit| same(bit, &bits[0])) {
            return operand.then(|| ir::expr(count, Node::Repeat(count, bits[0].clone())));
        }
        match &first.node {
            Node::Slice(base, low) => {
                let follow = |(at, bit): (usize, &Value)| match &bit.node {
                    Node::Slice(other, place) => *place == low + at && same(other, base),
                    _ => false,
                };
                bits.iter().enumerate().all(follow).then(|| ir::slice(base, *low, count))
            }
            Node::Not(_) => {
                let inner = every(bits, |bit| match &bit.node {
                    Node::Not(a) => Some(a.clone()),
                    _ => None,
                })?;
                Some(ir::not(&self.lift(&inner, true)?))
            }
            Node::Binary(..) | Node::Logic(..) => {
                let (op, ..) = bitwise(first)?;
                let sides = every(bits, |bit| bitwise(bit).filter(|(other, ..)| *other == op))?;
                let (left, right): (Vec<Value>, Vec<Value>) = sides.into_iter().map(|(_, a, b)| (a, b)).unzip();
                let (left, right) = (self.lift(&left, true)?, self.lift(&right, true)?);
                Some(both(op, left, right))
            }
            Node::Mux(..) => {
                let arms = every(bits, |bit| match &bit.node {
                    Node::Mux(c, yes, no) => Some((c.clone(), yes.clone(), no.clone())),
                    _ => None,
                })?;
                let conditions: Vec<Value> = arms.iter().map(|(c, ..)| c.clone()).collect();
                let yes = self.lift(&arms.iter().map(|(_, yes, _)| yes.clone()).collect::<Vec<_>>(), true)?;
                let no = self.lift(&arms.iter().map(|(.., no)| no.clone()).collect::<Vec<_>>(), true)?;
                if conditions[1..].iter().all(|c| same(c, &conditions[0])) {
                    return Some(ir::mux(&conditions[0], &yes, &no));
                }
                let condition = self.lift(&conditions, true)?;
                let bit = match (&yes.node, ir::as_constant(&yes)) {
                    (Node::Repeat(_, bit), _) => Some(bit.clone()),
                    (_, Some(number)) if *number == BigUint::ZERO => Some(ir::constant(1, 0u8)),
                    (_, Some(number)) if *number == ir::mask(count) => Some(ir::constant(1, 1u8)),
                    _ => None,
                };
                if let Some(written) = bit.and_then(|bit| written(&condition, &no, bit)) {
                    return Some(written);
                }
                Some(ir::expr(count, Node::Marked(condition, yes, no)))
            }
            // Whether a number is that of the bit.
            Node::Compare(Cmp::Eq, _, number, _) => {
                let follows = |(at, bit): (usize, &Value)| match &bit.node {
                    Node::Compare(Cmp::Eq, _, other, place) => {
                        same(other, number) && ir::as_constant(place).is_some_and(|place| *place == BigUint::from(at))
                    }
                    _ => false,
                };
                let one = || ir::shift(true, ir::constant(count, 1u8), number.clone());
                bits.iter().enumerate().all(follows).then(one)
            }
            _ => None,
        }
    }

    /// A chain of one operation over single bits, as reductions of vectors.
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
        let (mut made, mut at, mut any): (Option<Value>, _, _) = (None, 0, false);
        while at < terms.len() {
            let longest = (CHAIN..=terms.len() - at).rev().find_map(|count| {
                let bits = &terms[at..at + count];
                // Several numbers that something may be are no vector.
                let vector = self.lift(bits, false).filter(|_| !matches!(self.behind(&bits[0]).node, Node::Compare(..)))?;
                Some((count, ir::reduce(kind, vector)))
            });
            let (count, term) = longest.clone().unwrap_or_else(|| (1, terms[at].clone()));
            any |= longest.is_some();
            at += count;
            made = Some(match made {
                Some(before) => ir::binary(op, before, term),
                None => term,
            });
        }
        made.filter(|_| any)
    }

    /// The terms of a chain, in the order of the text; what is used elsewhere as well is one of them.
    fn terms(&self, value: &Value, op: Op, whole: bool, terms: &mut Vec<Value>) {
        let single = |v: &Value| self.uses.get(&id(v)).copied().unwrap_or(0) <= 1 && !self.settled.contains(&id(v));
        let mut inner = value;
        while let (Node::Held(_, behind), true) = (&inner.node, whole || single(inner)) {
            inner = behind;
        }
        match bitwise(inner) {
            Some((other, a, b)) if other == op && (whole || single(inner)) => {
                self.terms(&a, op, false, terms);
                self.terms(&b, op, false, terms);
            }
            _ => terms.push(value.clone()),
        }
    }

    /// What a net has settled to of which nothing but this register takes the value, if bits of it are written.
    fn only_here(&self, value: &Value) -> Option<Value> {
        let Node::Held(_, inner) = &value.node else { return None };
        let writes = matches!(self.behind(inner).node, Node::Write(..) | Node::Marked(..));
        (self.settled.contains(&id(value)) && self.taken.get(&id(value)) == Some(&1) && writes).then(|| inner.clone())
    }

    /// The next value of a register, in which writes to what it holds stay.
    fn of_register(&mut self, value: &Value, q: NetId) -> Value {
        if let Some(inner) = self.only_here(value) {
            return self.of_register(&inner, q);
        }
        match &value.node {
            _ if self.settled.contains(&id(value)) => self.without_writes(value),
            Node::Held(net, a) => ir::expr(value.width, Node::Held(*net, self.of_register(a, q))),
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

    fn without_writes(&mut self, value: &Value) -> Value {
        if let Some((_, done)) = self.masked.get(&id(value)) {
            return done.clone();
        }
        let new = match &value.node {
            Node::Write(a, at, bit) => {
                let (a, at, bit) = (self.without_writes(a), self.without_writes(at), self.without_writes(bit));
                ir::masked(&a, &at, &bit)
            }
            Node::Marked(marks, yes, no) => {
                let (marks, yes, no) = (self.without_writes(marks), self.without_writes(yes), self.without_writes(no));
                ir::by_marks(&marks, &yes, &no)
            }
            _ => ir::remade(value, &mut |operand| self.without_writes(operand)),
        };
        let new = if alike(&new, value) { value.clone() } else { new };
        if self.settled.contains(&id(value)) {
            self.settled.insert(id(&new));
        }
        self.masked.insert(id(value), (value.clone(), new.clone()));
        new
    }

    /// The value behind assignments that no net has settled to.
    fn behind(&self, value: &Value) -> Value {
        match &value.node {
            Node::Held(_, inner) if !self.settled.contains(&id(value)) => self.behind(inner),
            _ => value.clone(),
        }
    }
}

/// Whether a value is what the register holds, but for bits that are written.
fn rests_on(value: &Value, q: NetId) -> bool {
    match &value.node {
        Node::Net(net) => *net == q,
        Node::Held(_, a) | Node::Write(a, ..) | Node::Marked(_, _, a) => rests_on(a, q),
        Node::Mux(_, yes, no) => rests_on(yes, q) && rests_on(no, q),
        _ => false,
    }
}

/// Whether a node was made anew of the same operands.
fn alike(new: &Value, old: &Value) -> bool {
    let (x, y) = (ir::operands(&new.node), ir::operands(&old.node));
    std::mem::discriminant(&new.node) == std::mem::discriminant(&old.node)
        && x.len() == y.len()
        && x.into_iter().zip(y).all(|(x, y)| Rc::ptr_eq(x, y))
}

/// `&`, `|` or `^`, with both sides; `&&` and `||` of single bits are the same.
fn bitwise(value: &Value) -> Option<(Op, Value, Value)> {
    match &value.node {
        Node::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) => Some((*op, a.clone(), b.clone())),
        Node::Logic(true, a, b) => Some((Op::And, a.clone(), b.clone())),
        Node::Logic(false, a, b) => Some((Op::Or, a.clone(), b.clone())),
        _ => None,
    }
}

/// The vector with one bit written, if the condition marks one place at most.
fn written(condition: &Value, vector: &Value, bit: Value) -> Option<Value> {
    match &condition.node {
        Node::Shift(true, one, at) if ir::as_constant(one) == Some(&BigUint::from(1u8)) => {
            Some(ir::write(vector.clone(), at.clone(), bit))
        }
        Node::Mux(when, marks, none) if ir::as_constant(none) == Some(&BigUint::ZERO) => {
            Some(ir::mux(when, &written(marks, vector, bit)?, vector))
        }
        _ => None,
    }
}

/// `op` of two vectors, where one that repeats a bit is a condition.
fn both(op: Op, a: Value, b: Value) -> Value {
    let width = a.width;
    let (bit, other) = match (&a.node, &b.node) {
        (Node::Repeat(_, bit), _) => (bit.clone(), b.clone()),
        (_, Node::Repeat(_, bit)) => (bit.clone(), a.clone()),
        _ => return ir::binary(op, a, b),
    };
    match op {
        Op::And => ir::mux(&bit, &other, &ir::constant(width, 0u8)),
        Op::Or => ir::mux(&bit, &ir::constant(width, ir::mask(width)), &other),
        _ => ir::binary(op, a, b),
    }
}

fn every<T>(bits: &[Value], of: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    bits.iter().map(of).collect()
}

/// Whether two values are the same in every bit, as far as that is seen in a few steps.
pub fn same(a: &Value, b: &Value) -> bool {
    let mut left = COMPARED;
    same_within(a, b, &mut left)
}

fn same_within(a: &Value, b: &Value, left: &mut usize) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    if a.width != b.width || *left == 0 {
        return false;
    }
    *left -= 1;
    let alike = match (&a.node, &b.node) {
        (Node::Const(x, _), Node::Const(y, _)) => return x == y,
        (Node::Net(x), Node::Net(y)) => return x == y,
        (Node::Held(x, _), Node::Held(y, _)) => x == y,
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
    let (x, y) = (ir::operands(&a.node), ir::operands(&b.node));
    alike && x.len() == y.len() && x.into_iter().zip(y).all(|(x, y)| same_within(x, y, left))
}
