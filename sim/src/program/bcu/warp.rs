// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registers of one warp while its program is read, and the steps that come out.

use super::section::Line;
use super::statement::{Source, Statement};
use super::Reports;
use crate::program::{Action, Place, Step, WarpProgram};
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr::{self, encode, Instr, Op, RedSource, Reg};

/// What is known of a register at a line.
#[derive(Clone, Copy)]
enum Value {
    Never,
    Known(u32),
    /// Written by an instruction whose result exists only in a run.
    Result(&'static str),
}

pub struct Warp {
    pub program: WarpProgram,
    number: usize,
    registers: [Value; 256],
    exited: bool,
}

impl Warp {
    pub fn new(number: usize) -> Warp {
        let program = WarpProgram { name: format!("warp {number}"), steps: vec![] };
        Warp { program, number, registers: [Value::Never; 256], exited: false }
    }

    /// The role of a section is the warp's name; a later one replaces an earlier.
    pub fn name(&mut self, role: Option<&str>) {
        if let Some(role) = role {
            self.program.name = role.to_string();
        }
    }

    /// Takes one line.
    pub fn run(&mut self, line: &Line, statement: &Statement, reports: &mut Reports) -> Result<(), Diagnostic> {
        if self.exited {
            let warning =
                Diagnostic::new(line.span(), format!("warp {} has exited before this line", self.number), "never runs");
            reports.warn(warning.help("name the warps that run it in a `.warps` section"));
            return Ok(());
        }
        let action = match statement {
            Statement::Barrier(instr) => self.barrier(line, instr, reports)?,
            Statement::Mov { to, from } => {
                let value = match from {
                    Source::Number(value) => *value,
                    Source::Register(register) => self.read(line, *register)?,
                };
                self.registers[usize::from(to.0)] = Value::Known(value);
                Action::Busy { cycles: 1 }
            }
            Statement::Nop(cycles) => Action::Busy { cycles: *cycles },
            Statement::Access { space, write, to } => {
                if let Some(to) = to {
                    self.registers[usize::from(to.0)] = Value::Result("a load");
                }
                Action::Access { space: *space, write: *write }
            }
            Statement::Exit => {
                self.exited = true;
                Action::Exit
            }
        };
        let text = line.text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).to_string();
        self.program.steps.push(Step { action, place: Place { line: line.number, text } });
        Ok(())
    }

    fn barrier(&mut self, line: &Line, instr: &Instr, reports: &mut Reports) -> Result<Action, Diagnostic> {
        let value = |register: Option<Reg>| register.map_or(Ok(0), |r| self.read(line, r));
        let (ra, rb) = instr.reads();
        let action = Action::Barrier { word: encode(instr), ra: value(ra)?, rb: value(rb)? };
        let (id, count) = id_and_count(&instr.op);
        for (register, what, max) in [(id, "an id", 15), (count, "a count", 4095)] {
            let Some(register) = register else { continue };
            let value = value(Some(register))?;
            if value > max {
                let message = format!("{register} holds {value:#x}, too large for {what}");
                let label = format!("takes effect as {}: only {} bits count", value & max, max.count_ones());
                reports.warn(Diagnostic::new(line.span(), message, label));
            }
        }
        if let Some(to) = instr.writes() {
            self.registers[usize::from(to.0)] = Value::Result("B2R");
        }
        Ok(action)
    }

    fn read(&self, line: &Line, register: Reg) -> Result<u32, Diagnostic> {
        let error = |message: String| Diagnostic::new(line.span(), message, format!("reads {register}"));
        match self.registers[usize::from(register.0)] {
            _ if register == Reg::RZ => Ok(0),
            Value::Known(value) => Ok(value),
            Value::Never => Err(error(format!("{register} has no value in warp {}", self.number))
                .help(format!("write it first: `MOV {register}, 0x80`"))),
            Value::Result(what) => Err(error(format!("{register} of warp {} was written by {what}", self.number))
                .help(format!("the result of {what} is not known before the run: write a value with MOV"))),
        }
    }
}

/// The registers that hold a whole id and a whole count.
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
