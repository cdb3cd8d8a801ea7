// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A diagnostic about a source text: the place, what was expected, what to do.
//!
//! Every parser of the project (configurations, machines, scenarios, BCU assembly, PTX) reports with this one type. A diagnostic holds byte
//! positions only; the caller, which has the file name, renders it with line, column and a marked excerpt.

use std::ops::Range;

/// One error or warning about one place of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte range in the source text, never past its end.
    pub span: Range<usize>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What was expected at the marked place, in a few words: "expected a barrier id, 0 to 15".
    pub label: String,
    /// What to do about it, if known.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into(), label: label.into(), help: None }
    }

    /// An error of the TOML reader with its place. A place past the end (an unfinished text) is moved to the end.
    pub fn of_toml(error: &toml::de::Error, text: &str) -> Diagnostic {
        let span: Range<usize> = error.span().unwrap_or(0..text.len());
        let span = span.start.min(text.len())..span.end.min(text.len());
        let said = error.message().trim_end_matches('.').replace('\n', ", ");
        if let Some(key) = said.strip_prefix("missing field ") {
            // A missing key is reported at the end of its table, where it can be written. The TOML reader gives no end for the top-level
            // table, only its start.
            let table = if span.is_empty() { 0..text.len() } else { span };
            let end = table.start + text[table.clone()].trim_end().len();
            return Diagnostic::new(end..end, format!("the key {key} is missing"), format!("expected {key}"));
        }
        let value = ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|head| said.strip_prefix(head));
        match value.and_then(|rest| rest.rsplit_once(", expected ")) {
            Some((found, expected)) => {
                let message = format!("{} is not valid here", found_as(found));
                Diagnostic::new(span, message, format!("expected {}", expected_as(expected)))
            }
            None if said.starts_with("cannot recurse") => {
                let message = "lists and tables nest too deeply here".to_string();
                Diagnostic::new(span, message, "expected fewer `[` or `{` around this")
            }
            None => {
                let label = if said.starts_with("unknown field") { "remove this key, or correct its name" } else { "here" };
                Diagnostic::new(span, said, label)
            }
        }
    }

    /// One line for a text that is printed without an excerpt: the file with line and column, what is wrong, and what was expected.
    pub fn at(&self, file: &str, source: &str) -> String {
        let (line, column) = self.position(source);
        format!("{file}:{line}:{column}: {} ({})", self.message, self.label)
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Line and column of the start, both from 1; the column counts characters.
    pub fn position(&self, source: &str) -> (usize, usize) {
        let start = self.span.start.min(source.len());
        let before = source.get(..start).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// A value in TOML notation, from serde's description of it.
fn found_as(found: &str) -> String {
    let quoted = |kind: &str| found.strip_prefix(kind).map(|value| format!("`{}`", value.trim_matches('`')));
    let value = ["integer ", "floating point ", "boolean ", "string "].iter().find_map(|kind| quoted(kind));
    match (value, found) {
        (Some(value), _) => value,
        (None, "sequence") => "a list".to_string(),
        (None, "map") => "a table".to_string(),
        (None, length) if length.bytes().all(|b| b.is_ascii_digit()) => format!("a list of {length} values"),
        (None, other) => other.to_string(),
    }
}

/// The expected value in words, from serde's name of a Rust type.
fn expected_as(expected: &str) -> String {
    let whole = |bits: u32| format!("a whole number from 0 to {}", u64::MAX >> (64 - bits));
    match expected {
        "u8" => whole(8),
        "u16" => whole(16),
        "u32" => whole(32),
        "u64" | "usize" => "a whole number, 0 or more".to_string(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_string(),
        "f32" | "f64" => "a number".to_string(),
        "a boolean" => "true or false".to_string(),
        "a string" => "a text in quotes".to_string(),
        "a sequence" => "a list in brackets".to_string(),
        "a map" => "a table".to_string(),
        other => match other.strip_prefix("a nonzero ") {
            Some("u8" | "u16" | "u32" | "u64" | "usize") => "a whole number, 1 or more".to_string(),
            _ => other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_about_toml_speak_its_language() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            block: Vec<u32>,
            count: std::num::NonZeroU32,
            #[serde(default)]
            on: bool,
        }
        let right = File { block: vec![1], count: std::num::NonZeroU32::MIN, on: true };
        assert_eq!(toml::from_str::<File>("block = [1]\ncount = 1\non = true").unwrap(), right);
        let said = |text: &str| {
            let Diagnostic { span, message, label, .. } = Diagnostic::of_toml(&toml::from_str::<File>(text).unwrap_err(), text);
            format!("[{}] {message}: {label}", &text[span])
        };
        assert_eq!(
            said("block = [-1]\ncount = 1"),
            "[-1] `-1` is not valid here: expected a whole number from 0 to 4294967295"
        );
        assert_eq!(
            said("block = [8.5]\ncount = 1"),
            "[8.5] `8.5` is not valid here: expected a whole number from 0 to 4294967295"
        );
        assert_eq!(said("block = 8\ncount = 1"), "[8] `8` is not valid here: expected a list in brackets");
        assert_eq!(said("block = []\ncount = 0"), "[0] `0` is not valid here: expected a whole number, 1 or more");
        assert_eq!(said("block = []\ncount = \"x\""), "[\"x\"] `\"x\"` is not valid here: expected a whole number, 1 or more");
        assert_eq!(said("block = []\ncount = 1\non = 1"), "[1] `1` is not valid here: expected true or false");
        assert_eq!(said("# licence\nblock = []\n\n"), "[] the key `count` is missing: expected `count`");
        let text = "# licence\nblock = []\n\n";
        let error = Diagnostic::of_toml(&toml::from_str::<File>(text).unwrap_err(), text);
        assert_eq!(error.position(text), (2, 11));
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = "BAR.SYNC 0x0 ;\n\u{e9}\u{e9}BAR.ARV";
        let at = source.find("BAR.ARV").unwrap();
        assert_eq!(Diagnostic::new(at..at + 3, "m", "l").position(source), (2, 3));
        assert_eq!(Diagnostic::new(9999..9999, "m", "l").position(source).0, 2);
    }
}
