// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comments and words of BCU assembly: `//` and `#` to the end of the line, `/* */` over lines, words, numbers, marks.

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

/// The text with every comment replaced by as many spaces, so that byte positions stay; line ends stay too.
/// A `/*` without its `*/` is an error.
pub fn blank_comments(text: &str) -> Result<String, Diagnostic> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['/', '#']) {
        let (code, tail) = rest.split_at(start);
        out.push_str(code);
        let length = if tail.starts_with("/*") {
            let end = tail.get(2..).and_then(|t| t.find("*/")).ok_or_else(|| {
                let at = text.len() - tail.len();
                Diagnostic::new(at..at + 2, "this comment is never closed", "opened here").help("close it with `*/`")
            })?;
            end + 4
        } else if tail.starts_with("//") || tail.starts_with('#') {
            tail.find('\n').unwrap_or(tail.len())
        } else {
            out.push('/');
            rest = &tail[1..];
            continue;
        };
        let (comment, after) = tail.split_at(length);
        out.extend(comment.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The tokens of a text without comments; white space, and the byte-order mark that some editors write, is dropped.
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

/// An unsigned number, decimal or with `0x`; `None` when it is not one. Numbers beyond 64 bits read as the largest.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_keep_every_position() {
        let text = "A/*\u{e9}\n*/B # c // d\nE / F // g";
        let blank = blank_comments(text).unwrap();
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.find('E'), text.find('E'));
        assert_eq!(blank.split_whitespace().collect::<Vec<_>>(), ["A", "B", "E", "/", "F"]);
        assert_eq!(blank.lines().count(), text.lines().count());
        assert_eq!(blank_comments("\u{e9} /*/").unwrap_err().span, 3..5);
    }

    #[test]
    fn tokens_carry_byte_positions() {
        let list = tokens("@!P0 \u{e9}BAR.SYNC,0x1");
        let parts: Vec<_> = list.iter().map(|t| (t.text, t.at)).collect();
        assert_eq!(parts, [("@", 0), ("!", 1), ("P0", 2), ("\u{e9}", 5), ("BAR.SYNC", 7), (",", 15), ("0x1", 16)]);
    }

    #[test]
    fn numbers_are_decimal_or_hex_and_never_overflow() {
        let cases = [("0", Some(0)), ("0x80", Some(128)), ("0XfF", Some(255)), ("010", Some(10))];
        cases.iter().for_each(|(text, value)| assert_eq!(number(text), *value, "{text}"));
        assert_eq!(number("99999999999999999999999"), Some(u64::MAX));
        assert!(["", "0x", "1f", "0x1g", "R1", "1.0"].iter().all(|text| number(text).is_none()));
    }
}
