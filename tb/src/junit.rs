// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the results of a regression as JUnit XML: one test suite for each first component of the names. A test case has its time, its
//! seed, and the name without its last component as class name, by which CI systems group tests.
//!
//! The elements and attributes are those that the schemas of Jenkins (xUnit plugin) and Maven Surefire have in common: a test case has no
//! properties, so its seed is in `system-out`, and `type` and `time` are always given. The time of a suite, and of all suites, is the sum
//! of the times of its tests, as in these tools; tests that run in parallel take less.

use super::regress::result::TestResult;
use quick_junit::{NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The attribute that `quick-junit` gives to `testsuites`, which has none of this name in the schemas.
const EXTRA_ATTRIBUTE: &str = " skipped=\"0\"";

/// The XML text, in the order of the results. `properties` are those of the run, each with its name.
pub fn xml(results: &[TestResult], properties: &[(String, String)]) -> Result<String, SerializeError> {
    let mut report = Report::new("bcu regress");
    let suite_of = |r: &TestResult| r.name.split('/').next().unwrap_or_default().to_string();
    for group in results.chunk_by(|a, b| suite_of(a) == suite_of(b)) {
        let mut suite = TestSuite::new(text(&group.first().map(suite_of).unwrap_or_default()));
        for (name, value) in properties {
            suite.add_property(Property::new(text(name), text(value)));
        }
        suite.add_test_cases(group.iter().map(case));
        suite.set_time(time(group));
        report.add_test_suite(suite);
    }
    report.set_time(time(results));
    // The first element of the text is `testsuites`.
    Ok(report.to_string()?.replacen(EXTRA_ATTRIBUTE, "", 1))
}

/// The sum of the times of the tests. A test case has its time in milliseconds, so their sum is exact.
fn time(results: &[TestResult]) -> Duration {
    results.iter().map(|result| Duration::from_millis((result.seconds * 1000.0).round() as u64)).sum()
}

fn case(result: &TestResult) -> TestCase {
    let mut case = TestCase::new(text(&result.name), status(result));
    let class = result.name.rsplit_once('/').map_or(result.name.as_str(), |(class, _)| class);
    case.set_classname(text(class).replace('/', "."));
    case.set_time(time(std::slice::from_ref(result)));
    case.set_system_out(format!("seed {}", result.seed));
    case
}

fn status(result: &TestResult) -> TestCaseStatus {
    match &result.failure {
        None if !result.missing.is_empty() => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("incomplete").set_message(format!("no result of {} of its parts", result.missing.len()));
            status
        }
        None => TestCaseStatus::success(),
        Some(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("failed").set_message(text(why.lines().next().unwrap_or_default()));
            status.set_description(text(&format!("{why}\nrepeat with: {}", result.command)));
            status
        }
    }
}

/// The text without two characters that XML does not have. `quick-junit` strips the others.
fn text(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "")
}
