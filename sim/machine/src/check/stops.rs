// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The error that stopped the run: an operation that no hardware can execute, or a decision that depends on an unknown value.

use super::codes::{
    Code, BAD_ACCESS, BAD_CALL, GRID_RACE, LANE_MASK, NOT_BUILT, TCGEN05_ALLOC_WAIT, TRAPPED, UNKNOWN_DECISION,
};
use super::finding::{Case, Finding};
use crate::execute::StopKind;
use crate::report::program_stop::ProgramStop;

pub fn find(case: &Case) -> Option<Finding> {
    let ProgramStop { cta, warp, stopped } = case.report.stop.clone()?;
    let at = case.at(case.file(cta, warp), &stopped.diagnostic.span);
    let mut finding = Finding::new(code(stopped.kind), Some(at), stopped.diagnostic.message.clone());
    (finding.cta, finding.warp, finding.cycle) = (Some(cta), Some(warp), Some(case.report.cycles));
    if let Some(help) = &stopped.diagnostic.help {
        finding.help = help.clone();
    }
    Some(finding)
}

fn code(kind: StopKind) -> &'static Code {
    match kind {
        StopKind::BadAccess => &BAD_ACCESS,
        StopKind::LaneMask => &LANE_MASK,
        StopKind::GridRace => &GRID_RACE,
        StopKind::BadCall => &BAD_CALL,
        StopKind::Trapped => &TRAPPED,
        StopKind::UnknownDecision => &UNKNOWN_DECISION,
        StopKind::NotBuilt => &NOT_BUILT,
        StopKind::AllocWait => &TCGEN05_ALLOC_WAIT,
    }
}
