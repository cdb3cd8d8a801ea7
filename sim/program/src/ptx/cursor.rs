// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The position of the parser in its tokens, and constant expressions.

use super::lex::{integer, Kind, Token};
use bcu_isa::diag::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

/// Deepest nesting of parentheses and signs in a constant expression.
const MAX_DEPTH: u32 = 64;

/// A text as tokens, with the index of the present token.
pub(super) struct Cursor<'a> {
    pub source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// `#define`d constants.
    pub defines: HashMap<&'a str, i64>,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a str, tokens: Vec<Token>) -> Self {
        Cursor { source, tokens, at: 0, defines: HashMap::new() }
    }

    /// The token `ahead` tokens after the present one; past the last token, an empty token of the kind `End`.
    fn token(&self, ahead: usize) -> Token {
        let end = self.source.len() as u32;
        self.tokens.get(self.at + ahead).copied().unwrap_or(Token { kind: Kind::End, start: end, end })
    }

    /// Number of tokens consumed so far, for [`Cursor::since`].
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position that [`Cursor::position`] returned.
    pub fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// The kind of the present token.
    pub fn kind(&self) -> Kind {
        self.token(0).kind
    }

    /// The kind of the token after the present one.
    pub fn kind_after(&self) -> Kind {
        self.token(1).kind
    }

    /// The text of the present token.
    pub fn text(&self) -> &'a str {
        &self.source[self.span()]
    }

    pub fn span(&self) -> Range<usize> {
        self.token(0).start as usize..self.token(0).end as usize
    }

    /// The end of the previous token.
    pub fn last_end(&self) -> usize {
        self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.end as usize)
    }

    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len());
    }

    pub fn is(&self, punct: u8) -> bool {
        self.kind() == Kind::Punct(punct)
    }

    /// Consumes the present token if it is this punctuation mark. Returns whether it was.
    pub fn eat(&mut self, punct: u8) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the present token if it has this kind, and returns the token's text.
    pub fn take(&mut self, kind: Kind) -> Option<&'a str> {
        (self.kind() == kind).then(|| {
            let text = self.text();
            self.advance();
            text
        })
    }

    /// The diagnostic for the present token: "found …, expected …".
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.kind() {
            Kind::End => "the text ends".to_string(),
            Kind::EndOfDefine => "the line ends".to_string(),
            Kind::Directive => "a `bcu:` comment is inside a statement".to_string(),
            _ => format!("found `{}`", self.text()),
        };
        Diagnostic::new(self.span(), format!("{found}, expected {expected}"), format!("expected {expected}"))
    }

    /// Consumes this punctuation mark; an error if the present token is a different one.
    pub fn expect(&mut self, punct: u8, expected: &str) -> Result<(), Diagnostic> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.unexpected(expected))
    }

    /// Consumes a name and returns it with its span; an error if the present token is no name.
    pub fn name(&mut self, expected: &str) -> Result<(&'a str, Range<usize>), Diagnostic> {
        let span = self.span();
        self.take(Kind::Name).map(|name| (name, span)).ok_or_else(|| self.unexpected(expected))
    }

    /// The text of the tokens from index `first` up to the token before the present one, with single blanks and without comments.
    pub fn since(&self, first: usize) -> String {
        let mut text = String::new();
        let mut end = None;
        for token in self.tokens.get(first..self.at).unwrap_or_default() {
            if end.is_some_and(|end| end < token.start) {
                text.push(' ');
            }
            text.push_str(&self.source[token.start as usize..token.end as usize]);
            end = Some(token.end);
        }
        text
    }

    /// Whether a line ends between the previous token and the present one.
    pub fn on_new_line(&self) -> bool {
        self.source.get(self.last_end()..self.span().start).is_some_and(|gap| gap.contains('\n'))
    }

    /// Skips from an opening bracket, the present token, to the token after the bracket that closes it.
    pub fn skip_balanced(&mut self) -> Result<(), Diagnostic> {
        let open = self.span();
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::Punct(b'(' | b'[' | b'{') => depth += 1,
                Kind::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Kind::End => {
                    return Err(Diagnostic::new(open, "a bracket is not closed", "expected the closing bracket after this"))
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Continues after the next `;` outside brackets, or before a `}` that closes the enclosing block.
    pub fn skip_statement(&mut self) -> Result<(), Diagnostic> {
        loop {
            match self.kind() {
                Kind::Punct(b';') => {
                    self.advance();
                    return Ok(());
                }
                Kind::Punct(b'(' | b'[' | b'{') => self.skip_balanced()?,
                Kind::Punct(b'}') | Kind::End => return Ok(()),
                _ => self.advance(),
            }
        }
    }

    /// Whether a constant expression starts with the present token.
    pub fn at_constant(&self) -> bool {
        match self.kind() {
            Kind::Int | Kind::Punct(b'(' | b'-' | b'+' | b'~') => true,
            Kind::Name => self.text() == "WARP_SZ" || self.defines.contains_key(self.text()),
            _ => false,
        }
    }

    /// A constant expression: literals, defines, `WARP_SZ`, and the operators `| ^ & << >> + - * / % ~` of C, in 64 bits.
    pub fn constant(&mut self) -> Result<i64, Diagnostic> {
        self.binary(0, 0)
    }

    /// The operator that starts with the present token, its length in tokens, and its precedence; higher values bind tighter.
    fn operator(&self) -> Option<(u8, usize, u32)> {
        let Kind::Punct(first) = self.kind() else { return None };
        let doubled = self.kind_after() == Kind::Punct(first);
        Some(match first {
            b'|' => (first, 1, 0),
            b'^' => (first, 1, 1),
            b'&' => (first, 1, 2),
            b'<' | b'>' if doubled => (first, 2, 3),
            b'+' | b'-' => (first, 1, 4),
            b'*' | b'/' | b'%' => (first, 1, 5),
            _ => return None,
        })
    }

    fn binary(&mut self, least: u32, depth: u32) -> Result<i64, Diagnostic> {
        let start = self.span().start;
        let mut value_so_far = self.unary(depth)?;
        while let Some((operator, length, rank)) = self.operator().filter(|o| o.2 >= least) {
            for _ in 0..length {
                self.advance();
            }
            let right = self.binary(rank + 1, depth + 1)?;
            let value = match operator {
                b'|' => Some(value_so_far | right),
                b'^' => Some(value_so_far ^ right),
                b'&' => Some(value_so_far & right),
                b'<' => u32::try_from(right).ok().and_then(|by| value_so_far.checked_shl(by)),
                b'>' => u32::try_from(right).ok().and_then(|by| value_so_far.checked_shr(by)),
                b'+' => value_so_far.checked_add(right),
                b'-' => value_so_far.checked_sub(right),
                b'*' => value_so_far.checked_mul(right),
                b'/' => value_so_far.checked_div(right),
                _ => value_so_far.checked_rem(right),
            };
            value_so_far = value.ok_or_else(|| {
                let span = start..self.last_end();
                Diagnostic::new(span, "this constant has no value in 64 bits", "overflows, divides by zero or shifts too far")
            })?;
        }
        Ok(value_so_far)
    }

    fn unary(&mut self, depth: u32) -> Result<i64, Diagnostic> {
        if depth > MAX_DEPTH {
            let message = format!("this constant nests deeper than {MAX_DEPTH} levels");
            return Err(Diagnostic::new(self.span(), message, "expected a simpler expression"));
        }
        match self.kind() {
            Kind::Punct(b'-') => {
                self.advance();
                Ok(self.unary(depth + 1)?.wrapping_neg())
            }
            Kind::Punct(b'+') => {
                self.advance();
                self.unary(depth + 1)
            }
            Kind::Punct(b'~') => {
                self.advance();
                Ok(!self.unary(depth + 1)?)
            }
            Kind::Punct(b'(') => {
                self.advance();
                let value = self.binary(0, depth + 1)?;
                self.expect(b')', "`)`")?;
                Ok(value)
            }
            Kind::Int => {
                let value = integer(self.text()).unwrap_or(0) as i64;
                self.advance();
                Ok(value)
            }
            Kind::Name if self.text() == "WARP_SZ" => {
                self.advance();
                Ok(WARP_SIZE)
            }
            Kind::Name if self.defines.contains_key(self.text()) => {
                let value = self.defines.get(self.text()).copied().unwrap_or(0);
                self.advance();
                Ok(value)
            }
            _ => Err(self.unexpected("a constant")),
        }
    }
}

/// `WARP_SZ` of every PTX target.
const WARP_SIZE: i64 = 32;

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;

    fn value(source: &str) -> Result<i64, Diagnostic> {
        Cursor::new(source, lex(source).unwrap()).constant()
    }

    #[test]
    fn constants_follow_the_ranks_of_c() {
        for (source, expected) in [
            ("8*12", 96),
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("-4 - -6", 2),
            ("1<<6|1", 65),
            ("~0&0xff", 255),
            ("WARP_SZ*2", 64),
            ("96/32%2", 1),
        ] {
            assert_eq!(value(source), Ok(expected), "{source}");
        }
    }

    #[test]
    fn constants_without_a_value_are_told() {
        for source in ["1/0", "1<<64", "1<<-1", "9223372036854775807+1"] {
            assert_eq!(value(source).unwrap_err().message, "this constant has no value in 64 bits", "{source}");
        }
        assert!(value(&"(".repeat(5000)).unwrap_err().message.contains("nests deeper"));
        assert!(value(&"-".repeat(5000)).unwrap_err().message.contains("nests deeper"));
        assert_eq!(value("1+").unwrap_err().message, "the text ends, expected a constant");
    }
}
