// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a run to findings: the errors of a program, their locations in its text, and remedies.
//!
//! Findings come from the texts and operands of the programs (`text`), an error that stopped the run (`stops`), faults of the unit
//! (`faults`), a hang (`hang`), arrivals at named barriers (`meetings`), races (`races`, `early_waits`), misuses of mbarriers (`objects`),
//! grids (`grids`), unknown values (`unknown`) and variables without contents (`unset`). One misuse is one finding, however often it occurs.

mod codes;
mod consequences;
mod early_waits;
mod explored;
mod faults;
pub mod finding;
mod grids;
mod hang;
mod meetings;
mod objects;
mod place;
mod races;
pub mod schedules;
mod stops;
mod text;
mod unchecked;
mod unknown;
mod unset;
mod waits;
mod words;

pub use codes::{markdown, of_fault, Code, Severity, CODES, TABLE_BEGIN, TABLE_END};
pub use explored::difference;
pub use place::is_same_misuse;
pub use words::any_language;

use crate::exploration::Exploration;
use crate::issued::Issued;
use crate::plan::plan;
use crate::report::Report;
use bcu_isa::diag::Diagnostic;
use finding::{Case, Finding, Subject};
use schedules::Schedules;
use serde::Serialize;

/// The verdict of all findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// The run ended, and no error was found.
    Pass,
    /// At least one error was found.
    Fail,
    /// The run did not end, and no error was found until then.
    Unknown,
}

impl CheckVerdict {
    pub fn from_findings(found: &[Finding]) -> CheckVerdict {
        const OPEN: [&Code; 3] = [&codes::CYCLE_LIMIT, &codes::UNKNOWN_DECISION, &codes::NOT_BUILT];
        let errors = || found.iter().filter(|f| f.severity == Severity::Error);
        match errors().any(|f| !OPEN.contains(&f.code)) {
            true => CheckVerdict::Fail,
            false if errors().next().is_some() => CheckVerdict::Unknown,
            false => CheckVerdict::Pass,
        }
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::Pass => "pass",
            CheckVerdict::Fail => "fail",
            CheckVerdict::Unknown => "unknown",
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// All findings about the program, errors first.
    pub findings: Vec<Finding>,
    pub schedules: Schedules,
}

/// Checks a run. `report` is the result of the run, and `issued` has recorded its arrivals.
///
/// # Errors
/// As [`run`](crate::run), if machine, programs and configuration do not fit.
pub fn check_run(subject: &Subject, report: &Report, issued: &Issued) -> Result<Checked, Diagnostic> {
    let plans = plan(subject.machine, subject.config, subject.programs)?;
    let case = Case { subject, report, issued, plans };
    let mut found: Vec<Finding> = stops::find(&case).into_iter().collect();
    found.extend(faults::find(&case));
    found.extend(hang::find(&case));
    found.extend(grids::find(&case));
    found.extend(meetings::find(&case));
    found.extend(races::find(&case));
    found.extend(objects::find(&case));
    found.extend(unchecked::find(&case));
    found.extend(unknown::find(&case));
    found.extend(unset::find(&case));
    found.extend(text::find(&case));
    found.extend(early_waits::find(&case));
    consequences::explain_early_phases(&mut found, &case);
    consequences::demote(&mut found, &case);
    found.iter_mut().for_each(|finding| finding.help = words::advice(&finding.help, case.kind(finding)));
    Ok(Checked { findings: place::gather(found), schedules: schedules::judge(&case) })
}

/// The findings of an exploration, whose first run has the result `report`.
///
/// # Errors
/// As [`check_run`].
pub fn check_exploration(
    subject: &Subject,
    report: &Report,
    issued: &Issued,
    exploration: &Exploration,
) -> Result<Vec<Finding>, Diagnostic> {
    let plans = plan(subject.machine, subject.config, subject.programs)?;
    let case = Case { subject, report, issued, plans };
    let mut found = explored::find(&case, exploration);
    found.iter_mut().for_each(|finding| finding.help = words::advice(&finding.help, case.kind(finding)));
    Ok(place::gather(found))
}
