// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A complaint about a text that a user wrote: where, what was expected, what to do.
//!
//! Every parser of the project (configurations, machines, scenarios, BCU assembly, PTX) reports with this one type. A
//! diagnostic knows byte positions only; whoever owns the file's name renders it with line, column and a marked excerpt.

use std::ops::Range;

/// One complaint about one place of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte range in the source text, never past its end.
    pub span: Range<usize>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What stands at the marked place, in a few words: "expected a barrier id, 0 to 15".
    pub label: String,
    /// What to do about it, if that can be said.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into(), label: label.into(), help: None }
    }

    /// A complaint of the TOML reader with its place; a place past the end (an unfinished text) becomes the end.
    pub fn of_toml(error: &toml::de::Error, text: &str) -> Diagnostic {
        let span: Range<usize> = error.span().unwrap_or(0..text.len());
        let span = span.start.min(text.len())..span.end.min(text.len());
        let message = error.message().trim_end_matches('.').replace('\n', ", ");
        let label = if message.starts_with("unknown field") { "no such key" } else { "here" };
        Diagnostic::new(span, message, label)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = "BAR.SYNC 0x0 ;\n\u{e9}\u{e9}BAR.ARV";
        let at = source.find("BAR.ARV").unwrap();
        assert_eq!(Diagnostic::new(at..at + 3, "m", "l").position(source), (2, 3));
        assert_eq!(Diagnostic::new(9999..9999, "m", "l").position(source).0, 2);
    }
}
