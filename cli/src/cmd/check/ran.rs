// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run of a check: the case, its report, and the findings.

use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::hardware::{Device, Engine};
use bcu_machine::check::{check_run, Checked};
use bcu_machine::issued::Issued;
use bcu_machine::{Cycle, Observer, Report};

/// A run that was checked.
pub struct Run {
    pub case: Case,
    pub report: Report,
    pub issued: Issued,
    pub checked: Checked,
}

/// Runs the case and checks the run. A silent run prints no progress, because several run at once.
pub fn run_case(
    case: Case,
    device: &mut Option<Box<dyn Device>>,
    engine: Engine,
    (strict, is_silent): (bool, bool),
) -> Result<Run> {
    let mut issued = Issued::new(&case.ports()?).map_err(|e| Failure::plain(e, None))?;
    let mut observe = |cycle: &Cycle| issued.cycle(cycle);
    let observer = Observer::of_changes(&mut observe);
    let ran = match is_silent {
        true => case.run_silent(device, engine, observer)?,
        false => case.run(device, engine, observer)?,
    };
    let mismatches = ran.result.mismatches.clone();
    // If an error stopped the program, the report contains the error as a further finding.
    let mut report = match ran.stopped() {
        Some(report) => report.clone(),
        None => ran.report()?,
    };
    report.mismatches = case.explain(&mismatches, &report);
    let files = case.texts();
    let subject = case.session.subject(&files, strict);
    let mut checked = check_run(&subject, &report, &issued).map_err(|e| Failure::plain(e.message, e.help.as_deref()))?;
    for finding in &mut checked.findings {
        if let Some(program) = case.sources.get(finding.at.as_ref().map_or(0, |at| at.file)) {
            finding.help = program.with_source_names(&finding.help);
        }
    }
    drop(files);
    Ok(Run { case, report, issued, checked })
}
