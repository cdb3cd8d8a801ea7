// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run of a check: its report, and the findings.

use crate::cmd::case::{Case, Ran};
use crate::failure::{Failure, Result};
use crate::hardware::Engine;
use bcu_machine::check::{check_run, Checked};
use bcu_machine::issued::Issued;
use bcu_machine::{Cycle, Observer, Report};

/// A run that was checked.
pub struct Run {
    pub report: Report,
    pub checked: Checked,
}

/// Runs the case on the model and checks the run, without progress, because several run at once.
pub fn run_silent(case: &Case, strict: bool) -> Result<Run> {
    let mut issued = Issued::new(&case.ports()?).map_err(|e| Failure::plain(e, None))?;
    let mut observe = |cycle: &Cycle| issued.cycle(cycle);
    let ran = case.run_silent(&mut None, Engine::Model, Observer::of_changes(&mut observe))?;
    check_ran(case, ran, &issued, strict)
}

/// Checks a run of the case.
pub fn check_ran(case: &Case, ran: Ran, issued: &Issued, strict: bool) -> Result<Run> {
    let mismatches = ran.result.mismatches.clone();
    // If an error stopped the program, the report contains the error as a further finding.
    let mut report = match ran.stopped() {
        Some(report) => report.clone(),
        None => ran.report()?,
    };
    report.mismatches = case.explain(&mismatches, &report);
    let files = case.texts();
    let subject = case.session.subject(&files, strict);
    let mut checked = check_run(&subject, &report, issued).map_err(|e| Failure::plain(e.message, e.help.as_deref()))?;
    for finding in &mut checked.findings {
        if let Some(program) = case.sources.get(finding.at.as_ref().map_or(0, |at| at.file)) {
            finding.help = program.with_source_names(&finding.help);
            finding.message = program.with_source_names(&finding.message);
        }
    }
    Ok(Run { report, checked })
}
