// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is wrong at mbarriers although no operation was refused, and who waits there for ever.

use super::codes::{CODES, MBARRIER_WAIT};
use super::finding::{Case, Finding, Related};
use crate::report::{Misuse, ObjectWait};
use crate::sentence::{object_arrival, state};
use crate::text::missing;

/// More is not told of one mbarrier.
const MAX_RELATED: usize = 8;

pub fn find(case: &Case) -> Vec<Finding> {
    let mut found: Vec<Finding> = case.report.misuses.iter().filter_map(|misuse| of_misuse(case, misuse)).collect();
    let Some(hang) = &case.report.hang else { return found };
    let mut told: Vec<(usize, u32, u8)> = vec![];
    for first in hang.at_mbarriers.iter().filter(|w| hang.stuck.contains(&w.cta)) {
        let key = |w: &ObjectWait| (w.cta, w.object.address, w.asked);
        if !told.contains(&key(first)) {
            told.push(key(first));
            let same: Vec<&ObjectWait> = hang.at_mbarriers.iter().filter(|w| key(w) == key(first)).collect();
            found.push(waits(case, first, &same));
        }
    }
    found
}

fn of_misuse(case: &Case, misuse: &Misuse) -> Option<Finding> {
    let Misuse { code, cta, warp, cycle, place, sentence, related } = misuse;
    let code = CODES.iter().find(|known| known.name == *code)?;
    let at = warp.zip(place.as_ref()).and_then(|(warp, place)| case.at(*cta, warp, place));
    let mut finding = Finding::new(code, at, sentence.clone());
    (finding.cta, finding.warp, finding.cycle) = (Some(*cta), *warp, Some(*cycle));
    let first = related.iter().map(|(warp, place, note)| Related { at: case.at(*cta, *warp, place), note: note.clone() });
    finding.related.extend(first);
    Some(finding)
}

/// All that wait at one mbarrier for one phase.
fn waits(case: &Case, first: &ObjectWait, same: &[&ObjectWait]) -> Finding {
    let warps: Vec<String> = same.iter().map(|w| w.warp.to_string()).collect();
    let (who, waits) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
    let message = format!(
        "{who} {} {waits} for ever for the end of the phase of parity {}, since cycle {}: {}",
        warps.join(", "),
        first.asked,
        first.since,
        state(&first.object)
    );
    let mut finding = Finding::new(&MBARRIER_WAIT, case.at(first.cta, first.warp, &first.place), message);
    (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
    for other in same.iter().filter(|w| w.place != first.place) {
        let note = format!("warp {} waits here, since cycle {}", other.warp, other.since);
        finding.related.push(Related { at: case.at(other.cta, other.warp, &other.place), note });
    }
    for arrival in &first.object.arrived {
        let at = arrival.warp.zip(arrival.place.as_ref()).and_then(|(warp, place)| case.at(first.cta, warp, place));
        finding.related.push(Related { at, note: object_arrival(arrival) });
    }
    for m in &first.missing {
        let at = m.next.as_ref().and_then(|place| case.at(first.cta, m.warp, place));
        finding.related.push(Related { at, note: format!("may still come: {}", missing(m)) });
    }
    let more = finding.related.len().saturating_sub(MAX_RELATED);
    if more > 0 {
        finding.related.truncate(MAX_RELATED);
        finding.related.push(Related { at: None, note: format!("and {more} more; `bcu run` tells all") });
    }
    finding
}
