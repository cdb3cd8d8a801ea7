// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines and directives: `.warps` and `.cta_warps` divide a program into sections; in vISA text `.threads` and `.group_threads`.

use super::language::Language;
use super::reports::Reports;
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{number, tokens, Token, TokenKind};
use bcu_isa::operands::shown;
use std::ops::Range;

/// Maximum number of warps that a program can name if no machine states their number.
pub const MAX_WARPS: usize = 64;

/// A line with an instruction, without comment and surrounding space.
pub struct Line<'a> {
    pub text: &'a str,
    /// Byte position of its start in the program.
    pub at: usize,
    /// Line number, from 1.
    pub number: usize,
}

impl Line<'_> {
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// Changes the span of a diagnostic from positions in this line to positions in the program.
    pub fn moved(&self, mut error: Diagnostic) -> Diagnostic {
        error.span = error.span.start + self.at..error.span.end + self.at;
        error
    }
}

/// Lines that the same warps run.
pub struct Section<'a> {
    /// The warps that run the section, in the order in which the directive names them; `None`: all warps.
    pub warps: Option<Vec<usize>>,
    pub role: Option<&'a str>,
    pub lines: Vec<Line<'a>>,
}

/// The whole program.
pub struct Layout<'a> {
    pub sections: Vec<Section<'a>>,
    /// The directives that only vISA text has.
    pub header: Vec<Line<'a>>,
    /// Warps of the CTA, at least 1.
    pub warps: usize,
}

/// The number of warps that a text may name, and the reason for this limit.
struct Limit {
    warps: usize,
    why: String,
}

/// Divides a text without comments. `machine` is the number of warps, if it is fixed outside the program.
pub fn read<'a>(text: &'a str, machine: Option<usize>, language: Language, reports: &mut Reports) -> Layout<'a> {
    let (section, size) = (language.section(), language.size());
    let mut sections = vec![Section { warps: None, role: None, lines: vec![] }];
    let (mut directives, mut header) = (vec![], vec![]);
    let mut at = 0;
    for (index, raw) in text.split('\n').enumerate() {
        let line = raw.trim();
        let line = Line { text: line, at: at + raw.find(line).unwrap_or(0), number: index + 1 };
        at += raw.len() + 1;
        if line.text.starts_with('.') {
            let words = tokens(line.text);
            match words.first().map(|w| w.text) {
                Some(word) if word == section => {
                    directives.push((sections.len(), line));
                    sections.push(Section { warps: None, role: None, lines: vec![] });
                }
                Some(word) if word == size => directives.push((0, line)),
                _ if language == Language::Visa => header.push(line),
                _ => reports.error(
                    Diagnostic::new(line.span(), "unknown directive", format!("expected {section} or {size}"))
                        .help(format!("write `{section} 0, 2-3`, `{section} all` or `{size} 4`")),
                ),
            }
        } else if !line.text.is_empty() {
            if let Some(section) = sections.last_mut() {
                section.lines.push(line);
            }
        }
    }
    let mut declared = None;
    for (_, line) in directives.iter().filter(|(section, _)| *section == 0) {
        match count(line, declared.is_some(), language) {
            Ok(n) => declared = Some(n),
            Err(error) => reports.error(line.moved(error)),
        }
    }
    let limit = match (machine, declared) {
        (Some(warps), _) => Limit { warps, why: "the machine has".to_string() },
        (None, Some(warps)) => Limit { warps, why: format!("{size} declares") },
        (None, None) => Limit { warps: MAX_WARPS, why: "a program can have".to_string() },
    };
    let mut highest = 0;
    for (index, line) in directives.iter().filter(|(section, _)| *section > 0) {
        let (warps, role) = warps(line, &limit, language).unwrap_or_else(|error| {
            reports.error(line.moved(error));
            (Some(vec![]), None)
        });
        highest = warps.iter().flatten().copied().fold(highest, usize::max);
        if let Some(section) = sections.get_mut(*index) {
            (section.warps, section.role) = (warps, role);
        }
    }
    Layout { sections, header, warps: machine.or(declared).unwrap_or(highest + 1).max(1) }
}

/// Reads the number N of `.cta_warps N`.
fn count(line: &Line, again: bool, language: Language) -> Result<usize, Diagnostic> {
    let end = line.text.len();
    if again {
        return Err(Diagnostic::new(0..end, format!("{} is given twice", language.size()), "expected once per program"));
    }
    let words = tokens(line.text);
    let span = words.get(1).map_or(end..end, Token::span);
    match words.get(1).and_then(|w| number(w.text)) {
        Some(n) if (1..=MAX_WARPS as u64).contains(&n) && words.len() == 2 => Ok(n as usize),
        _ => {
            let message = format!("wrong number of {}s", language.warp());
            Err(Diagnostic::new(span, message, format!("expected one number, 1 to {MAX_WARPS}")))
        }
    }
}

/// Reads the warps (`None`: all) and the role of `.warps 0, 2-3 role`.
fn warps<'a>(line: &Line<'a>, limit: &Limit, language: Language) -> Result<(Option<Vec<usize>>, Option<&'a str>), Diagnostic> {
    let warp_name = language.warp();
    let words = tokens(line.text);
    let mut remaining = words.get(1..).unwrap_or(&[]);
    let end = line.text.len();
    let role = match remaining {
        [.., before, last] if before.kind == TokenKind::Word && last.kind == TokenKind::Word && number(last.text).is_none() => {
            remaining = &remaining[..remaining.len() - 1];
            Some(last.text)
        }
        _ => None,
    };
    if matches!(remaining, [word] if word.text == "all") {
        return Ok((None, role));
    }
    let mut list: Vec<usize> = vec![];
    for part in remaining.split(|t| t.kind == TokenKind::Mark(',')) {
        let (first, last) = match part {
            [warp_name] => (warp_name, warp_name),
            [first, dash, last] if dash.kind == TokenKind::Mark('-') => (first, last),
            _ => {
                let span = part.first().zip(part.last()).map_or(end..end, |(a, b)| a.at..b.span().end);
                return Err(no_warps(span, language));
            }
        };
        let span = first.at..last.span().end;
        let (from, to) = number(first.text).zip(number(last.text)).ok_or_else(|| no_warps(span.clone(), language))?;
        if to >= limit.warps as u64 {
            let message = format!("{warp_name} {} does not exist", shown(last.text));
            let label = format!("{} {} {warp_name}s, numbered from 0", limit.why, limit.warps);
            return Err(Diagnostic::new(last.span(), message, label));
        }
        if from > to {
            return Err(Diagnostic::new(
                span,
                format!("the range {}-{} is reversed", shown(first.text), shown(last.text)),
                format!("expected {}-{}", shown(last.text), shown(first.text)),
            ));
        }
        for warp in from as usize..=to as usize {
            if list.contains(&warp) {
                return Err(Diagnostic::new(
                    span,
                    format!("{warp_name} {warp} is given twice"),
                    format!("expected every {warp_name} once"),
                ));
            }
            list.push(warp);
        }
    }
    Ok((Some(list), role))
}

fn no_warps(span: Range<usize>, language: Language) -> Diagnostic {
    let (one, section) = (language.warp(), language.section());
    Diagnostic::new(span, format!("no {one}s are given"), "expected numbers, ranges such as 2-3, or `all`")
        .help(format!("write `{section} 0, 2-3`, `{section} all`, or with a role after it: `{section} 0 producer`"))
}
