// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of vISA: `0x1:ub` and `1`, `V32(0,0)<0;1,0>` and `V32`, the destination `V32(0,0)<1>`, the execution size `(M1_NM, 1)`.

use super::header::Header;
use super::scalar::{Scalar, Variable};
use super::types::bits_of;
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{number, Token, TokenKind};
use bcu_isa::operands::shown;
use std::ops::Range;
use std::rc::Rc;

/// The operands of a statement that are not yet consumed.
pub struct Operands<'t, 'a> {
    pub header: &'t Header,
    pub tokens: &'t [Token<'a>],
    /// Position for the diagnostic of a missing operand.
    pub after: usize,
    /// The mnemonic, and the syntax of the statement.
    pub name: String,
    pub form: &'static str,
}

/// An operand and its span.
pub struct Read {
    pub scalar: Scalar,
    pub span: Range<usize>,
}

impl<'t, 'a> Operands<'t, 'a> {
    /// Consumes the next token.
    fn next(&mut self) -> Option<&'t Token<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// Consumes the next token if it is this mark.
    fn mark(&mut self, mark: char) -> bool {
        let is = self.tokens.first().is_some_and(|token| token.kind == TokenKind::Mark(mark));
        if is {
            self.next();
        }
        is
    }

    /// The span of the next token.
    fn next_span(&self) -> Range<usize> {
        self.tokens.first().map_or(self.after..self.after, Token::span)
    }

    pub fn wrong(&self, span: Range<usize>, message: impl Into<String>, label: &str) -> Diagnostic {
        Diagnostic::new(span, message, label).help(format!("write it like `{}`", self.form))
    }

    pub fn missing(&self, what: &str) -> Diagnostic {
        self.wrong(self.after..self.after, format!("{} has too few operands", self.name), &format!("expected {what}"))
    }

    /// Checks that no operand is left.
    pub fn end(&self) -> Result<(), Diagnostic> {
        match self.tokens.first() {
            None => Ok(()),
            Some(extra) => {
                Err(self.wrong(extra.span(), format!("{} has too many operands", self.name), "expected no further operand"))
            }
        }
    }

    /// Reads two marks, and returns the words and numbers between them, which are separated by `;` or `,`. `None` if the first mark is
    /// absent.
    fn between(&mut self, open: char, close: char) -> Result<Option<Vec<&'a str>>, Diagnostic> {
        let at = self.next_span();
        if !self.mark(open) {
            return Ok(None);
        }
        let mut words = vec![];
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::Word => words.push(token.text),
                TokenKind::Mark(c) if c == close => return Ok(Some(words)),
                TokenKind::Mark(';' | ',') => {}
                TokenKind::Mark(_) => {
                    return Err(self.wrong(token.span(), format!("`{}` is not valid here", token.text), "expected numbers"))
                }
            }
        }
        Err(self.wrong(at, format!("this `{open}` is not closed"), &format!("expected `{close}` after it")))
    }

    /// Reads an execution size such as `(M1_NM, 1)`. It must be 1, because only scalars are calculated.
    pub fn execution_size(&mut self) -> Result<(), Diagnostic> {
        let at = self.next_span();
        let Some(words) = self.between('(', ')')? else {
            return Err(self.wrong(at, format!("{} has no execution size", self.name), "expected `(M1_NM, 1)`"));
        };
        match words[..] {
            [mask, "1"] if mask.starts_with('M') || mask == "NoMask" => Ok(()),
            [_, size] if number(size).is_some_and(|size| size > 1) => {
                Err(self.wrong(at, format!("an execution size of {}", shown(size)), "expected 1: only scalars are calculated"))
            }
            _ => Err(self.wrong(at, "invalid execution size", "expected `(M1_NM, 1)`")),
        }
    }

    /// Reads a variable to write, such as `V32(0,0)<1>`.
    pub fn destination(&mut self) -> Result<Rc<Variable>, Diagnostic> {
        let Some(name) = self.tokens.first() else { return Err(self.missing("a variable to write")) };
        if name.kind != TokenKind::Word || number(name.text).is_some() {
            let message = format!("{} cannot write to `{}`", self.name, shown(name.text).escape_debug());
            return Err(self.wrong(name.span(), message, "expected a variable"));
        }
        self.next();
        let variable = self.header.named(name)?;
        self.element(&variable)?;
        let at = self.next_span();
        match self.between('<', '>')?.as_deref() {
            None | Some(["1"]) => Ok(variable),
            Some(_) => Err(self.wrong(at, format!("{} has one element", variable.name), "expected `<1>`")),
        }
    }

    /// Reads a number or a variable. `what` describes the operand in the error if it is missing or wrong.
    pub fn scalar(&mut self, what: &str) -> Result<Read, Diagnostic> {
        let Some(first) = self.next() else { return Err(self.missing(what)) };
        match first.kind {
            TokenKind::Mark(',') => Err(self.wrong(first.span(), "a comma between operands", "expected a blank")),
            TokenKind::Mark('-') => Err(self.wrong(first.span(), "the operand must be unsigned", &format!("expected {what}"))),
            TokenKind::Mark(mark) => {
                let message = format!("`{}` is not an operand", mark.escape_debug());
                Err(self.wrong(first.span(), message, &format!("expected {what}: a number or a variable")))
            }
            TokenKind::Word => match number(first.text) {
                Some(value) => self.immediate(first, value),
                None => self.source(first),
            },
        }
    }

    /// Reads the rest of a number such as `0x1:ub`, or of only `1`.
    fn immediate(&mut self, first: &Token, value: u64) -> Result<Read, Diagnostic> {
        let mut span = first.span();
        let mut bits = 32;
        if self.mark(':') {
            let at = self.next_span();
            let typed = self.next().map_or("", |token| token.text);
            span.end = at.end;
            bits = bits_of(typed).ok_or_else(|| {
                let message = format!("`{}` is not an integer type", shown(typed).escape_debug());
                self.wrong(at, message, "expected ub, uw or another integer type of at most 32 bits")
            })?;
        }
        match u32::try_from(value).ok().filter(|value| u64::from(*value) < 1 << bits) {
            Some(value) => Ok(Read { scalar: Scalar::Number(value), span }),
            None => {
                let message = format!("{} does not fit {bits} bits", shown(first.text));
                Err(self.wrong(span, message, "expected a number that its type can hold"))
            }
        }
    }

    /// Reads the rest of a variable such as `V32(0,0)<0;1,0>`, or of only `V32`.
    fn source(&mut self, name: &Token) -> Result<Read, Diagnostic> {
        let variable = self.header.named(name)?;
        self.element(&variable)?;
        let at = self.next_span();
        match self.between('<', '>')?.as_deref() {
            None | Some(["0" | "1", "1", "0"]) => {
                // The span extends to the start of the next operand.
                let end = self.tokens.first().map_or(self.after, |next| next.at);
                let span = name.at..end.max(name.span().end).min(self.after);
                Ok(Read { scalar: Scalar::Variable(variable), span })
            }
            Some(_) => Err(self.wrong(at, format!("{} has one element", variable.name), "expected `<0;1,0>`")),
        }
    }

    /// Reads the row and the column, `(0,0)`, if they are given.
    fn element(&mut self, variable: &Variable) -> Result<(), Diagnostic> {
        let at = self.next_span();
        match self.between('(', ')')?.as_deref() {
            None | Some(["0", "0"]) => Ok(()),
            Some(_) => Err(self.wrong(at, format!("{} has one element", variable.name), "expected `(0,0)`")),
        }
    }
}
