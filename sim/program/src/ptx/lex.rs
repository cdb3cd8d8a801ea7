// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lexer of PTX text. Comments are dropped, except `// bcu: ...`, which the parser reads as a directive.

use bcu_isa::diag::Diagnostic;

/// Largest accepted text, in bytes; a compiled kernel has some hundred thousand.
pub const MAX_SOURCE: usize = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `bar`, `%r1`, `$L__BB0_2`.
    Name,
    /// `.sync`, `.shared::cta`, with its dot.
    Dotted,
    /// `12`, `0x7f`, `64U`.
    Int,
    /// `9.5`, `0f3F800000`.
    Float,
    Str,
    Punct(u8),
    /// `...`, code left out of a fragment.
    Ellipsis,
    /// `#define`; its line ends with [`Kind::EndOfDefine`].
    Define,
    EndOfDefine,
    /// The text after `// bcu:`.
    Directive,
    End,
}

/// A token; its text is `source[start..end]`. Tokens are small, because a text may contain millions of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// All tokens of `source`; the last is [`Kind::End`].
pub(super) fn lex(source: &str) -> Result<Vec<Token>, Diagnostic> {
    if source.len() > MAX_SOURCE {
        let message = format!("the PTX text has {} bytes, the limit is {MAX_SOURCE}", source.len());
        return Err(Diagnostic::new(0..0, message, "expected a smaller file").help("keep only the kernels that are to run"));
    }
    // NVRTC and NVIDIA Warp write the NUL that ends a string of C, too.
    let source = source.trim_end_matches(|c: char| c == '\0' || c.is_ascii_whitespace());
    let mut lexer = Lexer { source, bytes: source.as_bytes(), at: 0, in_define: false, tokens: Vec::new() };
    while lexer.read_token()? {}
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    in_define: bool,
    tokens: Vec<Token>,
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    /// Reads one token, or white space or a comment between tokens. Returns false at the end of the text, after adding the token `End`.
    fn read_token(&mut self) -> Result<bool, Diagnostic> {
        let start = self.at;
        if start >= self.bytes.len() || (self.in_define && self.byte(0) == b'\n') {
            if self.in_define {
                self.in_define = false;
                self.push(Kind::EndOfDefine, start);
                return Ok(true);
            }
            self.push(Kind::End, start);
            return Ok(false);
        }
        match self.byte(0) {
            byte if byte.is_ascii_whitespace() => self.at += 1,
            b'/' if self.byte(1) == b'/' => self.line_comment(),
            b'/' if self.byte(1) == b'*' => {
                let Some(length) = self.source[start + 2..].find("*/") else {
                    return Err(Diagnostic::new(start..start + 2, "a comment is not closed", "expected `*/` after this"));
                };
                self.at = start + 2 + length + 2;
            }
            b'"' => self.string()?,
            b'#' => {
                if !self.source[start..].starts_with("#define") {
                    return Err(Diagnostic::new(start..start + 1, "a preprocessor line", "expected `#define NAME CONSTANT`")
                        .help("only `#define` of constants is supported; run the preprocessor on the text first"));
                }
                self.at += "#define".len();
                self.in_define = true;
                self.push(Kind::Define, start);
            }
            b'.' if self.source[start..].starts_with("...") => {
                self.at += 3;
                self.push(Kind::Ellipsis, start);
            }
            b'.' if in_name(self.byte(1)) => {
                self.at += 1;
                self.skip_while(in_name);
                while self.byte(0) == b':' && self.byte(1) == b':' && in_name(self.byte(2)) {
                    self.at += 2;
                    self.skip_while(in_name);
                }
                self.push(Kind::Dotted, start);
            }
            byte if byte.is_ascii_digit() => self.number()?,
            byte if in_name(byte) || (byte == b'%' && in_name(self.byte(1)) && !self.byte(1).is_ascii_digit()) => {
                self.at += 1;
                self.skip_while(in_name);
                self.push(Kind::Name, start);
            }
            byte if b",;:[]{}()@!|+-*/%&^~<>=?".contains(&byte) => {
                self.at += 1;
                self.push(Kind::Punct(byte), start);
            }
            _ => {
                let found = self.source[start..].chars().next().unwrap_or(' ');
                let message = format!("{found:?} has no meaning in PTX");
                return Err(Diagnostic::new(start..start + found.len_utf8(), message, "expected PTX text")
                    .help("is this a PTX file, and not a cubin or another binary?"));
            }
        }
        Ok(true)
    }

    fn line_comment(&mut self) {
        let end = self.source[self.at..].find('\n').map_or(self.source.len(), |length| self.at + length);
        let comment = &self.source[self.at + 2..end];
        if let Some(directive) = comment.trim_start().strip_prefix("bcu:") {
            let start = end - directive.len();
            self.at = end;
            self.push(Kind::Directive, start);
        }
        self.at = end;
    }

    fn string(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.byte(0) {
                b'\\' if self.byte(1) != b'\n' => self.at += 2,
                b'"' => break,
                _ if self.at >= self.bytes.len() || self.byte(0) == b'\n' => {
                    return Err(Diagnostic::new(
                        start..start + 1,
                        "a string is not closed on its line",
                        "expected `\"` after this",
                    ));
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.push(Kind::Str, start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        let exact = matches!(self.byte(1), b'f' | b'F' | b'd' | b'D') && self.byte(0) == b'0';
        let mut kind = if exact { Kind::Float } else { Kind::Int };
        self.skip_while(|byte| byte.is_ascii_alphanumeric());
        if kind == Kind::Int && self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            kind = Kind::Float;
            self.at += 1;
            self.skip_while(|byte| byte.is_ascii_alphanumeric());
            // The sign of an exponent belongs to the number.
            let in_exponent = matches!(self.bytes[self.at - 1], b'e' | b'E') && matches!(self.byte(0), b'+' | b'-');
            if in_exponent && self.byte(1).is_ascii_digit() {
                self.at += 1;
                self.skip_while(|byte| byte.is_ascii_alphanumeric());
            }
        }
        let text = &self.source[start..self.at];
        let good = match kind {
            Kind::Int => integer(text).is_some(),
            _ if exact => {
                let digits = if matches!(text.as_bytes()[1], b'f' | b'F') { 8 } else { 16 };
                text.len() == 2 + digits && u64::from_str_radix(&text[2..], 16).is_ok()
            }
            _ => text.parse::<f64>().is_ok(),
        };
        if !good {
            let message = format!("`{text}` is not a number");
            return Err(Diagnostic::new(
                start..self.at,
                message,
                "expected a number of at most 64 bits, like 12, 0x40 or 0f3F800000",
            ));
        }
        self.push(kind, start);
        Ok(())
    }
}

/// The value of an integer literal: decimal, `0x`, `0b` or octal with a leading 0, with or without `U`.
pub(super) fn integer(text: &str) -> Option<u64> {
    let digits = text.strip_suffix(['u', 'U']).unwrap_or(text);
    match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => u64::from_str_radix(&digits[2..], 16).ok(),
        [b'0', b'b' | b'B', ..] => u64::from_str_radix(&digits[2..], 2).ok(),
        [b'0', _, ..] => u64::from_str_radix(digits, 8).ok(),
        _ => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<(Kind, &str)> {
        lex(source).unwrap().iter().map(|t| (t.kind, &source[t.start as usize..t.end as usize])).collect()
    }

    #[test]
    fn names_modifiers_and_numbers() {
        let expected = [
            (Kind::Punct(b'@'), "@"),
            (Kind::Name, "%p1"),
            (Kind::Name, "cp"),
            (Kind::Dotted, ".async"),
            (Kind::Dotted, ".shared::cta"),
            (Kind::Name, "$L__BB0_2"),
            (Kind::Int, "0x40"),
            (Kind::Float, "0f3F800000"),
            (Kind::Float, "9.5"),
            (Kind::Ellipsis, "..."),
            (Kind::End, ""),
        ];
        assert_eq!(kinds("@%p1 cp.async.shared::cta /* x */ $L__BB0_2 0x40 0f3F800000 9.5 ... // end"), expected);
    }

    #[test]
    fn only_bcu_comments_survive_and_defines_end_with_their_line() {
        assert_eq!(kinds("// bcu: threads 64\n")[0], (Kind::Directive, " threads 64"));
        let kinds: Vec<Kind> = kinds("#define N 8 // eight\nbar").into_iter().map(|k| k.0).collect();
        assert_eq!(kinds, [Kind::Define, Kind::Name, Kind::Int, Kind::EndOfDefine, Kind::Name, Kind::End]);
    }

    #[test]
    fn integers_of_every_base() {
        assert_eq!(["12", "64U", "0x1F", "0b101", "017"].map(integer), [Some(12), Some(64), Some(31), Some(5), Some(15)]);
        assert_eq!([integer("08"), integer("0x"), integer("18446744073709551616")], [None; 3]);
    }

    #[test]
    fn broken_text_is_told_with_its_place() {
        for (source, at, message) in [
            ("bar /* x", 4, "a comment is not closed"),
            (".file 1 \"a\n", 8, "a string is not closed on its line"),
            ("bar.sync 12q;", 9, "`12q` is not a number"),
            ("#include <x>", 0, "a preprocessor line"),
            ("ret;\u{7f}", 4, "'\\u{7f}' has no meaning in PTX"),
        ] {
            let found = lex(source).unwrap_err();
            assert_eq!((found.span.start, found.message.as_str()), (at, message));
        }
        assert!(lex(&" ".repeat(MAX_SOURCE + 1)).unwrap_err().message.contains("the limit is"));
    }
}
