// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings as JSON; `docs/guide/check.md` describes every key.

use super::count::count;
use super::format::FailOn;
use super::outputs::Written;
use super::seeds::{Seeds, Showing};
use crate::cmd::case::{Program, Setup};
use crate::diag::line_and_column;
use crate::failure::{Failure, Result};
use crate::origins::OriginPlace;
use bcu_machine::check::finding::{At, Finding};
use bcu_machine::check::schedules::{Located, Reason, ASSUMPTIONS};
use bcu_machine::check::{CheckVerdict, Checked, Severity};
use bcu_machine::exploration::{Exploration, Gap};
use bcu_machine::{Report, Verdict};
use serde::Serialize;

/// Increases when a key changes its meaning or is removed.
const FORMAT_VERSION: u32 = 2;

#[derive(Serialize)]
struct Whole<'a> {
    format_version: u32,
    verdict: CheckVerdict,
    run: Verdict,
    cycles: u64,
    errors: usize,
    warnings: usize,
    notes: usize,
    /// The least severe finding from which the verdict is `fail`.
    fail_on: &'static str,
    #[serde(flatten)]
    setup: &'a Setup,
    findings: Vec<JsonFinding<'a>>,
    seeds: Option<&'a Seeds>,
    schedules: Schedules<'a>,
}

#[derive(Serialize)]
struct Schedules<'a> {
    verdict: &'static str,
    reasons: Vec<JsonReason<'a>>,
    assumptions: &'static [&'static str],
    explored: Option<Explored>,
}

#[derive(Serialize)]
struct Explored {
    runs: usize,
    orders: usize,
    results: usize,
    complete: bool,
    incomplete_because: Option<&'static str>,
    priorities: Option<Priorities>,
    schedule_file: Option<String>,
    picture: Option<String>,
}

#[derive(Serialize)]
struct Priorities {
    depth: u32,
    seed: u64,
    warps: usize,
    operations: u64,
    probability: f64,
}

#[derive(Serialize)]
struct JsonReason<'a> {
    message: &'a str,
    operation: Option<Operation<'a>>,
    other: Option<Operation<'a>>,
}

#[derive(Serialize)]
struct Operation<'a> {
    place: Option<Place<'a>>,
    cta: Option<usize>,
    warp: Option<usize>,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    help: &'a str,
    place: Option<Place<'a>>,
    cta: Option<usize>,
    warp: Option<usize>,
    cycle: Option<u64>,
    barrier: Option<u8>,
    generation: Option<usize>,
    times: usize,
    related: Vec<Related<'a>>,
    seeds: Option<&'a Showing>,
}

#[derive(Serialize)]
struct Related<'a> {
    place: Option<Place<'a>>,
    note: &'a str,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
    /// The location in the source from which the program was compiled.
    source: Option<Origin>,
}

#[derive(Serialize)]
struct Origin {
    file: String,
    line: usize,
    column: usize,
    text: Option<String>,
    inlined: Vec<Frame>,
    /// Other lines that it may be.
    others: Vec<String>,
}

#[derive(Serialize)]
struct Frame {
    file: String,
    line: usize,
    function: Option<String>,
}

pub fn render(
    sources: &[Program],
    checked: &Checked,
    report: &Report,
    explored: Option<(&Exploration, &Written)>,
    (fail_on, setup, seeds): (FailOn, &Setup, Option<&Seeds>),
) -> Result<String> {
    let Checked { findings: found, schedules } = checked;
    let reason = |reason| json_reason(sources, reason);
    let json_finding = |(number, f)| json_finding(sources, f, seeds.and_then(|seeds| seeds.of(number)));
    let whole = Whole {
        format_version: FORMAT_VERSION,
        verdict: fail_on.verdict(found),
        run: report.verdict,
        cycles: report.cycles,
        errors: count(found, Severity::Error),
        warnings: count(found, Severity::Warning),
        notes: count(found, Severity::Note),
        fail_on: fail_on.name(),
        setup,
        findings: found.iter().enumerate().map(json_finding).collect(),
        seeds,
        schedules: Schedules {
            verdict: if schedules.is_proved() { "every_schedule" } else { "not_proved" },
            reasons: schedules.reasons.iter().map(reason).collect(),
            assumptions: &ASSUMPTIONS,
            explored: explored.map(|(found, written)| Explored {
                runs: found.runs,
                orders: found.orders,
                results: found.outcomes.len(),
                complete: found.is_complete(),
                incomplete_because: found.gap.map(Gap::sentence),
                priorities: found.bound.map(|bound| Priorities {
                    depth: bound.depth,
                    seed: bound.seed,
                    warps: bound.warps,
                    operations: bound.operations,
                    probability: bound.probability_of(found.runs.saturating_sub(1)),
                }),
                schedule_file: written.schedule.as_ref().map(|path| path.display().to_string()),
                picture: written.picture.as_ref().map(|path| path.display().to_string()),
            }),
        },
    };
    let text = serde_json::to_string_pretty(&whole).map_err(|e| Failure::plain(e, None))?;
    Ok(text + "\n")
}

fn json_reason<'a>(sources: &'a [Program], reason: &'a Reason) -> JsonReason<'a> {
    let operation = |Located { at, warp }: &Located| Operation {
        place: place(sources, &Some(at.clone())),
        cta: warp.map(|(cta, _)| cta),
        warp: warp.map(|(_, warp)| warp),
    };
    JsonReason {
        message: &reason.message,
        operation: reason.operation.as_ref().map(operation),
        other: reason.other.as_ref().map(operation),
    }
}

fn json_finding<'a>(sources: &'a [Program], f: &'a Finding, seeds: Option<&'a Showing>) -> JsonFinding<'a> {
    let related = f.related.iter().map(|r| Related { place: place(sources, &r.at), note: &r.note });
    JsonFinding {
        code: f.code.name,
        severity: f.severity,
        message: &f.message,
        help: &f.help,
        place: place(sources, &f.at),
        cta: f.cta,
        warp: f.warp,
        cycle: f.cycle,
        barrier: f.barrier,
        generation: f.generation,
        times: f.times,
        related: related.collect(),
        seeds,
    }
}

fn place<'a>(sources: &'a [Program], at: &Option<At>) -> Option<Place<'a>> {
    let at = at.as_ref()?;
    let Program { source, origins, .. } = sources.get(at.file)?;
    let (line, column) = line_and_column(&source.text, &at.span());
    let origin = at.origin.as_ref().map(|origin| json_origin(origins.locate(origin)));
    Some(Place { file: &source.name, line, column, text: source.text.get(at.span())?, source: origin })
}

fn json_origin(OriginPlace { path, line, column, text, frames, others, .. }: OriginPlace) -> Origin {
    let text = text.and_then(|(source, span)| Some(source.text.get(span)?.to_string()));
    let inlined = frames.into_iter().map(|frame| Frame { file: frame.path, line: frame.line, function: frame.function });
    Origin { file: path, line, column, text, inlined: inlined.collect(), others }
}
