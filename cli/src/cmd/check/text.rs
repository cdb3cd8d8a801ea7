// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as text: each with its marked source lines, then the verdict and the number of findings of each severity.

use super::count::count;
use super::seeds::{Seeds, Showing};
use crate::cmd::case::{Program, Setup};
use crate::diag::{line_and_column, Shown, Spot};
use annotate_snippets::Level;
use bcu_machine::check::finding::{At, Finding};
use bcu_machine::check::schedules::{Located, Reason, Schedules, ASSUMPTIONS};
use bcu_machine::check::{CheckVerdict, Checked, Severity};
use bcu_machine::{Report, Verdict};

/// The findings alone.
pub fn findings(sources: &[Program], found: &[Finding], seeds: Option<&Seeds>) -> String {
    let mut text = String::new();
    for (number, finding) in found.iter().enumerate() {
        let circumstances = finding.circumstances();
        let showing = seeds.and_then(|seeds| Some((seeds, seeds.of(number)?)));
        let showing = showing.map(|(seeds, Showing { first, count, command })| {
            let others = if *count == 1 { "shows" } else { "show" };
            format!("{count} of the {} seeds {others} this, the first is seed {first}: `{command}`", seeds.runs)
        });
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
            notes: finding
                .related
                .iter()
                .map(|r| (spot(sources, r.at.as_ref()), r.note.as_str()))
                .chain(showing.as_deref().map(|note| (None, note)))
                .collect(),
            help: &finding.help,
        };
        text += &(shown.render() + "\n\n");
    }
    text
}

/// The findings, the verdict, and what the run proves; `full`: with every reason why it proves nothing, else with the first one.
pub fn render(
    sources: &[Program],
    checked: &Checked,
    report: &Report,
    (verdict, setup, seeds, full): (CheckVerdict, &Setup, Option<&Seeds>, bool),
) -> String {
    let found: &[Finding] = &checked.findings;
    let mut text = findings(sources, found, seeds);
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
    let runs = match seeds {
        None => format!("the run {ended} after {} cycles", report.cycles),
        Some(Seeds { first, runs, failed, .. }) => {
            let last = first.wrapping_add(u64::from(*runs) - 1);
            format!("{failed} of the {runs} seeds {first} to {last} fail")
        }
    };
    text += &format!("{}: {errors}, {warnings}, {notes}; {runs}\n{}", verdict.name(), setup.lines());
    // Each seed is a run of its own, and its proof holds for its inputs only.
    if seeds.is_some() {
        return text;
    }
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
