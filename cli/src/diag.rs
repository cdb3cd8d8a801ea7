// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shows diagnostics with line, column and a marked excerpt of the source.

use crate::failure::{complain, Failure};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use bcu_hw::diag::Diagnostic;
use std::io::IsTerminal;

/// Longest line of an excerpt; a longer one is cut around the marked place.
const EXCERPT_BYTES: usize = 200;

/// A source text with the name that messages give it.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Source {
    /// The diagnostics as errors that end the command.
    pub fn errors(&self, diagnostics: &[Diagnostic]) -> Failure {
        Failure::CouldNotRun(self.render(diagnostics, Level::ERROR))
    }

    /// Shows the diagnostics and goes on.
    pub fn warn(&self, diagnostics: &[Diagnostic]) {
        if !diagnostics.is_empty() {
            complain(&self.render(diagnostics, Level::WARNING));
        }
    }

    fn render(&self, diagnostics: &[Diagnostic], level: Level<'static>) -> String {
        let renderer = if std::io::stderr().is_terminal() { Renderer::styled() } else { Renderer::plain() };
        let one = |d: &Diagnostic| {
            let (line, _) = d.position(&self.text);
            let (excerpt, span) = excerpt(&self.text, d);
            let mark = AnnotationKind::Primary.span(span).label(d.label.as_str());
            let snippet = Snippet::source(excerpt).path(self.name.as_str()).line_start(line).annotation(mark);
            let mut report: Vec<Group> = vec![level.clone().primary_title(d.message.as_str()).element(snippet)];
            report.extend(d.help.iter().map(|help| Group::with_title(Level::HELP.secondary_title(help.as_str()))));
            renderer.render(&report)
        };
        diagnostics.iter().map(one).collect::<Vec<_>>().join("\n\n")
    }
}

/// The line in which a diagnostic starts, cut if it is long, and the marked place in it.
fn excerpt<'a>(text: &'a str, d: &Diagnostic) -> (&'a str, std::ops::Range<usize>) {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(d.span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let from = boundary(line_start.max(start.saturating_sub(EXCERPT_BYTES / 2)));
    let to = boundary(line_end.min(from + EXCERPT_BYTES));
    let end = boundary(d.span.end).clamp(start, to.max(start));
    (&text[from..to.max(start)], start - from..end - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, span: std::ops::Range<usize>) -> String {
        let source = Source { name: "a.bcu".to_string(), text: text.to_string() };
        source.render(&[Diagnostic::new(span, "this is wrong", "expected better").help("do so")], Level::ERROR)
    }

    #[test]
    fn line_column_excerpt_and_help_are_shown() {
        let text = render("EXIT\nBAR.SYNC 0x99\n", 14..18);
        for part in ["error: this is wrong", "a.bcu:2:10", "BAR.SYNC 0x99", "^^^^ expected better", "help: do so"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn any_span_of_any_text_can_be_shown() {
        for text in ["", "\n", "é", "a\r\nb", &"x".repeat(5000)] {
            for span in [0..0, 0..1, 1..1, 1..2, 2..900, 4000..4001, 9000..9001] {
                assert!(render(text, span).contains("this is wrong"));
            }
        }
    }
}
