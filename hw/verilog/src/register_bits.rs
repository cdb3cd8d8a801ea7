// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes to single bits of registers in a clocked process.

use super::builder::Builder;
use super::ir::{self, NetId, Node, Value};
use super::same::same;
use super::statement::{join, Statement};

/// Bits of a register that a write replaces, with their new value: the bit at a computed index, or all marked bits.
#[derive(Clone)]
enum Bits {
    At(Value, Value),
    Marked(Value, Value),
}

/// Writes to bits of a register under one condition; without a condition they are in every cycle.
pub(super) struct Writes {
    condition: Option<Value>,
    bits: Vec<Bits>,
}

impl Builder<'_> {
    /// Splits the next value `value` of a register: the value before the writes to single bits, and these writes in order.
    pub(super) fn writes(&self, value: Value) -> (Value, Vec<Writes>) {
        let (mut value, mut writes) = (value, vec![]);
        while let Some(open) = self.open(&value) {
            match &open.node {
                Node::Write(base, at, bit) => {
                    writes.push(Writes { condition: None, bits: vec![Bits::At(at.clone(), bit.clone())] });
                    value = base.clone();
                }
                Node::Marked(marks, bits, base) => {
                    writes.push(Writes { condition: None, bits: vec![Bits::Marked(marks.clone(), bits.clone())] });
                    value = base.clone();
                }
                Node::Mux(c, yes, no) => match self.bits_written(yes, no) {
                    Some(bits) => {
                        writes.push(Writes { condition: Some(c.clone()), bits });
                        value = no.clone();
                    }
                    None => break,
                },
                _ => break,
            }
        }
        writes.reverse();
        (value, writes)
    }

    /// The writes that turn `base` into `value`, in order. `None`: `value` is not `base` with only writes of bits applied.
    fn bits_written(&self, value: &Value, base: &Value) -> Option<Vec<Bits>> {
        let (mut value, mut bits) = (value.clone(), vec![]);
        while !same(&value, base) {
            let open = self.open(&value)?;
            let (written, before) = match &open.node {
                Node::Write(before, at, bit) => (Bits::At(at.clone(), bit.clone()), before),
                Node::Marked(marks, bits, before) => (Bits::Marked(marks.clone(), bits.clone()), before),
                _ => return None,
            };
            bits.push(written);
            value = before.clone();
        }
        bits.reverse();
        (!bits.is_empty()).then_some(bits)
    }

    /// Groups writes of several registers under the same condition; writes of one register keep their order.
    pub(super) fn write_statements(&mut self, written: Vec<(usize, NetId, Writes)>, statements: &mut Vec<Statement>) {
        let turns = written.iter().map(|(turn, ..)| turn + 1).max().unwrap_or(0);
        for turn in 0..turns {
            let mut groups: Vec<(Option<Value>, usize, Vec<Statement>)> = vec![];
            for (_, q, Writes { condition, bits }) in written.iter().filter(|(of, ..)| *of == turn) {
                let mut assigned = vec![];
                for bits in bits {
                    let statement = self.write_statement(*q, bits);
                    assigned.push(statement);
                }
                let alike = |other: &Option<Value>| match (other, condition) {
                    (None, None) => true,
                    (Some(a), Some(b)) => same(a, b),
                    _ => false,
                };
                match groups.iter_mut().find(|(other, ..)| alike(other)) {
                    Some((_, registers, group)) => {
                        *registers += 1;
                        assigned.into_iter().for_each(|statement| join(group, statement));
                    }
                    None => groups.push((condition.clone(), 1, assigned)),
                }
            }
            for (condition, registers, group) in groups {
                match condition {
                    None => statements.extend(group),
                    Some(condition) => {
                        let condition = self.condition(&condition, registers);
                        statements.push(Statement::If { condition, yes: group, no: vec![] });
                    }
                }
            }
        }
    }

    fn write_statement(&mut self, q: NetId, bits: &Bits) -> Statement {
        let name = self.text.net_names[q].clone();
        match bits {
            Bits::At(at, bit) => {
                let target = format!("{name}[{}]", self.text.operand(at));
                let text = self.text.right_side(bit);
                let text = self.in_one_line(q, &target, bit.width, text);
                Statement::Assign(target, text)
            }
            Bits::Marked(marks, bits) => {
                let index = self.index.get_or_insert_with(|| self.text.names.fresh("i")).clone();
                let marked = self.text.name(marks);
                let bit = match &bits.node {
                    Node::Repeat(_, bit) => {
                        let text = self.text.right_side(bit);
                        self.in_one_line(q, &format!("{name}[{index}]"), bit.width, text)
                    }
                    _ => match ir::as_constant(bits) {
                        Some(number) => format!("1'b{}", u8::from(number.bit(0))),
                        None => format!("{}[{index}]", self.text.name(bits)),
                    },
                };
                let assignment = Statement::Assign(format!("{name}[{index}]"), bit);
                Statement::Each { index, bits: marks.width, marked, yes: vec![assignment] }
            }
        }
    }
}
