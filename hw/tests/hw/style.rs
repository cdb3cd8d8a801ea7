// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The style of exported Verilog: the length of lines, logical operators for single bits and bitwise operators for vectors, and port texts
//! that are about their own unit.

use bcu_hw::export::set::is_design;
use bcu_hw::export::{files, files_with, Dialect, Style};
use bcu_hw::verilog::{PREFIX, WIDTH};
use bcu_hw::{catalog, config};
use bcu_isa::config::Config;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The Verilog files of all configurations, in both languages.
fn every_file(mut check: impl FnMut(&Config, Dialect, &str, &str)) {
    let mut count = 0;
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        for dialect in [Dialect::Verilog2005, Dialect::SystemVerilog] {
            for (name, text) in
                files_with(&config, catalog::outermost(&config), PREFIX, Style { dialect, ..Style::default() }).unwrap()
            {
                if [".v", ".sv", ".vh"].iter().any(|end| name.ends_with(end)) {
                    check(&config, dialect, &name, &text);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "only {count} files");
}

/// The lines that are too long, with their numbers.
fn long_lines(text: &str) -> Vec<(usize, &str)> {
    text.lines().enumerate().filter(|(_, line)| line.chars().count() > WIDTH).map(|(at, line)| (at + 1, line)).collect()
}

#[test]
fn no_line_is_longer_than_the_limit() {
    every_file(|config, _, name, text| {
        let long = long_lines(text);
        assert!(long.is_empty(), "{}/{name}: {long:#?}", config.name);
    });
    let planted = format!("module m (\n  input wire x  // {}\n);\n", "y".repeat(WIDTH));
    assert_eq!(long_lines(&planted).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [2]);
}

/// The Verilog that is written by hand: a file, or the files of a folder with the end after `*`.
const BY_HAND: [&str; 8] = [
    "verilog-out/common/*.v",
    "examples/integration/amaranth/*.v",
    "examples/integration/simt/*.v",
    "examples/integration/simt/*.vh",
    "examples/integration/soft/*.v",
    "xtask/designs/*.v",
    "hw/src/export/*.v",
    "tb/proofs/bcu_phase.sv",
];

/// The files of a pattern of `BY_HAND`.
fn files_of(pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(pattern);
    let name = path.file_name().unwrap().to_str().unwrap();
    let Some(end) = name.strip_prefix('*') else { return vec![path.clone()] };
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|file| file.file_name().unwrap().to_str().unwrap().ends_with(end)).collect()
}

#[test]
fn no_line_written_by_hand_is_longer_than_the_limit() {
    let mut found = vec![];
    for pattern in BY_HAND {
        let files = files_of(pattern);
        assert!(!files.is_empty(), "no file is {pattern}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let length = |line: &str| line.chars().count();
            found.extend(
                long_lines(&text).iter().map(|(at, line)| format!("{}:{at}: {} columns", file.display(), length(line))),
            );
        }
    }
    assert!(found.is_empty(), "longer than {WIDTH} columns:\n{}", found.join("\n"));
}

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

/// The words of features, and whether the export of a configuration has them in a file of the unit.
fn absent_words(unit: &str, config: &Config) -> Vec<&'static str> {
    let of_barriers = ["bcu_named", "bcu_gateway"].contains(&unit);
    let mut words = vec![];
    let mut absent = |condition: bool, of_feature: &[&'static str]| {
        if condition {
            words.extend(of_feature);
        }
    };
    absent(!config.has_mbarrier() || of_barriers, &["mbarrier", "Mbarrier"]);
    absent(!config.has_gateway(), &["`gateway`", "gateway:", "Intel"]);
    absent(!config.has_named(), &["`named`", "Reduce:", "reduction:", "state word", "Write:"]);
    absent(!config.reductions, &["Reduce:", "executing lanes whose predicate"]);
    absent(config.lose_faults, &["no fault is lost"]);
    words
}

#[test]
fn port_texts_name_only_what_the_unit_has() {
    let mut texts = 0;
    let mut check = |config: &Config, unit: &str, doc: &str| {
        texts += 1;
        let found: Vec<_> = absent_words(unit, config).into_iter().filter(|word| doc.contains(word)).collect();
        assert!(doc.ends_with("are not built.") || found.is_empty(), "{}, {unit}: {found:?} in `{doc}`", config.name);
        for size in ["BARRIERS", "CLUSTER_SIZE", " 0 to 16", " 0 to 32"] {
            assert!(!doc.contains(size), "{}, {unit}: `{size}` is not a size of this export: {doc}", config.name);
        }
        doc.to_string()
    };
    let mut all: HashMap<(String, String, String), String> = HashMap::new();
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        let files = files(&config, catalog::outermost(&config), PREFIX).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
        for unit in manifest["units"].as_array().unwrap() {
            let module = unit["module"].as_str().unwrap();
            for port in unit["ports"].as_array().unwrap() {
                let doc = check(&config, module, port["doc"].as_str().unwrap());
                all.insert((config.name.clone(), module.to_string(), port["name"].as_str().unwrap().to_string()), doc);
            }
        }
    }
    assert!(texts > 1_000, "only {texts} texts");
    let doc = |config: &str, unit: &str, port: &str| all[&(config.to_string(), unit.to_string(), port.to_string())].as_str();
    assert_eq!(doc("small", "bcu_named", "op_data"), "Write: the state word.");
    assert_eq!(doc("small", "bcu_mem_order", "op_data"), "Write: the state word; mbarrier: the shared address.");
    assert_eq!(doc("intel", "bcu_mem_order", "op_data"), "Gateway: the message, whose bit 13 is 1 for a wait.");
    let barriers = "Launch: number of barriers declared; a number above 8 counts as 8.";
    assert_eq!(doc("small", "bcu_named", "op_barriers"), barriers);
    assert_eq!(doc("small", "bcu_named", "lost_faults"), "Always 0: no fault is lost in this configuration.");
    assert_eq!(doc("warp8_bare", "bcu_named", "op_redop"), "Unused: reductions are not built.");
}
