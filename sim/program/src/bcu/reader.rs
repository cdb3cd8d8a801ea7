// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the statement on each line: of BCU assembly or, in a vISA text, also of vISA.

use super::ast::ALU;
use super::data::{self, Args};
use super::memory;
use super::section::Line;
use super::statement::{Read, Statement};
use crate::visa::{self, Header};
use crate::{Form, Space};
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{number, tokens, Token, TokenKind};
use bcu_isa::operands::guard;
use bcu_isa::register::Pred;
use bcu_isa::{asm, mnemonic};

const PROGRAM_MNEMONICS: [&str; 14] = [
    "WARPSYNC",
    "ELECT",
    "WORD",
    "EXIT",
    "NOP",
    "MOV",
    "SETP",
    "LOOP",
    "ACTIVE",
    "END",
    "LD.SHARED",
    "ST.SHARED",
    "LD.GLOBAL",
    "ST.GLOBAL",
];

pub struct Reader {
    lanes: u32,
    known: Vec<String>,
    /// The declarations of a vISA text.
    header: Option<Header>,
}

impl Reader {
    pub fn new(lanes: u32, header: Option<Header>) -> Reader {
        let barrier = mnemonic::mnemonics();
        let program_mnemonics = PROGRAM_MNEMONICS.iter().map(|n| n.to_string()).chain(ALU.iter().map(|(n, _)| n.to_string()));
        let program_mnemonics = program_mnemonics.chain(data::comparisons());
        let arrivals = || barrier.iter().filter(|m| m.starts_with("BAR."));
        let forms = memory::ENDINGS.iter().flat_map(|(ending, _)| arrivals().map(move |m| format!("{m}{ending}")));
        let program_mnemonics = program_mnemonics.chain(forms.collect::<Vec<_>>());
        let known = barrier.iter().cloned().chain(program_mnemonics).collect();
        Reader { lanes, known, header }
    }

    /// The declarations of a vISA text.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Reads a line; spans are positions in the program.
    pub fn read(&self, line: &Line) -> Result<Read, Diagnostic> {
        let visa = self.header.as_ref().and_then(|header| visa::read(header, line.text));
        let read = visa.unwrap_or_else(|| self.instruction(line.text)).map_err(|e| line.moved(e))?;
        Ok(Read { warnings: read.warnings.into_iter().map(|w| line.moved(w)).collect(), ..read })
    }

    fn instruction(&self, text: &str) -> Result<Read, Diagnostic> {
        let words = tokens(text);
        let end = words.iter().position(|t| t.kind == TokenKind::Mark(';')).unwrap_or(words.len());
        if let Some(extra) = words.get(end + 1) {
            let error = Diagnostic::new(extra.span(), "text after the end of an instruction", "expected the end of the line");
            return Err(error.help("write one instruction per line"));
        }
        let (guard, instruction) = guard(&words[..end])?;
        let Some((word, operands)) = instruction.split_first() else {
            return Err(Diagnostic::new(0..text.len(), "the instruction is missing", "expected an instruction before `;`"));
        };
        let (mnemonic, form) = memory::form(word.text);
        if mnemonic::is_known(mnemonic) && (form == Form::Raw || mnemonic.starts_with("BAR.")) {
            // Blanks replace the ending, so that positions do not change.
            let (head, tail) = text.split_at(word.at + mnemonic.len());
            let ending = word.text.len() - mnemonic.len();
            let bare = format!("{head}{}{}", " ".repeat(ending), &tail[ending..]);
            let assembled = asm::assemble(&bare, self.lanes)?;
            return Ok(Read { statement: Statement::Barrier(assembled.instr, form), guard, warnings: assembled.warnings });
        }
        let after = words.get(end.wrapping_sub(1)).map_or(text.len(), |t| t.span().end);
        let args = Args { word, operands, after, lanes: self.lanes };
        let statement = match word.text {
            "WORD" => data::word(&args).map(Statement::Word),
            "EXIT" => expect_no_operands(operands).map(|()| Statement::Exit),
            "NOP" if operands.is_empty() => Ok(Statement::Nop(1)),
            "NOP" => positive(&args, "cycles").map(Statement::Nop),
            "LOOP" => positive(&args, "times").map(Statement::Loop),
            "ACTIVE" => data::active(&args).map(Statement::Active),
            "END" => expect_no_operands(operands).map(|()| Statement::End),
            "WARPSYNC" => memory::members(&args).map(|members| Statement::Meet { members, elect: None }),
            "ELECT" => memory::elect(&args).map(|(members, elect)| Statement::Meet { members, elect: Some(elect) }),
            "LD.SHARED" => access(&args, Space::Shared, false),
            "ST.SHARED" => access(&args, Space::Shared, true),
            "LD.GLOBAL" => access(&args, Space::Global, false),
            "ST.GLOBAL" => access(&args, Space::Global, true),
            _ if self.known.iter().any(|known| known == word.text) => data::write(&args).map(Statement::Write),
            _ => Err(mnemonic::unknown(word, &self.known)),
        }?;
        let help = match statement {
            Statement::Word(_) => Some("a WORD has its guard in bits 15:12: write the guard there"),
            Statement::Loop(_) | Statement::Active(_) | Statement::End => Some("put the guard on the lines inside the block"),
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

fn expect_no_operands(operands: &[Token]) -> Result<(), Diagnostic> {
    match operands.first() {
        None => Ok(()),
        Some(extra) => Err(Diagnostic::new(extra.span(), "too many operands", "expected the end of the line")),
    }
}

/// The only operand, a number above 0.
fn positive(args: &Args, what: &str) -> Result<u32, Diagnostic> {
    expect_no_operands(args.operands.get(1..).unwrap_or(&[]))?;
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

fn access(args: &Args, space: Space, write: bool) -> Result<Statement, Diagnostic> {
    Ok(Statement::Access { space, cell: memory::cell(args, write)? })
}
