// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds bits that are computed by one operation on each bit, and replaces them by one operation on vectors.

use super::ir::{self, Cmp, Node, Op, Value};
use super::pass::Pass;
use super::same::same;
use super::value::{id, Id};
use num_bigint::BigUint;

impl Pass {
    /// The vector whose bits are `bits`, lowest first, if one operation on vectors computes all of them. If `operand` is true, the vector
    /// is to be an operand of such an operation, and equal bits may become a repetition of one bit.
    pub(super) fn lift(&mut self, bits: &[Value], operand: bool) -> Option<Value> {
        let bits: Vec<Value> = bits.iter().map(|bit| self.without_assignments(bit)).collect();
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

    /// Computes [`Pass::lift`] for a list of bits that has not been tried before.
    fn lift_new(&mut self, bits: &[Value], operand: bool) -> Option<Value> {
        let (first, count) = (&bits[0], bits.len());
        // Constant bits are one number.
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
                // One condition for all bits: one choice between vectors.
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
                // Separate conditions form a mask. If the mask marks at most one bit, this is a write of one bit; else it is a choice bit
                // by bit.
                if let Some(written) = bit.and_then(|bit| written(&condition, &no, bit)) {
                    return Some(written);
                }
                Some(ir::expr(count, Node::Marked(condition, yes, no)))
            }
            // Bit i compares one number with i: the vector is a one-hot decoder.
            Node::Compare(Cmp::Eq, _, number, _) => {
                let follows = |(at, bit): (usize, &Value)| match &bit.node {
                    Node::Compare(Cmp::Eq, _, other, place) => {
                        same(other, number) && ir::as_constant(place).is_some_and(|place| *place == BigUint::from(at))
                    }
                    _ => false,
                };
                let one_hot = || ir::shift(true, ir::constant(count, 1u8), number.clone());
                bits.iter().enumerate().all(follows).then(one_hot)
            }
            _ => None,
        }
    }
}

/// `&`, `|` or `^` with both operands; `&&` and `||` of single bits count as `&` and `|`.
pub(super) fn bitwise(value: &Value) -> Option<(Op, Value, Value)> {
    match &value.node {
        Node::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) => Some((*op, a.clone(), b.clone())),
        Node::Logic(true, a, b) => Some((Op::And, a.clone(), b.clone())),
        Node::Logic(false, a, b) => Some((Op::Or, a.clone(), b.clone())),
        _ => None,
    }
}

/// `vector` with `bit` written at the bit that `condition` marks, if `condition` is a vector that marks at most one bit.
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

/// `op` of the vectors `a` and `b`. An AND or OR with a vector that repeats one bit becomes a choice by that bit.
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

fn every<T>(bits: &[Value], each: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    bits.iter().map(each).collect()
}
