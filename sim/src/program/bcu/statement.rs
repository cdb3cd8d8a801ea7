// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One instruction of a program: a BCU instruction, or one of the few that stand for the code around it.

use super::section::Line;
use crate::program::Space;
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr::{Instr, Reg};
use bcu_hw::isa::lex::{number, tokens, Token, TokenKind};
use bcu_hw::isa::{asm, mnemonic, operands::register};

/// What a line says.
pub enum Statement {
    Barrier(Instr),
    Mov {
        to: Reg,
        from: Source,
    },
    /// Cycles, at least 1.
    Nop(u32),
    /// `to` is the register that a load writes, if it is named.
    Access {
        space: Space,
        write: bool,
        to: Option<Reg>,
    },
    Exit,
}

pub enum Source {
    Number(u32),
    Register(Reg),
}

const OWN: [&str; 7] = ["EXIT", "NOP", "MOV", "LD.SHARED", "ST.SHARED", "LD.GLOBAL", "ST.GLOBAL"];

pub struct Reader {
    lanes: u32,
    barrier: Vec<String>,
    known: Vec<String>,
}

impl Reader {
    pub fn new(lanes: u32) -> Reader {
        let barrier = mnemonic::mnemonics();
        let known = barrier.iter().cloned().chain(OWN.iter().map(|n| n.to_string())).collect();
        Reader { lanes, barrier, known }
    }

    /// Reads a line; spans count in the program.
    pub fn read(&self, line: &Line) -> Result<(Statement, Vec<Diagnostic>), Diagnostic> {
        let (statement, warnings) = self.instruction(line.text).map_err(|e| line.moved(e))?;
        Ok((statement, warnings.into_iter().map(|w| line.moved(w)).collect()))
    }

    fn instruction(&self, text: &str) -> Result<(Statement, Vec<Diagnostic>), Diagnostic> {
        let all = tokens(text);
        let end = all.iter().position(|t| t.kind == TokenKind::Mark(';')).unwrap_or(all.len());
        if let Some(extra) = all.get(end + 1) {
            let error = Diagnostic::new(extra.span(), "text behind the end of an instruction", "expected the end of the line");
            return Err(error.help("write one instruction per line"));
        }
        let rest = unguarded(&all[..end])?;
        let Some((word, operands)) = rest.split_first() else {
            return Err(Diagnostic::new(0..text.len(), "there is no instruction", "expected one before `;`"));
        };
        if self.barrier.iter().any(|m| m == word.text) {
            return asm::assemble(text, self.lanes).map(|a| (Statement::Barrier(a.instr), a.warnings));
        }
        let after = all.get(end.wrapping_sub(1)).map_or(text.len(), |t| t.span().end);
        let statement = match word.text {
            "EXIT" => none(operands).map(|()| Statement::Exit),
            "NOP" => nop(operands),
            "MOV" => mov(operands, after),
            "LD.SHARED" => Ok(access(Space::Shared, false, operands)),
            "ST.SHARED" => Ok(access(Space::Shared, true, operands)),
            "LD.GLOBAL" => Ok(access(Space::Global, false, operands)),
            "ST.GLOBAL" => Ok(access(Space::Global, true, operands)),
            _ => Err(mnemonic::unknown(word, &self.known)),
        };
        Ok((statement?, vec![]))
    }
}

/// What stands behind the guard, which can only be `@PT`.
fn unguarded<'t, 'a>(all: &'t [Token<'a>]) -> Result<&'t [Token<'a>], Diagnostic> {
    match all {
        [at, name, rest @ ..] if at.text == "@" && name.text == "PT" => Ok(rest),
        [at, ..] if at.text == "@" => {
            let length = if all.get(1).is_some_and(|t| t.text == "!") { 3 } else { 2 };
            let end = all[..length.min(all.len())].last().map_or(at.span().end, |t| t.span().end);
            let error = Diagnostic::new(at.at..end, "predicates have no value in a program yet", "expected @PT, or no guard");
            Err(error.help("write the lines of each warp as it runs them, in its own `.warps` section"))
        }
        _ => Ok(all),
    }
}

fn none(operands: &[Token]) -> Result<(), Diagnostic> {
    match operands.first() {
        None => Ok(()),
        Some(extra) => Err(Diagnostic::new(extra.span(), "too many operands", "expected the end of the line")),
    }
}

fn nop(operands: &[Token]) -> Result<Statement, Diagnostic> {
    let Some((word, rest)) = operands.split_first() else { return Ok(Statement::Nop(1)) };
    none(rest)?;
    match number(word.text).and_then(|n| u32::try_from(n).ok()) {
        Some(cycles) if cycles > 0 => Ok(Statement::Nop(cycles)),
        _ => Err(Diagnostic::new(word.span(), "wrong operand of NOP", format!("expected cycles, 1 to {}", u32::MAX))),
    }
}

fn mov(operands: &[Token], after: usize) -> Result<Statement, Diagnostic> {
    let wrong = |at: Option<&Token>, label: &str| {
        let error = Diagnostic::new(at.map_or(after..after, Token::span), "wrong operand of MOV", label);
        Err(error.help("write `MOV R4, 0x80` or `MOV R4, R5`"))
    };
    let Some(to) = operands.first().and_then(|t| register(t.text)) else {
        return wrong(operands.first(), "expected a register, R0 to R254 or RZ");
    };
    if operands.get(1).is_none_or(|t| t.text != ",") {
        return wrong(operands.get(1), "expected `,`");
    }
    let value = operands.get(2);
    let from = value.and_then(|t| {
        let value = number(t.text).and_then(|n| u32::try_from(n).ok()).map(Source::Number);
        value.or_else(|| register(t.text).map(Source::Register))
    });
    match from {
        Some(from) => none(operands.get(3..).unwrap_or(&[])).map(|()| Statement::Mov { to, from }),
        None => wrong(value, "expected a register or a number of at most 32 bits"),
    }
}

/// The operands of an access are the reader's; only the register that a load overwrites matters here.
fn access(space: Space, write: bool, operands: &[Token]) -> Statement {
    let to = operands.first().filter(|_| !write).and_then(|t| register(t.text));
    Statement::Access { space, write, to }
}
