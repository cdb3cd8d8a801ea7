// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lexer of BCU assembly: comments (`//` and `#` to the end of the line, `/* */` over lines), words, numbers and marks.

use crate::diag::Diagnostic;
use std::ops::Range;

/// A word, number or single character of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// Byte position of the start.
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, digits, `_`, `.`, `$`: mnemonics, registers, numbers, control words.
    Word,
    /// Any other character.
    Mark(char),
}

impl Token<'_> {
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// The text with every byte of a comment replaced by a space, except line ends, so that byte positions and lines do not change. A `/*`
/// without its `*/` is an error.
pub fn blank_comments(text: &str) -> Result<String, Diagnostic> {
    let mut out = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some(start) = remaining.find(['/', '#']) {
        let (code, tail) = remaining.split_at(start);
        out.push_str(code);
        let length = if tail.starts_with("/*") {
            let end = tail.get(2..).and_then(|t| t.find("*/")).ok_or_else(|| {
                let at = text.len() - tail.len();
                Diagnostic::new(at..at + 2, "this comment is not closed", "opened here").help("close it with `*/`")
            })?;
            end + 4
        } else if tail.starts_with("//") || tail.starts_with('#') {
            tail.find('\n').unwrap_or(tail.len())
        } else {
            out.push('/');
            remaining = &tail[1..];
            continue;
        };
        let (comment, after) = tail.split_at(length);
        out.extend(comment.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        remaining = after;
    }
    out.push_str(remaining);
    Ok(out)
}

/// The tokens of a text without comments. White space and the byte-order mark, which some editors write, are dropped.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut out = vec![];
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() || c == '\u{feff}' {
            continue;
        }
        let mut end = at + c.len_utf8();
        if is_word(c) {
            while chars.next_if(|(_, c)| is_word(*c)).is_some() {
                end += 1;
            }
        }
        let kind = if is_word(c) { TokenKind::Word } else { TokenKind::Mark(c) };
        out.push(Token { kind, text: &text[at..end], at });
    }
    out
}

/// An unsigned number, decimal or with `0x`; `None` for any other word. Numbers beyond 64 bits saturate.
pub fn number(word: &str) -> Option<u64> {
    let (digits, radix) = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (word, 10),
    };
    if digits.is_empty() || !digits.bytes().all(|b| (b as char).is_digit(radix)) {
        return None;
    }
    Some(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}
