// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses of shared memory that nothing orders.

use super::codes::RACE;
use super::finding::{Case, Finding, Related};
use crate::report::{Race, Toucher};

pub fn find(case: &Case) -> Vec<Finding> {
    case.report.races.iter().map(|race| one(case, race)).collect()
}

fn one(case: &Case, race: &Race) -> Finding {
    let Race { cta, address, cycle, first, second, copy } = race;
    let what = |toucher: &Toucher| if toucher.store { "stores to" } else { "loads" };
    let who = |toucher: &Toucher| format!("lane {} of warp {}", toucher.lane, toucher.warp);
    let between = match (copy, first.warp == second.warp) {
        (true, _) => "nobody has waited for that copy",
        (false, true) => "the lanes have not met since",
        (false, false) => "no barrier is between them",
    };
    let done = if first.store { "has stored to" } else { "has loaded" };
    let message =
        format!("{} {} byte {address:#x} of shared memory, which {} {done}: {between}", who(second), what(second), who(first));
    let mut finding = Finding::new(&RACE, case.at(*cta, second.warp, &second.place), message);
    (finding.cta, finding.warp, finding.cycle) = (Some(*cta), Some(second.warp), Some(*cycle));
    let note = format!("{} {done} it here", who(first));
    finding.related.push(Related { at: case.at(*cta, first.warp, &first.place), note });
    finding
}
