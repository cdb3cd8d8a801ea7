// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns findings that only follow from an error into notes.

use super::codes::{self, Code};
use super::finding::{Case, Finding};
use super::Severity;
use crate::report::{Race, RaceKind, UNEXPECTED};

/// Codes of findings that may follow from a refused operation, or from a wait for a wrong phase, in the same CTA or cluster.
const RUN_ENDING: [&Code; 11] = [
    &codes::SPIN_WAIT,
    &codes::SIGNAL_MISSING,
    &codes::DEADLOCK,
    &codes::COUNTED_EXIT,
    &codes::WAIT_CYCLE,
    &codes::BARRIER_LEFT_OPEN,
    &codes::MBARRIER_WAIT,
    &codes::CLUSTER_WAIT,
    &codes::MBARRIER_LEFT_OPEN,
    &codes::MBARRIER_BYTES_LEFT,
    &codes::MBARRIER_MISSING_WAIT,
];
/// Codes of waits for a wrong phase of an mbarrier.
const OUT_OF_STEP: [&Code; 2] = [&codes::MBARRIER_WRONG_PARITY, &codes::MBARRIER_STALE_PHASE];
/// Codes of faults at an mbarrier. The refused operation may have come in a wrong phase, because its warp had waited for a wrong phase
/// before.
const EXTRA: [&Code; 3] = [&codes::MBARRIER_OVER_ARRIVAL, &codes::MBARRIER_EXPECT_LATE, &codes::MBARRIER_TX_RANGE];

/// Makes a warning about bytes that no thread has expected an error if copies in the same CTA are used before they have arrived: the phase
/// that is waited for completes too early, and not for lack of a wait.
pub fn explain_early_phases(found: &mut [Finding], case: &Case) {
    let is_early = |race: &Race| {
        race.kind == RaceKind::Copy && race.first.store && race.first.place.text.contains("mbarrier::complete_tx")
    };
    for race in case.report.races.iter().filter(|race| is_early(race)) {
        let is_cause = |f: &&mut Finding| f.code == &codes::MBARRIER_BYTES_LEFT && f.cta == Some(race.first.cta);
        let Some(cause) = found.iter_mut().find(is_cause).filter(|cause| cause.message.contains(UNEXPECTED)) else {
            continue;
        };
        cause.severity = Severity::Error;
        let at = case.locate_in(race.second.cta, race.second.warp, &race.second.place);
        let races = found.iter_mut().filter(|f| f.code == &codes::RACE && f.cta == Some(race.second.cta) && f.at == at);
        races.for_each(|finding| {
            finding.help = "the phase that is waited for completes before the copy has arrived: correct the expected bytes first (`mbarrier_bytes_left`)".to_string();
        });
    }
}

/// Turns findings that follow from another error into notes.
pub fn demote(found: &mut [Finding], case: &Case) {
    let causes: Vec<Finding> = found.iter().filter(|f| is_cause(f)).cloned().collect();
    for finding in found.iter_mut() {
        if let Some(cause) = causes.iter().find(|cause| follows(finding, cause, case)) {
            let (name, cta) = (cause.code.name, cause.cta.unwrap_or(0));
            finding.severity = Severity::Note;
            finding.help = format!("this may follow from the finding `{name}` of CTA {cta}: correct that error first");
        }
    }
}

fn is_cause(finding: &Finding) -> bool {
    let is_refused = finding.code.reported() && !RUN_ENDING.contains(&finding.code);
    finding.severity == Severity::Error && finding.times > 0 && (is_refused || OUT_OF_STEP.contains(&finding.code))
}

fn follows(finding: &Finding, cause: &Finding, case: &Case) -> bool {
    let is_out_of_step = OUT_OF_STEP.contains(&cause.code);
    // Cycles are compared only within one CTA. A cause with a code of `OUT_OF_STEP` may be in another CTA: it is derived from a race, and
    // of the races of several CTAs that run one program only one is reported.
    let is_later = cause.cta != finding.cta || finding.cycle > cause.cycle;
    let is_near = match (finding.cta, cause.cta) {
        (Some(finding_cta), Some(cause_cta)) => finding_cta == cause_cta || case.are_peers(finding_cta, cause_cta),
        (finding_cta, cause_cta) => finding_cta == cause_cta,
    };
    match finding.code {
        code if code == &codes::RACE => finding.at.as_ref().is_some_and(|at| cause.explains.contains(at)),
        code if EXTRA.contains(&code) => is_out_of_step && is_later && is_of_object(finding, cause),
        code if RUN_ENDING.contains(&code) => finding.severity != Severity::Note && (is_near || is_out_of_step),
        _ => false,
    }
}

/// Whether both findings name the same warp, or name mbarriers of the same variable.
fn is_of_object(finding: &Finding, cause: &Finding) -> bool {
    let of_warp = finding.warp.is_some() && (finding.cta, finding.warp) == (cause.cta, cause.warp);
    let of_variable = cause.object.as_ref().zip(finding.object.as_ref()).is_some_and(|(a, b)| a.shares_variable(b));
    of_warp || of_variable
}
