// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as findings: what is wrong with a program, where in its text, and what to do.
//!
//! Findings come from the text before the run (`text`), from the faults of the unit (`faults`), from a hang (`hang`) and from what
//! met at the barriers (`meetings`). One misuse is one finding, however often it happens.

mod codes;
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

pub use codes::{markdown, of_fault, Code, Severity, CODES, TABLE_BEGIN, TABLE_END};

use crate::issued::Issued;
use crate::plan::plan;
use crate::report::Report;
use bcu_isa::diag::Diagnostic;
use finding::{Case, Finding, Subject};

/// A refused operation of a CTA comes before what it leads to: that others wait for ever, or that a barrier is left open.
fn consequences(found: &mut [Finding]) {
    const AFTER: [&Code; 9] = [
        &codes::SIGNAL_MISSING,
        &codes::DEADLOCK,
        &codes::COUNTED_EXIT,
        &codes::WAIT_CYCLE,
        &codes::BARRIER_LEFT_OPEN,
        &codes::MBARRIER_WAIT,
        &codes::CLUSTER_WAIT,
        &codes::MBARRIER_LEFT_OPEN,
        &codes::MBARRIER_BYTES_LEFT,
    ];
    let causes: Vec<(Option<usize>, &'static Code)> = found
        .iter()
        .filter(|f| f.severity == Severity::Error && f.times > 0 && f.code.reported() && !AFTER.contains(&f.code))
        .map(|f| (f.cta, f.code))
        .collect();
    for finding in found.iter_mut().filter(|f| AFTER.contains(&f.code)) {
        if let Some((_, cause)) = causes.iter().find(|(cta, _)| *cta == finding.cta) {
            finding.severity = Severity::Note;
            finding.help = format!("this may follow from the `{}` of this CTA: mend that first", cause.name);
        }
    }
}

/// All findings about a program, sorted by place, from a run that gave `report` and in which `issued` watched.
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
    found.extend(text::find(&case));
    consequences(&mut found);
    Ok(place::gather(found))
}
