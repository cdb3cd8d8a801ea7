// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run did not end: an error for each cause, and a note for each wait that follows from a cause, with the arrived and the missing
//! warps.

use super::codes::{Code, CODES, CYCLE_LIMIT, DEADLOCK};
use super::finding::{Case, Finding, Related};
use super::waits::{group_findings, is_limited};
use super::Severity;
use crate::report::{Cause, Hang, HangCause};
use crate::sentence::place::line;

/// The maximum number of related locations of one finding.
const MAX_RELATED: usize = 8;

/// The findings of a run that did not end: one for each cause, one for each other endless wait, and one if the limit stopped the run.
pub fn find(case: &Case) -> Vec<Finding> {
    let Some(hang) = &case.report.hang else { return vec![] };
    let mut found: Vec<Finding> = vec![];
    let mut reported: Vec<&Cause> = vec![];
    // `group_findings` returns only waits in CTAs that can never end. In a run stopped by its cycle limit, other waiting warps may still
    // resume.
    for (waiting, finding) in group_findings(case, hang) {
        let is_of = |cause: &&Cause| cause.waiting.contains(&waiting);
        match hang.causes.iter().find(is_of) {
            Some(cause) if reported.contains(&cause) => {}
            Some(cause) => {
                reported.push(cause);
                found.push(caused(case, hang, cause, finding));
            }
            None => {
                let cause = hang.causes.iter().find(|cause| cause.following.contains(&waiting));
                found.push(following(case, cause, finding));
            }
        }
    }
    found.iter_mut().for_each(cut);
    if hang.cause != HangCause::NothingCanChange && is_limited(hang) {
        found.push(limit(case, hang));
    } else if hang.cause == HangCause::NothingCanChange && found.is_empty() {
        // No warp waits at a barrier, so the fault policy has stopped the warps.
        let mut finding =
            Finding::new(&DEADLOCK, None, "no warp can resume: the fault policy has stopped all warps that have not exited");
        if let Some(first) = hang.stopped.first() {
            finding.at = case.locate_in(first.cta, first.warp, &first.place);
            (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), case.deadlock_cycle(first.cta));
        }
        finding.help = "correct the faults that stopped the warps; with the fault policy `report` the warps resume".to_string();
        found.push(finding);
    }
    found
}

/// Converts the finding `wait` to a finding for the cause of the wait, and keeps the details of the wait.
fn caused(case: &Case, hang: &Hang, cause: &Cause, wait: Finding) -> Finding {
    let code: &'static Code = CODES.iter().find(|code| code.name == cause.code).unwrap_or(&DEADLOCK);
    let at = case.locate_in(cause.cta, cause.warp, &cause.place);
    let mut finding = Finding::new(code, at, cause.sentence.clone());
    finding.severity = Severity::Error;
    (finding.cta, finding.warp) = (Some(cause.cta), Some(cause.warp));
    let blocked_wait = hang.blocked.iter().find(|b| (b.cta, b.warp) == (cause.cta, cause.warp));
    (finding.barrier, finding.generation) =
        blocked_wait.map_or((wait.barrier, wait.generation), |b| (Some(b.id), Some(b.number)));
    finding.cycle = case.deadlock_cycle(cause.cta);
    if let Some(help) = &cause.help {
        finding.help.clone_from(help);
    }
    for evidence in &cause.evidence {
        let at = evidence.place.as_ref().and_then(|place| case.locate_in(evidence.cta, evidence.warp, place));
        finding.related.push(Related { at, note: evidence.note.clone() });
    }
    // For a circular wait, the evidence already contains the locations of its warps.
    let is_cycle = hang.circle.len() > 1 && cause.evidence.len() > 1;
    if !is_cycle {
        let new = wait.related.into_iter().filter(|related| related.at != finding.at || cause.sentence == wait.message);
        finding.related.extend(new);
    }
    finding
}

/// Converts the finding `wait` to a note that refers to `cause`, because the wait follows from that cause. If there is no cause, returns
/// `wait` unchanged.
fn following(case: &Case, cause: Option<&Cause>, wait: Finding) -> Finding {
    let Some(cause) = cause else { return wait };
    let at = case.locate_in(cause.cta, cause.warp, &cause.place);
    let mut finding = Finding { severity: Severity::Note, ..wait };
    finding.help =
        format!("this follows from the finding `{}` in {}: correct that error first", cause.code, line(&cause.place));
    let note = format!("cause: {}", cause.sentence);
    finding.related.insert(0, Related { at, note });
    finding
}

/// The finding for a run stopped by its cycle limit or by an interrupt. It lists the locations of the waiting warps whose CTAs may still
/// end.
fn limit(case: &Case, hang: &Hang) -> Finding {
    let why = if case.report.is_interrupted() { "when it was interrupted" } else { "the limit" };
    let message = format!("the run has not ended after {} cycles, {why}; whether it hangs is unknown", case.report.cycles);
    let mut finding = Finding::new(&CYCLE_LIMIT, None, message);
    if let Some(first) = hang.resumable.first() {
        finding.at = case.locate_in(first.cta, first.warp, &first.place);
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
    }
    finding.related = hang
        .blocked
        .iter()
        .filter(|b| !hang.hung_ctas.contains(&b.cta))
        .map(|b| {
            let note = format!("CTA {} warp {} waits at barrier {} for generation {}", b.cta, b.warp, b.id, b.number);
            Related { at: case.locate_in(b.cta, b.warp, &b.place), note }
        })
        .collect();
    finding.related.extend(hang.at_gateway.iter().filter(|w| !hang.hung_ctas.contains(&w.cta)).map(|w| {
        let note = format!("CTA {} warp {} waits at barrier {} for phase {}", w.cta, w.warp, w.id, w.phase);
        Related { at: case.locate_in(w.cta, w.warp, &w.place), note }
    }));
    cut(&mut finding);
    finding
}

fn cut(finding: &mut Finding) {
    let more = finding.related.len().saturating_sub(MAX_RELATED);
    if more > 0 {
        finding.related.truncate(MAX_RELATED);
        finding.related.push(Related { at: None, note: format!("and {more} more; `bcu run` lists all") });
    }
}
