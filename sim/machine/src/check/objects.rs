// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Misuses of mbarriers, and of instructions of warpgroups, that the unit does not refuse.

use super::codes::{Severity, CODES, MBARRIER_NOT_FENCED};
use super::finding::{Case, Finding, Related};
use crate::report::Misuse;

/// One finding for each misuse in the report.
pub fn find(case: &Case) -> Vec<Finding> {
    let misuses = &case.report.misuses;
    // An access after the exit is worse than one for which the exit did not wait.
    let is_worse = |of: &Misuse| misuses.iter().any(|misuse| misuse.code == "cluster_cta_exited" && misuse.place == of.place);
    let is_reported = |misuse: &&Misuse| misuse.code != "cluster_early_exit" || !is_worse(misuse);
    misuses.iter().filter(is_reported).filter_map(|misuse| of_misuse(case, misuse)).collect()
}

fn of_misuse(case: &Case, misuse: &Misuse) -> Option<Finding> {
    let Misuse { code, cta, warp, cycle, place, sentence, related } = misuse;
    let code = CODES.iter().find(|known| known.name == *code)?;
    let at = warp.zip(place.as_ref()).and_then(|(warp, place)| case.locate_in(*cta, warp, place));
    let mut finding = Finding::new(code, at, sentence.clone());
    (finding.cta, finding.warp, finding.cycle) = (Some(*cta), *warp, Some(*cycle));
    let first =
        related.iter().map(|(warp, place, note)| Related { at: case.locate_in(*cta, *warp, place), note: note.clone() });
    finding.related.extend(first);
    // Within one CTA compilers rely on a barrier after the init.
    let has_clusters = case.subject.programs.iter().any(|program| program.grid.clusters.size() > 1);
    if code.name == MBARRIER_NOT_FENCED.name && (has_clusters || case.subject.strict) {
        finding.severity = Severity::Error;
    }
    Some(finding)
}
