// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known register values of one warp while its program is read. Reading a register that no line has written is an error.

use super::ast::{self, Cell, Data, Source, Truth, Write};
use super::block::{Block, Node};
use super::language::Language;
use super::reports::Reports;
use super::section::Line;
use super::statement::{Read, Statement};
use crate::arith::lane_result;
use crate::visa;
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{self, decode, Instr, Op, RedSource};
use bcu_isa::register::{Pred, Reg};
use std::collections::HashSet;

/// The value of a register at a line; `Never`: no earlier line writes the register.
#[derive(Clone, Copy)]
enum Value {
    Never,
    /// The same in all lanes.
    Known(u32),
    /// Known at run time only: it differs by lane, or depends on the unit or on memory.
    RunTime,
}

pub struct WarpValues {
    number: usize,
    /// The language, for the warp's name in messages.
    language: Language,
    registers: [Value; 256],
    /// Predicates that some earlier line writes, one bit each; PT counts as written.
    predicates: u8,
    /// Lanes that may still be running, one bit per lane: a lane is removed only if it exits in every case.
    alive: u64,
    /// The vISA variables that some earlier line writes.
    variables: HashSet<usize>,
}

impl WarpValues {
    pub fn new(number: usize, lanes: u32, language: Language) -> WarpValues {
        let alive = u64::MAX >> (64 - lanes.clamp(1, 64));
        let registers = [Value::Never; 256];
        WarpValues { number, language, registers, predicates: 1 << Pred::PT.index, alive, variables: HashSet::new() }
    }

    /// Checks lines and blocks in the lanes of `active`. Lines in `failed` already have a reported error and are skipped.
    pub fn check(&mut self, nodes: &[Node], active: u64, reports: &mut Reports, failed: &mut HashSet<usize>) {
        for node in nodes {
            if reports.full() {
                return;
            }
            match node {
                Node::Block(_, Block::Active(mask), nodes) => self.check(nodes, active & mask, reports, failed),
                Node::Block(_, Block::Loop(times), nodes) => {
                    if *times > 1 {
                        self.varies(nodes);
                    }
                    self.check(nodes, active, reports, failed);
                }
                Node::Line(line, _) if failed.contains(&line.number) => {}
                Node::Line(line, read) => {
                    if let Err(error) = self.line(line, read, active, reports) {
                        // Each line is reported once: the other warps would cause the same error.
                        failed.insert(line.number);
                        reports.error(error);
                    }
                }
            }
        }
    }

    /// Marks the registers that these lines write as known at run time only, because their values may differ between rounds.
    fn varies(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Block(_, _, nodes) => self.varies(nodes),
                Node::Line(_, Read { statement: Statement::Write(Write::Mov { to, .. } | Write::Alu { to, .. }), .. }) => {
                    let held = &mut self.registers[usize::from(to.0)];
                    if let Value::Known(_) = held {
                        *held = Value::RunTime;
                    }
                }
                Node::Line(..) => {}
            }
        }
    }

    fn line(&mut self, line: &Line, read: &Read, active: u64, reports: &mut Reports) -> Result<(), Diagnostic> {
        if self.alive == 0 {
            let warning = Diagnostic::new(line.span(), format!("{} has exited before this line", self.name()), "unreachable");
            let (warp_name, section) = (self.language.warp(), self.language.section());
            reports.warn(warning.help(format!(
                "put this line into a section with the {warp_name}s that execute it, for example `{section} 1-3`"
            )));
            return Ok(());
        }
        let guard = read.guard;
        self.read_predicate(line, guard.index)?;
        let whole = guard == Pred::PT && self.alive & !active == 0;
        match &read.statement {
            Statement::Barrier(instr, _) => self.barrier(line, instr, reports)?,
            Statement::Word(word) => {
                if let Ok(instr) = decode(*word) {
                    self.barrier(line, &instr, reports)?;
                }
            }
            Statement::Write(write) => self.write(line, write, whole)?,
            Statement::Access { cell: Some(cell), .. } => self.access(line, cell)?,
            Statement::Meet { elect: Some(predicate), .. } => self.predicates |= 1 << (predicate & 7),
            Statement::Visa(statement) => self.visa(line, statement)?,
            Statement::Exit if guard == Pred::PT => self.alive &= !active,
            _ => {}
        }
        Ok(())
    }

    fn visa(&mut self, line: &Line, statement: &visa::Statement) -> Result<(), Diagnostic> {
        if let Some(never) = statement.reads().into_iter().find(|read| !self.variables.contains(&read.number)) {
            let message = format!("{} has no value in {}", never.name, self.name());
            let error = Diagnostic::new(line.span(), message, format!("reads {}", never.name));
            return Err(error.help(format!("write it first: `mov (M1_NM, 1) {}(0,0)<1> 0x1:ub`", never.name)));
        }
        self.variables.extend(statement.writes().map(|variable| variable.number));
        Ok(())
    }

    /// The warp's name in messages.
    fn name(&self) -> String {
        format!("{} {}", self.language.warp(), self.number)
    }

    fn access(&mut self, line: &Line, cell: &Cell) -> Result<(), Diagnostic> {
        let stored = if let Data::Store(from) = &cell.data { Some(from) } else { None };
        for source in [Some(&cell.address), stored].into_iter().flatten() {
            if let Source::Register(register) = source {
                self.read_register(line, *register)?;
            }
        }
        if let Data::Load(to) = cell.data {
            self.registers[usize::from(to.0)] = Value::RunTime;
        }
        Ok(())
    }

    fn barrier(&mut self, line: &Line, instr: &Instr, reports: &mut Reports) -> Result<(), Diagnostic> {
        let (ra, rb) = instr.reads();
        for register in [ra, rb].into_iter().flatten() {
            self.read_register(line, register)?;
        }
        let (id, count) = id_and_count(&instr.op);
        for (register, what, max) in [(id, "an id", 15), (count, "a count", 4095)] {
            let Some(register) = register else { continue };
            if let Some(value) = self.read_register(line, register)?.filter(|value| *value > max) {
                let message = format!("{register} holds {value:#x}, which is too large for {what}");
                let label = format!("the unit uses {}, the lowest {} bits", value & max, max.count_ones());
                reports.warn(Diagnostic::new(line.span(), message, label));
            }
        }
        if let Op::Red { pp, .. } = instr.op {
            self.read_predicate(line, pp.index)?;
        }
        if let Some(pu) = instr.decides() {
            self.predicates |= 1 << (pu & 7);
        }
        for to in instr.writes().into_iter().flatten() {
            self.registers[usize::from(to.0)] = Value::RunTime;
        }
        Ok(())
    }

    /// Checks and records a write. `whole`: all lanes that may still be running execute the write.
    fn write(&mut self, line: &Line, write: &Write, whole: bool) -> Result<(), Diagnostic> {
        for register in write.registers() {
            self.read_register(line, register)?;
        }
        let (to, value) = match write {
            Write::Mov { to, from } => (to, self.value(from)),
            Write::Alu { to, op, a, b } => {
                let values = [self.value(a), self.value(b)].map(|value| value.map(u64::from));
                (to, lane_result(ast::alu(*op), [values[0], values[1], None, None]).0.map(|value| value as u32))
            }
            Write::Predicate { to, from } => {
                if let Truth::Predicate(predicate) = from {
                    self.read_predicate(line, predicate.index)?;
                }
                self.predicates |= 1 << (to & 7);
                return Ok(());
            }
        };
        self.registers[usize::from(to.0)] = value.filter(|_| whole).map_or(Value::RunTime, Value::Known);
        Ok(())
    }

    /// The value of a source, if it is known and the same in all lanes.
    fn value(&self, source: &Source) -> Option<u32> {
        match source {
            Source::Number(value) => Some(*value),
            Source::WarpId => Some(self.number as u32),
            Source::Register(Reg::RZ) => Some(0),
            Source::Register(register) => match self.registers[usize::from(register.0)] {
                Value::Known(value) => Some(value),
                _ => None,
            },
            Source::LaneId | Source::CtaRank => None,
        }
    }

    /// The value, if it is known; an error if the register has never been written.
    fn read_register(&self, line: &Line, register: Reg) -> Result<Option<u32>, Diagnostic> {
        let error = |message: String| Diagnostic::new(line.span(), message, format!("reads {register}"));
        match self.registers[usize::from(register.0)] {
            _ if register == Reg::RZ => Ok(Some(0)),
            Value::Known(value) => Ok(Some(value)),
            Value::RunTime => Ok(None),
            Value::Never => Err(error(format!("{register} has no value in {}", self.name()))
                .help(format!("write it first: `MOV {register}, 0x80`"))),
        }
    }

    fn read_predicate(&self, line: &Line, index: u8) -> Result<(), Diagnostic> {
        if self.predicates >> (index & 7) & 1 == 1 {
            return Ok(());
        }
        let message = format!("P{index} has no value in {}", self.name());
        let error = Diagnostic::new(line.span(), message, format!("reads P{index}"));
        Err(error.help(format!("write it first, for example true in all lanes of 32: `SETP P{index}, 0xffffffff`")))
    }
}

/// The register that holds the id and nothing else, and the register that holds the count and nothing else.
fn id_and_count(op: &Op) -> (Option<Reg>, Option<Reg>) {
    match *op {
        Op::Bar { source: instr::Source::Rr { id, count }, .. } => (Some(id), Some(count)),
        Op::Bar { source: instr::Source::Rri { id, .. }, .. } | Op::Red { source: RedSource::Rri { id, .. }, .. } => {
            (Some(id), None)
        }
        Op::Bar { source: instr::Source::Rir { count, .. }, .. } | Op::Red { source: RedSource::Rir { count, .. }, .. } => {
            (None, Some(count))
        }
        _ => (None, None),
    }
}
