// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a regression: its text, and the files of its results.

use crate::coverage;
use bcu_cli::failure::{Failure, Outcome, Result};
use bcu_cli::files::Batch;
use bcu_shard::Shard;
use bcu_tb::junit;
use bcu_tb::plain::{plain, plain_lines};
use bcu_tb::regress::result::TestResult;
use std::path::Path;

/// The printed lines of a test: its result and, if it failed, the reason and the command that
/// repeats it.
pub fn lines(result: &TestResult) -> String {
    let TestResult { missing, command, .. } = result;
    let name = plain(&result.name);
    match &result.failure {
        None if !missing.is_empty() => format!("??    {name}: no result of {} of its parts\n", missing.len()),
        None => format!("ok    {name}\n"),
        Some(why) => {
            let (why, command) = (plain_lines(why, "      "), plain(command));
            format!("FAIL  {name}\n      {why}\n      repeat with: {command}\n")
        }
    }
}

/// A number of things, for example `1 part` or `2 parts`.
pub fn counted(number: impl Into<u64>, what: &str) -> String {
    match number.into() {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}

/// The coverage and the summary of a run, which follow the lines of its tests; and its outcome. The coverage of a shard is not printed: it
/// is only a part of that of the run. `all` prints all coverage points, and not only those that are missing.
pub fn summary(results: &[TestResult], shard: Shard, all: bool) -> (String, Outcome) {
    let tables = results.iter().filter(|_| shard == Shard::WHOLE).filter_map(|result| result.coverage.as_ref());
    let mut text: String = tables.map(|table| coverage::shown(table, all)).collect();
    let failed = results.iter().filter(|r| r.failure.is_some()).count();
    let incomplete = results.iter().filter(|r| r.failure.is_none() && !r.missing.is_empty()).count();
    if shard != Shard::WHOLE {
        text += &format!("shard {shard}: ");
    }
    text += &format!("{} passed, {failed} failed", results.len() - failed - incomplete);
    if incomplete > 0 {
        text += &format!(", {incomplete} incomplete");
    }
    let outcome = match (failed, incomplete) {
        (0, 0) => Outcome::Good,
        (0, _) => Outcome::CouldNotRun,
        _ => Outcome::CheckFailed,
    };
    (text + "\n", outcome)
}

/// The files of the results, which are written together. Each is written if it has a path.
pub struct Files<'a> {
    pub junit: Option<&'a Path>,
    pub coverage_data: Option<&'a Path>,
    /// The path and the text of the report.
    pub report: Option<(&'a Path, &'a str)>,
    /// The program that ran the tests, for the coverage data.
    pub build: String,
    /// The properties of the run in the JUnit file.
    pub properties: Vec<(String, String)>,
}

impl Files<'_> {
    pub fn write(&self, results: &[TestResult]) -> Result<()> {
        let mut batch = Batch::default();
        if let Some(path) = self.junit {
            let xml = junit::xml(results, &self.properties);
            let xml = xml.map_err(|e| Failure::plain(format!("cannot write JUnit XML: {e}"), None))?;
            batch.add(path, xml)?;
        }
        if let Some(path) = self.coverage_data {
            batch.add(path, coverage::of_results(path, results, self.build.clone())?)?;
        }
        if let Some((path, text)) = self.report {
            batch.add(path, text)?;
        }
        batch.commit()
    }
}
