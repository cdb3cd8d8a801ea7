// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operators of exported Verilog: logical ones for single bits and bitwise ones for vectors.

use crate::every_file::every_file;
use bcu_hw::export::set::is_design;
use bcu_hw::export::Dialect;
use std::collections::HashMap;

#[test]
fn single_bits_have_logical_operators_and_vectors_bitwise_ones() {
    let mut read = 0;
    // The SystemVerilog has the same expressions.
    every_file(|config, dialect, name, text| {
        // Benches and checkers are written by hand.
        if dialect == Dialect::Verilog2005 && name.strip_suffix(".v").is_some_and(is_design) {
            let (found, checked) = operators(text);
            read += checked;
            assert!(found.is_empty(), "{}/{name}: {found:#?}", config.name);
        }
    });
    assert!(read > 10_000, "only {read} operators have operands of a known width");
    let planted =
        |line: &str| operators(&format!("module m (input wire a, input wire [3:0] v, output wire y);\n{line}\nendmodule\n")).0;
    for wrong in [
        "assign y = a & v[2];",
        "assign y = (v == 4'd3) | (a && a);",
        "assign y = !v & a;",
        "assign y = ~a;",
        "assign y = v && a;",
        "assign y = a || (v & 4'd1);",
        "assign y = (|v) & (a ? v[0] : v[1]);",
    ] {
        assert!(!planted(wrong).is_empty(), "{wrong}");
    }
    for right in [
        "wire [3:0] z = v & {4{a}}; assign y = (|z) && a;",
        "assign y = !a && (v[2:1] == 2'd1);",
        "assign y = v == 4'd3 && v != 4'd5;",
        "assign y = |(v & 4'd3);",
        "assign y = &v;",
        "wire [1:0] w = v[1:0] | {a, a}; assign y = w[a];",
    ] {
        assert_eq!(planted(right), Vec::<String>::new(), "{right}");
    }
}

/// Operators of comparisons, without `<=`, which also assigns.
const COMPARISONS: [&str; 7] = ["==", "!=", "===", "!==", "<", ">", ">="];

/// A word, number or operator of Verilog.
fn tokens(text: &str) -> Vec<String> {
    const LONG: [&str; 13] = ["===", "!==", "<<<", ">>>", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+:"];
    let mut found = vec![];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '\'');
        let length = if rest.starts_with("//") || c == '`' && starts_line(text, rest) {
            // A directive of the preprocessor may continue on the next line.
            let mut end = 0;
            loop {
                end += rest[end..].find('\n').map_or(rest.len() - end, |at| at + 1);
                if c != '`' || !rest[..end].trim_end().ends_with('\\') {
                    break end;
                }
            }
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if c == '"' {
            rest[1..].find('"').map_or(rest.len(), |at| at + 2)
        } else if c.is_whitespace() {
            c.len_utf8()
        } else {
            let length = match LONG.iter().find(|operator| rest.starts_with(**operator)) {
                Some(operator) => operator.len(),
                None if word(c) || c == '`' => 1 + rest[1..].find(|c| !word(c)).unwrap_or(rest.len() - 1),
                None => c.len_utf8(),
            };
            found.push(rest[..length].to_string());
            length
        };
        rest = &rest[length..];
    }
    found
}

/// Whether `rest`, the end of `text`, is a directive: the first text of its line, other than the use of a macro for a rule.
fn starts_line(text: &str, rest: &str) -> bool {
    let before = &text[..text.len() - rest.len()];
    let directives = ["`define", "`ifdef", "`ifndef", "`else", "`elsif", "`endif", "`include", "`default_nettype"];
    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) && directives.iter().any(|d| rest.starts_with(d))
}

/// The operators with operands of the wrong width, with the text around them; and the number of operators that were checked.
fn operators(text: &str) -> (Vec<String>, usize) {
    let tokens = tokens(text);
    let (mut wrong, mut checked) = (vec![], 0);
    for module in tokens.split(|token| token == "endmodule") {
        let reader = Reader { tokens: module, widths: widths(module) };
        for at in 1..module.len() {
            let ends_value = |token: &str| {
                token.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '`')
                    || [")", "]", "}"].contains(&token)
            };
            let binary = ends_value(&module[at - 1]);
            let widths = match module[at].as_str() {
                "&" | "|" if binary => (reader.before(at), reader.after(at + 1)),
                "&&" | "||" => (reader.before(at), reader.after(at + 1)),
                "!" | "~" => (Some(1), reader.after(at + 1)),
                _ => continue,
            };
            let is_bit = |width: Option<usize>| width == Some(1);
            let is_vector = |width: Option<usize>| width.is_some_and(|width| width > 1);
            let is_wrong = match module[at].as_str() {
                "&" | "|" | "~" => is_bit(widths.0) && is_bit(widths.1),
                _ => is_vector(widths.0) || is_vector(widths.1),
            };
            checked += usize::from(widths.0.is_some() && widths.1.is_some());
            if is_wrong {
                wrong.push(module[at.saturating_sub(12)..(at + 12).min(module.len())].join(" "));
            }
        }
    }
    (wrong, checked)
}

/// The width of every declared name; a memory has none.
fn widths(module: &[String]) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    let kinds = ["wire", "reg", "logic", "input", "output", "localparam", "parameter", "signed"];
    for at in 0..module.len() {
        if !kinds.contains(&module[at].as_str()) {
            continue;
        }
        let mut next = at + 1;
        let mut width = Some(1);
        if module.get(next).is_some_and(|token| token == "[") {
            let close = next + module[next..].iter().position(|token| token == "]").unwrap_or(0);
            width = range(&module[next + 1..close]);
            next = close + 1;
        }
        while let (Some(name), Some(width)) = (module.get(next), width) {
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !kinds.contains(&name.as_str());
            let follows = module.get(next + 1).map(String::as_str);
            // An unsized parameter has 32 bits, or more.
            let sized = !["parameter", "localparam"].contains(&module[at].as_str()) || width > 1;
            if is_name && follows != Some("[") && sized {
                found.insert(name.as_str(), width);
            }
            if !is_name || follows != Some(",") {
                break;
            }
            next += 2;
        }
    }
    found
}

/// The number of bits of a range: `7 : 0`, `x +: 4`. `None`: it is computed.
fn range(tokens: &[String]) -> Option<usize> {
    let number = |at: usize| tokens.get(at)?.parse::<usize>().ok();
    match tokens.iter().position(|token| token == "+:" || token == ":")? {
        at if tokens[at] == "+:" => number(at + 1).filter(|_| tokens.len() == at + 2),
        1 if tokens.len() == 3 => Some(number(0)? + 1 - number(2)?),
        _ => None,
    }
}

struct Reader<'a> {
    tokens: &'a [String],
    widths: HashMap<&'a str, usize>,
}

impl Reader<'_> {
    fn is(&self, at: usize, token: &str) -> bool {
        self.tokens.get(at).is_some_and(|found| found == token)
    }

    /// The index of the bracket that closes the one at `at`.
    fn close(&self, at: usize) -> usize {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            depth += i32::from(["(", "[", "{"].contains(&token.as_str()));
            depth -= i32::from([")", "]", "}"].contains(&token.as_str()));
            if depth == 0 {
                return index;
            }
        }
        self.tokens.len() - 1
    }

    /// The index of the bracket that opens the one at `at`.
    fn open(&self, at: usize) -> usize {
        let mut depth = 0;
        for index in (0..=at).rev() {
            let token = self.tokens[index].as_str();
            depth += i32::from([")", "]", "}"].contains(&token));
            depth -= i32::from(["(", "[", "{"].contains(&token));
            if depth == 0 {
                return index;
            }
        }
        0
    }

    /// The width of the operand that ends before `at`; a comparison without parentheses is one operand.
    fn before(&self, at: usize) -> Option<usize> {
        let mut start = at - 1;
        while self.is(start, "]") {
            start = self.open(start).checked_sub(1)?;
        }
        if [")", "}"].iter().any(|close| self.is(start, close)) {
            start = self.open(start);
        }
        // Operators of one operand, which have no value before them.
        while start > 0 && ["!", "~", "&", "|", "^"].iter().any(|operator| self.is(start - 1, operator)) {
            let value = start.checked_sub(2).is_some_and(|at| {
                let token = &self.tokens[at];
                token.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') || [")", "]", "}"].contains(&token.as_str())
            });
            if value {
                break;
            }
            start -= 1;
        }
        let compared = start.checked_sub(1).is_some_and(|at| COMPARISONS.contains(&self.tokens[at].as_str()));
        if compared {
            Some(1)
        } else {
            self.operand(start).map(|(width, _)| width)
        }
    }

    /// The width of the operand that begins at `at`; a comparison without parentheses is one operand.
    fn after(&self, at: usize) -> Option<usize> {
        let (width, next) = self.operand(at)?;
        // A value after an operator is not assigned, so `<=` compares it.
        let compared = self.tokens.get(next).is_some_and(|token| token == "<=" || COMPARISONS.contains(&token.as_str()));
        if compared {
            Some(1)
        } else {
            Some(width)
        }
    }

    /// The width of the operand that begins at `at`, and the index after it.
    fn operand(&self, at: usize) -> Option<(usize, usize)> {
        let token = self.tokens.get(at)?.as_str();
        match token {
            "!" => Some((1, at + 1)),
            "&" | "|" | "^" => Some((1, self.operand(at + 1)?.1)),
            "~" | "-" => self.operand(at + 1),
            "(" => Some((self.expression(at + 1, self.close(at))?, self.close(at) + 1)),
            "{" => {
                let end = self.close(at);
                // One part is as wide as itself; the width of several parts does not matter.
                let first = self.operand(at + 1);
                match first {
                    Some((width, next)) if next == end => Some((width, end + 1)),
                    _ => Some((2, end + 1)),
                }
            }
            _ if token.contains('\'') => Some((token.split('\'').next()?.parse().ok()?, at + 1)),
            _ => {
                let width = *self.widths.get(token)?;
                if !self.is(at + 1, "[") {
                    return Some((width, at + 1));
                }
                let end = self.close(at + 1);
                let inner = &self.tokens[at + 2..end];
                let is_range = inner.iter().any(|token| token == ":" || token == "+:");
                let width = if is_range { range(inner)? } else { 1 };
                Some((width, end + 1)).filter(|_| !self.is(end + 1, "["))
            }
        }
    }

    /// The width of the expression from `at` up to `end`.
    fn expression(&self, at: usize, end: usize) -> Option<usize> {
        let (mut index, mut choice) = (at, None);
        while index < end {
            match self.tokens[index].as_str() {
                "(" | "[" | "{" => index = self.close(index),
                "?" => choice = Some(index),
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" | "===" | "!==" if choice.is_none() => {
                    let rest = &self.tokens[index..end];
                    if !rest.iter().any(|token| token == "?") {
                        return Some(1);
                    }
                }
                _ => {}
            }
            index += 1;
        }
        match choice {
            Some(choice) => self.operand(choice + 1).map(|(width, _)| width),
            None => self.operand(at).map(|(width, _)| width),
        }
    }
}
