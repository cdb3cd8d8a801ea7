// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints diagnostics with line, column and a marked excerpt of the source.

use crate::failure::{complain, Failure, Result};
use crate::files;
use crate::origins::OriginPlace;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;
use std::path::Path;

/// The maximum number of diagnostics that are printed for one text: a file of the wrong kind has an error in every line.
pub const MAX_SHOWN: usize = 20;

/// A help text of at least this many bytes is printed only once, with the first diagnostic that has
/// it.
const LONG_HELP: usize = 100;

/// The maximum number of lines in an excerpt; of a longer span only the first line is shown.
const EXCERPT_LINES: usize = 8;

/// A source text with its name in messages.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Source {
    /// Reads a text file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Source> {
        let name = if path == Path::new("-") { "stdin".to_string() } else { path.display().to_string() };
        Ok(Source { text: files::read(path, &name)?, name })
    }

    /// The diagnostics as errors that end the command.
    pub fn errors(&self, diagnostics: &[Diagnostic]) -> Failure {
        Failure::CouldNotRun(self.render(diagnostics, Level::ERROR))
    }

    /// A diagnostic as text. `origin` is its location in the source from which the text was compiled.
    pub fn error_text(&self, diagnostic: &Diagnostic, origin: Option<OriginPlace>) -> String {
        let spot = Spot { source: self, span: diagnostic.span.clone(), origin };
        let title = Group::with_title(Level::ERROR.primary_title(diagnostic.message.as_str()));
        let mut report = vec![spot.add_to(title, AnnotationKind::Primary, &diagnostic.label)];
        report.extend(spot.remarks());
        report.extend(diagnostic.help.as_ref().map(|help| Group::with_title(Level::HELP.secondary_title(help.as_str()))));
        Renderer::styled().render(&report)
    }

    /// Prints the diagnostics; the command continues.
    pub fn warn(&self, diagnostics: &[Diagnostic]) {
        if !diagnostics.is_empty() {
            complain(&self.render(diagnostics, Level::WARNING));
        }
    }

    fn render(&self, diagnostics: &[Diagnostic], level: Level<'static>) -> String {
        // `complain` removes the colours if the output is not a terminal.
        let renderer = Renderer::styled();
        let is_repeated = |before: usize, help: &String| {
            help.len() >= LONG_HELP && diagnostics[..before].iter().any(|earlier| earlier.help.as_ref() == Some(help))
        };
        let render = |(index, d): (usize, &Diagnostic)| {
            let title = level.clone().primary_title(d.message.as_str());
            let mut report: Vec<Group> =
                vec![title.element(snippet((&self.name, &self.text), &d.span, AnnotationKind::Primary, &d.label))];
            report.extend(
                d.help
                    .iter()
                    .filter(|help| !is_repeated(index, help))
                    .map(|help| Group::with_title(Level::HELP.secondary_title(help.as_str()))),
            );
            renderer.render(&report)
        };
        let mut shown: Vec<String> = diagnostics.iter().enumerate().take(MAX_SHOWN).map(render).collect();
        if diagnostics.len() > MAX_SHOWN {
            shown.push(format!("and {} more in {}, not shown", diagnostics.len() - MAX_SHOWN, self.name));
        }
        shown.join("\n\n")
    }
}

/// The lines of a text that contain a span, with the span marked. `name` is the path of the text. The renderer shortens long lines around
/// the mark.
fn snippet<'a>(
    (name, text): (&'a str, &'a str),
    span: &Range<usize>,
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, Annotation<'a>> {
    let (excerpt, marked) = excerpt(text, span);
    let snippet = Snippet::source(excerpt).line_start(line_and_column(text, span).0).path(name);
    let mark = kind.span(marked);
    snippet.annotation(if label.is_empty() { mark } else { mark.label(label) })
}

/// Line and column of the start of a span, both from 1.
pub fn line_and_column(text: &str, span: &Range<usize>) -> (usize, usize) {
    Diagnostic::new(span.clone(), "", "").position(text)
}

/// A location in messages: a span of a program, and the location in the source from which the program was compiled.
pub struct Spot<'a> {
    pub source: &'a Source,
    pub span: Range<usize>,
    pub origin: Option<OriginPlace>,
}

impl<'a> Spot<'a> {
    /// Adds the marked lines to a message: those of the source from which the program was compiled, and those of the program.
    fn add_to(&'a self, group: Group<'a>, kind: AnnotationKind, label: &'a str) -> Group<'a> {
        let program = (self.source.name.as_str(), self.source.text.as_str());
        let Some(origin) = &self.origin else { return group.element(snippet(program, &self.span, kind, label)) };
        let (group, label) = match &origin.text {
            Some((source, span)) => (group.element(snippet((&source.name, &source.text), span, kind, label)), ""),
            None => {
                let place = Origin::path(origin.path.as_str()).line(origin.line);
                (group.element(if origin.column > 0 { place.char_column(origin.column) } else { place }), label)
            }
        };
        group.element(snippet(program, &self.span, AnnotationKind::Context, label))
    }

    /// The remarks on the location in the source.
    fn remarks(&self) -> Option<Group<'static>> {
        let remarks = self.origin.as_ref()?.remarks()?;
        Some(Group::with_title(Level::NOTE.secondary_title(remarks)))
    }
}

/// A finding of `bcu check` in printable form.
pub struct Shown<'a> {
    pub level: Level<'static>,
    pub code: &'a str,
    pub message: &'a str,
    /// `None` for a message that has no location in a source.
    pub spot: Option<Spot<'a>>,
    /// The text that is printed next to the marked span.
    pub label: &'a str,
    pub notes: Vec<(Option<Spot<'a>>, &'a str)>,
    pub help: &'a str,
}

impl Shown<'_> {
    /// The finding as coloured text, with the marked lines of every span.
    pub fn render(&self) -> String {
        let title = self.level.clone().primary_title(self.message).id(self.code);
        let mut report: Vec<Group> = vec![match &self.spot {
            Some(spot) => spot.add_to(Group::with_title(title), AnnotationKind::Primary, self.label),
            None => Group::with_title(title),
        }];
        report.extend(self.spot.as_ref().and_then(Spot::remarks));
        if self.spot.is_none() && !self.label.is_empty() {
            report.push(Group::with_title(Level::NOTE.secondary_title(self.label)));
        }
        for (spot, note) in &self.notes {
            let title = Level::NOTE.secondary_title(*note);
            report.push(match spot {
                Some(spot) => spot.add_to(Group::with_title(title), AnnotationKind::Context, ""),
                None => Group::with_title(title),
            });
            let calls = spot.as_ref().and_then(|spot| spot.origin.as_ref()?.calls());
            report.extend(calls.map(|calls| Group::with_title(Level::NOTE.secondary_title(calls))));
        }
        report.push(Group::with_title(Level::HELP.secondary_title(self.help)));
        Renderer::styled().render(&report)
    }
}

/// The complete lines that contain the span, and the span relative to their start. If the span has
/// more than [`EXCERPT_LINES`] lines, only its first line.
fn excerpt<'a>(text: &'a str, span: &Range<usize>) -> (&'a str, Range<usize>) {
    let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (start, end) = (boundary(span.start), boundary(span.end.max(span.start)));
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |i| at + i);
    let many = text[start..end].matches('\n').count() >= EXCERPT_LINES;
    let end = if many { line_end(start) } else { end };
    let from = text[..start].rfind('\n').map_or(0, |i| i + 1);
    (&text[from..line_end(end)], start - from..end - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, span: std::ops::Range<usize>) -> String {
        let source = Source { name: "a.bcu".to_string(), text: text.to_string() };
        let text = source.render(&[Diagnostic::new(span, "this is wrong", "expected better").help("do so")], Level::ERROR);
        anstream::adapter::strip_str(&text).to_string()
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
        for text in ["", "\n", "é", "a\r\nb", "a\nb\nc\nd\n\n\n\n\n\n\n\n", &"x".repeat(5000)] {
            for span in [0..0, 0..1, 1..1, 1..2, 2..900, 4000..4001, 9000..9001] {
                assert!(render(text, span).contains("this is wrong"));
            }
        }
    }

    #[test]
    fn a_place_far_along_a_long_line_keeps_its_column() {
        let line = "é".repeat(1_000_000);
        let text = render(&format!("EXIT\n{line}\n"), 5 + 1_200_000..5 + 1_200_002);
        assert!(text.contains("a.bcu:2:600001") && text.len() < 2000, "{text}");
    }

    #[test]
    fn a_place_of_several_lines_is_shown_as_such() {
        let text = render("one\ntwo\nthree\nfour\n", 4..13);
        assert!(text.contains("two") && text.contains("three") && !text.contains("four"), "{text}");
    }
}
