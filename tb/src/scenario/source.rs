// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of a scenario's program in the file of the scenario.

use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// How a string of TOML begins; the longest form is the first that fits. A line break right after three quotes is not part of the string.
const QUOTES: [&str; 8] = ["\"\"\"\r\n", "'''\r\n", "\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"];

/// The text of a scenario, with its file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub file: String,
    pub text: String,
    /// The bytes of the value of `program`, with its quotes.
    program: Range<usize>,
    /// Blank text that goes before the program, so that its lines and columns are those of the file. It is empty if the lines of the two
    /// differ, because the value has escapes for line breaks.
    padding: String,
}

impl Source {
    pub fn new(file: &str, text: &str) -> Source {
        Source { file: file.to_string(), text: text.to_string(), ..Source::default() }
    }

    /// Sets the place of the program, whose value with its quotes is at `span`.
    pub fn set_program(&mut self, span: Range<usize>, program: &str) {
        let value = self.text.get(span.clone()).unwrap_or_default();
        let quotes = QUOTES.iter().find(|quotes| value.starts_with(**quotes)).map_or(0, |quotes| quotes.len());
        let has_same_lines = value[quotes..].matches('\n').count() == program.matches('\n').count();
        let before = &self.text[..span.start + quotes];
        let column = before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count();
        if has_same_lines {
            self.padding = "\n".repeat(before.matches('\n').count()) + &" ".repeat(column);
        }
        self.program = span;
    }

    /// The program with its lines where they are in the file.
    pub fn padded(&self, program: &str) -> String {
        format!("{}{program}", self.padding)
    }

    /// The number of lines before the program in the text that [`Source::padded`] returns.
    pub fn lines_before_program(&self) -> usize {
        self.padding.matches('\n').count()
    }

    /// An error of the padded program as text, with its place in the file.
    pub fn program_error(&self, error: &Diagnostic, program: &str) -> String {
        let padded = self.padded(program);
        if !self.padding.is_empty() {
            return error.at(&self.file, &padded);
        }
        let (line, _) = error.position(&padded);
        let Diagnostic { message, label, .. } = error;
        Diagnostic::new(self.program.clone(), format!("line {line} of the program: {message}"), label.clone())
            .at(&self.file, &self.text)
    }
}
