// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands and guards of BCU assembly: a number, a register, an address `[R4+8]`, or a predicate with an optional `!`.

use super::lex::{number, Token, TokenKind};
use super::register::{Pred, Reg};
use crate::diag::Diagnostic;
use std::ops::Range;

/// The value of an operand, independent of the field that it fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Number(u64),
    Reg(Reg),
    Pred(Pred),
    /// A register and the number added to it.
    Address(Reg, u64),
}

impl Value {
    pub fn noun(self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Reg(_) => "a register",
            Value::Pred(_) => "a predicate",
            Value::Address(..) => "an address",
        }
    }
}

/// An operand with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    pub value: Value,
    pub span: Range<usize>,
}

/// `word` for a message: cut after 32 characters, so that the message stays on one line.
pub fn shown(word: &str) -> String {
    match word.char_indices().nth(32) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_string(),
    }
}

/// Parses `R0` to `R254` or `RZ`; `None` for any other word.
pub fn register(word: &str) -> Option<Reg> {
    if word == "RZ" {
        return Some(Reg::RZ);
    }
    index(word.strip_prefix('R')?, Reg::RZ.0).map(Reg)
}

/// Parses `P0` to `P6` or `PT`; `None` for any other word.
fn predicate(word: &str) -> Option<Pred> {
    if word == "PT" {
        return Some(Pred::PT);
    }
    index(word.strip_prefix('P')?, Pred::PT.index).map(|index| Pred { index, not: false })
}

/// Parses a decimal number below `end`, without leading zeros; `None` for any other text.
fn index(digits: &str, end: u8) -> Option<u8> {
    let plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| digits.parse::<u8>().ok()).flatten().filter(|n| *n < end)
}

/// Parses the single operand in `tokens`. If `tokens` is empty, the diagnostic is at `after`.
fn operand(tokens: &[Token], after: usize) -> Result<Operand, Diagnostic> {
    if tokens.first().is_some_and(|t| t.kind == TokenKind::Mark('[')) {
        return address(tokens);
    }
    let (not, word) = match tokens {
        [bang, word, ..] if bang.kind == TokenKind::Mark('!') => (Some(bang), word),
        [word, ..] => (None, word),
        [] => {
            return Err(Diagnostic::new(
                after..after,
                "an operand is missing",
                "expected a number, register, address or predicate",
            ))
        }
    };
    let span = not.map_or(word.at, |b| b.at)..word.span().end;
    let value = match word.kind {
        TokenKind::Word => classify(word)?,
        TokenKind::Mark(c) => {
            return Err(Diagnostic::new(word.span(), format!("`{}` is not an operand", c.escape_debug()), EXPECTED).help(HELP))
        }
    };
    if let Some(extra) = tokens.get(if not.is_some() { 2 } else { 1 }) {
        let message = format!("`{}` follows an operand", shown(extra.text).escape_debug());
        return Err(Diagnostic::new(extra.span(), message, "expected `,` or the end of the instruction"));
    }
    match (not, value) {
        (None, value) => Ok(Operand { value, span }),
        (Some(_), Value::Pred(p)) => Ok(Operand { value: Value::Pred(Pred { not: true, ..p }), span }),
        (Some(_), value) => {
            let message = format!("{} cannot be negated", value.noun());
            Err(Diagnostic::new(span, message, "expected a predicate after `!`: P0 to P6 or PT"))
        }
    }
}

/// Parses an address: `[R4]` or `[R4+8]`.
fn address(tokens: &[Token]) -> Result<Operand, Diagnostic> {
    let is = |token: &Token, mark: char| token.kind == TokenKind::Mark(mark);
    let span = tokens.first().zip(tokens.last()).map_or(0..0, |(a, b)| a.at..b.span().end);
    let value = match tokens {
        [_, base, close] if is(close, ']') => register(base.text).map(|base| Value::Address(base, 0)),
        [_, base, plus, offset, close] if is(plus, '+') && is(close, ']') => {
            register(base.text).zip(number(offset.text)).map(|(base, offset)| Value::Address(base, offset))
        }
        _ => None,
    };
    value.map(|value| Operand { value, span: span.clone() }).ok_or_else(|| {
        let error = Diagnostic::new(span, "invalid address", "expected a register and a number of bytes: [R4] or [R4+8]");
        error.help("load a plain number into a register first; to subtract, adjust the register first")
    })
}

const EXPECTED: &str = "expected a number, register, address or predicate";
const HELP: &str = "a number is unsigned, decimal or with 0x; a register is R0 to R254 or RZ; a predicate is P0 to P6 or PT";

fn classify(word: &Token) -> Result<Value, Diagnostic> {
    let text = word.text;
    let value = number(text).map(Value::Number);
    let value = value.or_else(|| register(text).map(Value::Reg)).or_else(|| predicate(text).map(Value::Pred));
    value.ok_or_else(|| {
        let error = Diagnostic::new(word.span(), format!("`{}` is not an operand", shown(text)), EXPECTED);
        match text {
            "R255" => error.help("the register that reads as 0 is written RZ"),
            "P7" => error.help("the predicate that is always true is written PT"),
            _ => error.help(HELP),
        }
    })
}

/// Parses operands that are separated by commas.
pub fn list(tokens: &[Token]) -> Result<Vec<Operand>, Diagnostic> {
    let Some(first) = tokens.first() else { return Ok(vec![]) };
    let (mut out, mut from, mut index) = (vec![], first.at, 0);
    for part in tokens.split(|t| t.kind == TokenKind::Mark(',')) {
        out.push(operand(part, from)?);
        index += part.len() + 1;
        from = tokens.get(index - 1).map_or(from, |comma| comma.span().end);
    }
    Ok(out)
}

/// The guard `@P0` or `@!P0` at the start (PT if there is none), and the remaining tokens.
pub fn guard<'t, 'a>(tokens: &'t [Token<'a>]) -> Result<(Pred, &'t [Token<'a>]), Diagnostic> {
    let Some((at, rest)) = tokens.split_first().filter(|(t, _)| t.kind == TokenKind::Mark('@')) else {
        return Ok((Pred::PT, tokens));
    };
    let length = if rest.first().is_some_and(|t| t.kind == TokenKind::Mark('!')) { 2 } else { 1 };
    let (name, rest) = rest.split_at(length.min(rest.len()));
    let wrong = |span| Diagnostic::new(span, "the guard is not a predicate", "expected P0 to P6 or PT after `@`");
    match operand(name, at.span().end).map_err(|e| wrong(e.span))? {
        Operand { value: Value::Pred(guard), .. } => Ok((guard, rest)),
        Operand { span, .. } => Err(wrong(span)),
    }
}
