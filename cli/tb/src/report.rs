// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a regression: text on stdout, and JUnit XML.

use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::Batch;
use bcu_shard::Shard;
use bcu_tb::junit;
use bcu_tb::regress::result::TestResult;
use std::path::Path;
use std::process::Command;

/// The printed lines of a test: its result and, if it failed, the reason and the command that
/// repeats it.
pub fn lines(result: &TestResult) -> String {
    let TestResult { name, missing, command, .. } = result;
    match &result.failure {
        None if !missing.is_empty() => format!("??    {name}: no result of {} of its parts\n", missing.len()),
        None => format!("ok    {name}\n"),
        Some(why) => {
            let why = why.trim_end().replace('\n', "\n      ");
            format!("FAIL  {name}\n      {why}\n      repeat with: {command}\n")
        }
    }
}

/// Prints the coverage and the summary of a run whose tests have been printed.
pub fn summary(results: &[TestResult], shard: Shard) -> Result {
    let mut text: String = results.iter().filter_map(|r| r.coverage.as_ref()).map(|table| format!("{table}\n")).collect();
    let failed = results.iter().filter(|r| r.failure.is_some()).count();
    let incomplete = results.iter().filter(|r| r.failure.is_none() && !r.missing.is_empty()).count();
    if shard != Shard::WHOLE {
        text += &format!("shard {shard}: ");
    }
    text += &format!("{} passed, {failed} failed", results.len() - failed - incomplete);
    if incomplete > 0 {
        text += &format!(", {incomplete} incomplete");
    }
    print(&(text + "\n"))?;
    Ok(match (failed, incomplete) {
        (0, 0) => Outcome::Good,
        (0, _) => Outcome::CouldNotRun,
        _ => Outcome::CheckFailed,
    })
}

/// Writes the JUnit file.
pub fn write_junit(path: &Path, results: &[TestResult]) -> Result<()> {
    let xml = junit::xml(results, &tools()).map_err(|e| Failure::plain(format!("cannot write JUnit XML: {e}"), None))?;
    let mut batch = Batch::default();
    batch.add(path, &xml)?;
    batch.commit()
}

/// The programs that gave the results, each with its version.
fn tools() -> Vec<(&'static str, String)> {
    let version = |tool: &str, flag: &str| {
        let output = Command::new(tool).arg(flag).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string())
    };
    let absent = || "not installed".to_string();
    vec![
        ("bcu", env!("CARGO_PKG_VERSION").to_string()),
        ("verilator", version("verilator", "--version").unwrap_or_else(absent)),
        ("iverilog", version("iverilog", "-V").unwrap_or_else(absent)),
    ]
}
