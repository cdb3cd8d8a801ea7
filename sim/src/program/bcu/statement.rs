// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One line of a program: a BCU instruction, one of the few that stand for the code around it, or a line that forms a block.

use super::data::{self, Args};
use super::section::Line;
use crate::program::{Alu, Space, Write};
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr::{Instr, Pred, Reg};
use bcu_hw::isa::lex::{number, tokens, Token, TokenKind};
use bcu_hw::isa::operands::{guard, register};
use bcu_hw::isa::{asm, mnemonic};

/// What a line says.
pub enum Statement {
    Barrier(Instr),
    /// An instruction word, bits 31:0 first, that may be illegal.
    Word([u32; 4]),
    Write(Write),
    /// Cycles, at least 1.
    Nop(u32),
    /// `to` is the register that a load writes, if it is named.
    Access {
        space: Space,
        write: bool,
        to: Option<Reg>,
    },
    Exit,
    /// So many times what follows, up to its `END`; at least 1.
    Loop(u32),
    /// What follows, up to its `END`, in these lanes only; at least one.
    Active(u64),
    End,
}

/// A line with its guard.
pub struct Read {
    pub statement: Statement,
    pub guard: Pred,
    pub warnings: Vec<Diagnostic>,
}

const OWN: [&str; 12] =
    ["WORD", "EXIT", "NOP", "MOV", "SETP", "LOOP", "ACTIVE", "END", "LD.SHARED", "ST.SHARED", "LD.GLOBAL", "ST.GLOBAL"];

pub struct Reader {
    lanes: u32,
    barrier: Vec<String>,
    known: Vec<String>,
}

impl Reader {
    pub fn new(lanes: u32) -> Reader {
        let barrier = mnemonic::mnemonics();
        let own = OWN.iter().map(|n| n.to_string()).chain(Alu::ALL.iter().map(|(n, _)| n.to_string()));
        let own = own.chain(data::comparisons());
        let known = barrier.iter().cloned().chain(own).collect();
        Reader { lanes, barrier, known }
    }

    /// Reads a line; spans count in the program.
    pub fn read(&self, line: &Line) -> Result<Read, Diagnostic> {
        let read = self.instruction(line.text).map_err(|e| line.moved(e))?;
        Ok(Read { warnings: read.warnings.into_iter().map(|w| line.moved(w)).collect(), ..read })
    }

    fn instruction(&self, text: &str) -> Result<Read, Diagnostic> {
        let all = tokens(text);
        let end = all.iter().position(|t| t.kind == TokenKind::Mark(';')).unwrap_or(all.len());
        if let Some(extra) = all.get(end + 1) {
            let error = Diagnostic::new(extra.span(), "text behind the end of an instruction", "expected the end of the line");
            return Err(error.help("write one instruction per line"));
        }
        let (guard, rest) = guard(&all[..end])?;
        let Some((word, operands)) = rest.split_first() else {
            return Err(Diagnostic::new(0..text.len(), "there is no instruction", "expected one before `;`"));
        };
        if self.barrier.iter().any(|m| m == word.text) {
            let assembled = asm::assemble(text, self.lanes)?;
            return Ok(Read { statement: Statement::Barrier(assembled.instr), guard, warnings: assembled.warnings });
        }
        let after = all.get(end.wrapping_sub(1)).map_or(text.len(), |t| t.span().end);
        let args = Args { word, operands, after, lanes: self.lanes };
        let statement = match word.text {
            "WORD" => data::word(&args).map(Statement::Word),
            "EXIT" => none(operands).map(|()| Statement::Exit),
            "NOP" if operands.is_empty() => Ok(Statement::Nop(1)),
            "NOP" => positive(&args, "cycles").map(Statement::Nop),
            "LOOP" => positive(&args, "times").map(Statement::Loop),
            "ACTIVE" => data::active(&args).map(Statement::Active),
            "END" => none(operands).map(|()| Statement::End),
            "LD.SHARED" => Ok(access(Space::Shared, false, operands)),
            "ST.SHARED" => Ok(access(Space::Shared, true, operands)),
            "LD.GLOBAL" => Ok(access(Space::Global, false, operands)),
            "ST.GLOBAL" => Ok(access(Space::Global, true, operands)),
            _ if self.known.iter().any(|known| known == word.text) => data::write(&args).map(Statement::Write),
            _ => Err(mnemonic::unknown(word, &self.known)),
        }?;
        let help = match statement {
            Statement::Word(_) => Some("the word itself has a guard, bits 15:12"),
            Statement::Loop(_) | Statement::Active(_) | Statement::End => Some("guard the lines inside of the block"),
            _ => None,
        };
        if let Some(help) = help.filter(|_| guard != Pred::PT) {
            let message = format!("{} takes no guard", word.text);
            return Err(Diagnostic::new(0..word.at, message, "expected no guard here").help(help));
        }
        let guard = match statement {
            Statement::Word(word) => Pred { index: (word[0] >> 12 & 7) as u8, not: word[0] >> 15 & 1 == 1 },
            _ => guard,
        };
        Ok(Read { statement, guard, warnings: vec![] })
    }
}

fn none(operands: &[Token]) -> Result<(), Diagnostic> {
    match operands.first() {
        None => Ok(()),
        Some(extra) => Err(Diagnostic::new(extra.span(), "too many operands", "expected the end of the line")),
    }
}

/// The only operand, a number above 0.
fn positive(args: &Args, what: &str) -> Result<u32, Diagnostic> {
    none(args.operands.get(1..).unwrap_or(&[]))?;
    let word = args.operands.first();
    match word.and_then(|word| number(word.text)).and_then(|n| u32::try_from(n).ok()) {
        Some(n) if n > 0 => Ok(n),
        _ => {
            let span = word.map_or(args.after..args.after, Token::span);
            let message = format!("wrong operand of {}", args.word.text);
            Err(Diagnostic::new(span, message, format!("expected {what}, 1 to {}", u32::MAX)))
        }
    }
}

/// The operands of an access are the reader's; only the register that a load overwrites matters here.
fn access(space: Space, write: bool, operands: &[Token]) -> Statement {
    let to = operands.first().filter(|_| !write).and_then(|t| register(t.text));
    Statement::Access { space, write, to }
}
