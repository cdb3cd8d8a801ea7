// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as text: each with its marked source lines, then the verdict and the number of findings of each severity.

use super::count::count;
use crate::cmd::case::Program;
use crate::diag::{line_and_column, Shown, Spot};
use annotate_snippets::Level;
use bcu_machine::check::finding::{At, Finding};
use bcu_machine::check::schedules::{Located, Reason, Schedules, ASSUMPTIONS};
use bcu_machine::check::{CheckVerdict, Checked, Severity};
use bcu_machine::{Report, Verdict};

/// The findings and the verdict; `full`: with every reason why the run is no proof for every schedule, else with the first one.
pub fn render(sources: &[Program], checked: &Checked, report: &Report, full: bool) -> String {
    let found: &[Finding] = &checked.findings;
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
    let verdict = CheckVerdict::from_findings(found);
    text += &format!("{}: {errors}, {warnings}, {notes}; the run {ended} after {} cycles\n", verdict.name(), report.cycles);
    // Beside errors, a reason against a proof says nothing new.
    if verdict == CheckVerdict::Pass || checked.schedules.is_proved() {
        text += &schedules(sources, &checked.schedules, full);
    }
    text
}

/// Whether the run is a proof for every schedule, or the reasons why it is none.
fn schedules(sources: &[Program], schedules: &Schedules, full: bool) -> String {
    if schedules.reasons.is_empty() {
        let same = match schedules.hangs {
            true => "this launch hangs in every order of warps, accesses and copies",
            false => "every order of warps, accesses and copies gives this result",
        };
        return format!("every schedule: {same}\nassumed: {}\n", ASSUMPTIONS.join("; "));
    }
    let place = |located: &Located| {
        let Spot { source, span, origin } = spot(sources, Some(&located.at))?;
        let by = located.warp.map_or(String::new(), |(cta, warp)| format!(", warp {warp} of CTA {cta}"));
        let origin = origin.map_or(String::new(), |origin| format!("{}:{}, ", origin.path, origin.line));
        Some(format!("  {origin}{}:{}{by}\n", source.name, line_and_column(&source.text, &span).0))
    };
    let shown = if full { schedules.reasons.len() } else { 1 };
    let reason = |reason: &Reason| {
        let places = [reason.operation.as_ref(), reason.other.as_ref()].into_iter().flatten().filter_map(place);
        format!("not proved for every schedule: {}\n{}", reason.message, places.collect::<String>())
    };
    let reasons: String = schedules.reasons.iter().take(shown).map(reason).collect();
    let others = match schedules.reasons.len() - shown {
        0 => String::new(),
        1 => "  and 1 other reason: `--full` or `--format json`\n".to_string(),
        others => format!("  and {others} other reasons: `--full` or `--format json`\n"),
    };
    reasons + &others
}

fn spot<'a>(sources: &'a [Program], at: Option<&At>) -> Option<Spot<'a>> {
    let at = at?;
    let Program { source, origins, .. } = sources.get(at.file)?;
    Some(Spot { source, span: at.span(), origin: at.origin.as_ref().map(|origin| origins.locate(origin)) })
}
