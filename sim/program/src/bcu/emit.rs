// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Translates the lines and blocks of a program into the instructions of a function.

use super::ast::{alu, compare, mov, Cell, Data, Source, Truth, Write};
use super::block::{Block, Node};
use super::section::Line;
use super::statement::{Read, Statement};
use crate::arith::{Integer, Type};
use crate::visa;
use crate::{Access, AccessKind, Elect, Form, Function, Guard, Instr, Op, Operand, Order, Place, Slot, Space, Special, Word};
use bcu_isa::instr::{self, decode, encode};
use bcu_isa::register::{Pred, Reg};
use std::collections::HashMap;

/// The content of a register slot of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Register(u8),
    Predicate(u8),
    /// A vISA variable, by its number.
    Variable(usize),
    /// A value without a name in the text: the active lanes or the rounds of a block, or an intermediate value of a statement.
    Hidden(usize),
}

/// A function under construction.
#[derive(Default)]
pub struct Emitter {
    function: Function,
    slots: HashMap<Name, Slot>,
    hidden: usize,
}

impl Emitter {
    /// Adds the lines of a section.
    pub fn add(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Line(line, read) => self.line(line, read),
                Node::Block(line, Block::Loop(times), nodes) => self.repeat(line, *times, nodes),
                Node::Block(line, Block::Active(mask), nodes) => self.part(line, *mask, nodes),
            }
        }
    }

    pub fn finish(self, name: &str) -> Function {
        Function { name: name.to_string(), ..self.function }
    }

    fn slot(&mut self, name: Name, shown: impl FnOnce() -> String) -> Slot {
        let registers = &mut self.function.registers;
        *self.slots.entry(name).or_insert_with(|| {
            registers.push(shown());
            registers.len() - 1
        })
    }

    /// The register slot of a vISA variable.
    pub fn named(&mut self, number: usize, name: &str) -> Slot {
        self.slot(Name::Variable(number), || name.to_string())
    }

    pub fn hidden(&mut self) -> Slot {
        self.hidden += 1;
        self.slot(Name::Hidden(self.hidden), || "a block".to_string())
    }

    /// The register slot of a register; `None` for RZ, which is not a register.
    fn register(&mut self, register: Reg) -> Option<Slot> {
        (register != Reg::RZ).then(|| self.slot(Name::Register(register.0), || format!("R{}", register.0)))
    }

    /// The register slot of a predicate register; `None` for PT, which is not a predicate register.
    fn predicate(&mut self, index: u8) -> Option<Slot> {
        (index & 7 != Pred::PT.index).then(|| self.slot(Name::Predicate(index & 7), || format!("P{}", index & 7)))
    }

    fn operand(&mut self, source: Source) -> Operand {
        match source {
            Source::Number(value) => Operand::Immediate(value.into()),
            Source::Register(register) => self.register(register).map_or(Operand::Immediate(0), Operand::register),
            Source::LaneId => Operand::Special(Special::Laneid),
            Source::WarpId => Operand::Special(Special::Warpid),
            Source::CtaRank => Operand::Special(Special::CtaRank),
        }
    }

    fn guard(&mut self, guard: Pred) -> Option<Guard> {
        match (self.predicate(guard.index), guard.not) {
            (Some(slot), negated) => Some(Guard { slot, negated }),
            (None, false) => None,
            // `!PT` is never true: no statement writes this register slot, and its initial value is false.
            (None, true) => Some(Guard { slot: self.slot(Name::Hidden(0), || "a block".to_string()), negated: false }),
        }
    }

    /// Adds an instruction that implements a block and takes no time.
    pub fn push_untimed(&mut self, line: &Line, op: Op, guard: Option<Guard>, to: Option<Slot>) {
        let instr = Instr { op, guard, writes: [to].into(), place: place(line), span: line.span(), is_untimed: true };
        self.function.instrs.push(instr);
    }

    fn repeat(&mut self, line: &Line, times: u32, nodes: &[Node]) {
        if times == 1 {
            return self.add(nodes);
        }
        let (rounds, again) = (self.hidden(), self.hidden());
        let first = Op::Calc { calc: mov(Type::U32), sources: vec![Operand::Immediate(times.into())] };
        self.push_untimed(line, first, None, Some(rounds));
        let target = self.function.instrs.len();
        self.add(nodes);
        let less = Op::Calc { calc: alu(Integer::Sub), sources: vec![Operand::register(rounds), Operand::Immediate(1)] };
        self.push_untimed(line, less, None, Some(rounds));
        let more = compare(crate::arith::Compare::Ne);
        let more = Op::Calc { calc: more, sources: vec![Operand::register(rounds), Operand::Immediate(0)] };
        self.push_untimed(line, more, None, Some(again));
        self.push_untimed(line, Op::Branch { target }, Some(Guard { slot: again, negated: false }), None);
    }

    fn part(&mut self, line: &Line, mask: u64, nodes: &[Node]) {
        let inside = self.hidden();
        let lanes = Op::Calc { calc: mov(Type::PREDICATE), sources: vec![Operand::Mask(mask)] };
        self.push_untimed(line, lanes, None, Some(inside));
        let around = self.function.instrs.len();
        self.push_untimed(line, Op::Branch { target: around + 1 }, Some(Guard { slot: inside, negated: true }), None);
        self.add(nodes);
        let end = self.function.instrs.len();
        if let Some(Instr { op: Op::Branch { target }, .. }) = self.function.instrs.get_mut(around) {
            *target = end;
        }
    }

    fn line(&mut self, line: &Line, read: &Read) {
        let guard = self.guard(read.guard);
        let (op, writes) = match &read.statement {
            Statement::Barrier(instr, form) => self.word(encode(instr), *form),
            Statement::Word(word) => self.word(*word, Form::Raw),
            Statement::Write(write) => self.write(write),
            Statement::Nop(cycles) => (Op::Busy { cycles: *cycles }, vec![]),
            Statement::Access { space, cell } => self.access(*space, cell.as_ref()),
            Statement::Meet { members, elect } => {
                let leads = elect.and_then(|index| self.predicate(index));
                let election = elect.map(|_| Elect { leader: None, leads });
                (Op::Meet { elect: election, members: Operand::Immediate(*members as i64) }, vec![leads])
            }
            Statement::Exit => (Op::Exit, vec![]),
            Statement::Visa(statement) => visa::emit(self, line, read.guard, statement),
            // These statements form blocks and emit no instruction here; see `block`.
            Statement::Loop(_) | Statement::Active(_) | Statement::End => return,
        };
        let instr = Instr { op, guard, writes: writes.into(), place: place(line), span: line.span(), is_untimed: false };
        self.function.instrs.push(instr);
    }

    /// The operation and the destinations of an instruction word, legal or not.
    fn word(&mut self, word: [u32; 4], form: Form) -> (Op, Vec<Option<Slot>>) {
        let Ok(instr) = decode(word) else {
            return (Op::Word(Word { word, form, ra: None, rb: None, predicate: None }), vec![]);
        };
        let (ra, rb) = instr.reads();
        let [ra, rb] = [ra, rb].map(|register| register.and_then(|register| self.register(register)));
        let predicate = match instr.op {
            instr::Op::Red { pp, .. } => self.predicate(pp.index),
            _ => None,
        };
        let truth = instr.decides().and_then(|pu| self.predicate(pu));
        let [first, second] = instr.writes().map(|register| register.and_then(|register| self.register(register)));
        (Op::Word(Word { word, form, ra, rb, predicate }), vec![first, truth, second])
    }

    fn write(&mut self, write: &Write) -> (Op, Vec<Option<Slot>>) {
        let (calc, sources, to) = match *write {
            Write::Mov { to, from } => (mov(Type::U32), vec![self.operand(from)], self.register(to)),
            Write::Alu { to, op, a, b } => (alu(op), vec![self.operand(a), self.operand(b)], self.register(to)),
            Write::Predicate { to, from: Truth::Compare(test, a, b) } => {
                (compare(test), vec![self.operand(a), self.operand(b)], self.predicate(to))
            }
            Write::Predicate { to, from: Truth::Mask(mask) } => {
                (mov(Type::PREDICATE), vec![Operand::Mask(mask)], self.predicate(to))
            }
            Write::Predicate { to, from: Truth::Predicate(Pred { index, not }) } => {
                let from = match self.predicate(index) {
                    Some(slot) => Operand::Register { slot, negated: not },
                    None => Operand::Immediate((!not).into()),
                };
                (mov(Type::PREDICATE), vec![from], self.predicate(to))
            }
        };
        (Op::Calc { calc, sources }, vec![to])
    }

    fn access(&mut self, space: Space, cell: Option<&Cell>) -> (Op, Vec<Option<Slot>>) {
        let (address, offset) = match cell {
            Some(cell) => (Some(self.operand(cell.address)), cell.offset.into()),
            None => (None, 0),
        };
        let (kind, writes) = match cell.map(|cell| cell.data) {
            None => (AccessKind::Nothing, vec![]),
            Some(Data::Load(to)) => (AccessKind::Load, vec![self.register(to)]),
            Some(Data::Store(from)) => (AccessKind::Store(Some(vec![self.operand(from)])), vec![]),
        };
        let access = Access { space, kind, address, offset, ty: Type::U32, count: 1, order: Order::default(), narrow: true };
        (Op::Access(access), writes)
    }
}

fn place(line: &Line) -> Place {
    let text = line.text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).to_string();
    Place { line: line.number, text: text.into(), origin: None }
}
