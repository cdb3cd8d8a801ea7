// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as text: each with its marked source lines, then the verdict and the number of findings of each severity.

use super::count::count;
use crate::cmd::case::Program;
use crate::diag::{Shown, Source};
use annotate_snippets::Level;
use bcu_machine::check::finding::{At, Finding};
use bcu_machine::check::{CheckVerdict, Severity};
use bcu_machine::{Report, Verdict};
use std::ops::Range;

pub fn render(sources: &[Program], found: &[Finding], report: &Report) -> String {
    let mut text = String::new();
    for finding in found {
        let circumstances = finding.circumstances();
        let shown = Shown {
            level: match finding.severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
                Severity::Note => Level::NOTE,
            },
            code: finding.code.name,
            message: &finding.message,
            spot: spot(sources, finding.at.as_ref()),
            label: &circumstances,
            notes: finding.related.iter().map(|r| (spot(sources, r.at.as_ref()), r.note.as_str())).collect(),
            help: &finding.help,
        };
        text += &(shown.render() + "\n\n");
    }
    let [errors, warnings, notes] =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")].map(|(severity, name)| {
            let number = count(found, severity);
            format!("{number} {name}{}", if number == 1 { "" } else { "s" })
        });
    let ended = match report.verdict {
        Verdict::Completed => "completed",
        Verdict::Fault => "ended with faults",
        Verdict::Hung => "hung",
        Verdict::Unfinished if report.is_interrupted() => "was interrupted",
        Verdict::Unfinished => "was stopped at its cycle limit",
        Verdict::Stopped => "was stopped by its program",
    };
    let verdict = CheckVerdict::from_findings(found).name();
    text + &format!("{verdict}: {errors}, {warnings}, {notes}; the run {ended} after {} cycles\n", report.cycles)
}

fn spot<'a>(sources: &'a [Program], at: Option<&At>) -> Option<(&'a Source, Range<usize>)> {
    let at = at?;
    Some((&sources.get(at.file)?.source, at.span()))
}
