// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as findings: what is wrong with a program, where in its text, and what to do.
//!
//! Findings come from the text before the run (`text`), from the faults of the unit (`faults`), from a hang (`hang`) and from what
//! met at the barriers (`meetings`). One misuse is one finding, however often it happens.

mod codes;
mod early_waits;
mod faults;
pub mod finding;
mod grids;
mod hang;
mod meetings;
mod objects;
mod place;
mod races;
mod stops;
mod text;
mod unknown;
mod waits;
mod words;

pub use codes::{markdown, of_fault, Code, Severity, CODES, TABLE_BEGIN, TABLE_END};

use crate::issued::Issued;
use crate::plan::plan;
use crate::report::Report;
use bcu_isa::diag::Diagnostic;
use finding::{Case, Finding, Subject};
use serde::Serialize;

/// What only follows from another error becomes a note: a refused operation, or a wait that was out of step, comes before a hang of its
/// CTA or cluster and before what is left open there.
fn consequences(found: &mut [Finding], case: &Case) {
    const AFTER: [&Code; 11] = [
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
    const OUT_OF_STEP: [&Code; 2] = [&codes::MBARRIER_WRONG_PARITY, &codes::MBARRIER_STALE_PHASE];
    const LATE: [&Code; 3] = [&codes::MBARRIER_OVER_ARRIVAL, &codes::MBARRIER_EXPECT_LATE, &codes::MBARRIER_TX_RANGE];
    let is_cause = |f: &Finding| {
        let refused = f.code.reported() && !AFTER.contains(&f.code);
        f.severity == Severity::Error && f.times > 0 && (refused || OUT_OF_STEP.contains(&f.code))
    };
    let causes: Vec<Finding> = found.iter().filter(|f| is_cause(f)).cloned().collect();
    let is_near = |a: Option<usize>, b: Option<usize>| a == b || a.zip(b).is_some_and(|(a, b)| case.are_peers(a, b));
    for finding in found.iter_mut() {
        let explained = |cause: &&Finding| finding.at.as_ref().is_some_and(|at| cause.explains.contains(at));
        let is_after = AFTER.contains(&finding.code) && finding.severity != Severity::Note;
        let of_object = |cause: &Finding| {
            let of_warp = finding.warp.is_some() && finding.warp == cause.warp;
            of_warp || cause.object.as_ref().is_some_and(|object| is_about(&finding.message, object))
        };
        // Out of step, a warp arrives in phases in which it should not.
        let is_late = |cause: &Finding| {
            OUT_OF_STEP.contains(&cause.code) && cause.cta == finding.cta && finding.cycle > cause.cycle && of_object(cause)
        };
        let follows = |cause: &&Finding| match finding.code {
            code if code == &codes::RACE => explained(cause),
            code if LATE.contains(&code) => is_late(cause),
            _ => is_after && is_near(cause.cta, finding.cta),
        };
        if let Some(cause) = causes.iter().find(follows) {
            finding.severity = Severity::Note;
            finding.help =
                format!("this may follow from the `{}` of CTA {}: correct that first", cause.code.name, cause.cta.unwrap_or(0));
        }
    }
}

/// A message names this mbarrier, or another one of the same array.
fn is_about(message: &str, object: &str) -> bool {
    let variable = |text: &str| -> Option<String> {
        let (_, named) = text.split_once("the mbarrier `")?;
        let name = named.split('`').next()?;
        Some(name.split('+').next().unwrap_or(name).to_string())
    };
    match variable(object) {
        Some(array) => variable(message) == Some(array),
        None => message.contains(object),
    }
}

/// What the findings come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// No error was found in a run that came to its end.
    Pass,
    /// At least one error.
    Fail,
    /// The run did not come to its end, and no error was found so far.
    Unknown,
}

impl CheckVerdict {
    pub fn of(found: &[Finding]) -> CheckVerdict {
        const OPEN: [&Code; 3] = [&codes::CYCLE_LIMIT, &codes::UNKNOWN_DECISION, &codes::NOT_BUILT];
        let errors = || found.iter().filter(|f| f.severity == Severity::Error);
        match errors().any(|f| !OPEN.contains(&f.code)) {
            true => CheckVerdict::Fail,
            false if errors().next().is_some() => CheckVerdict::Unknown,
            false => CheckVerdict::Pass,
        }
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::Pass => "pass",
            CheckVerdict::Fail => "fail",
            CheckVerdict::Unknown => "unknown",
        }
    }
}

/// All findings about a program, causes first, from a run that gave `report` and in which `issued` watched.
///
/// # Errors
/// As [`run`](crate::run), if machine, programs and configuration do not fit.
pub fn findings(subject: &Subject, report: &Report, issued: &Issued) -> Result<Vec<Finding>, Diagnostic> {
    let plans = plan(subject.machine, subject.config, subject.programs)?;
    let case = Case { subject, report, issued, plans };
    let mut found: Vec<Finding> = stops::find(&case).into_iter().collect();
    found.extend(faults::find(&case));
    found.extend(hang::find(&case));
    found.extend(grids::find(&case));
    found.extend(meetings::find(&case));
    found.extend(races::find(&case));
    found.extend(objects::find(&case));
    found.extend(unknown::find(&case));
    found.extend(text::find(&case));
    found.extend(early_waits::find(&case));
    consequences(&mut found, &case);
    found.iter_mut().for_each(|finding| finding.help = words::advice(&finding.help, case.kind(finding)));
    Ok(place::gather(found))
}
