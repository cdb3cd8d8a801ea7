// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the results of a regression as JUnit XML: one test suite for each first component of the names. A test case has its time, its seed,
//! and the name without its last component as class name, by which CI systems group tests.

use super::regress::result::TestResult;
use quick_junit::{NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The XML text, in the order of the results; `tools` are the programs that produced them, each with its version.
pub fn xml(results: &[TestResult], tools: &[(&str, String)]) -> Result<String, SerializeError> {
    // XML forbids these two characters. `quick-junit` strips all other forbidden characters.
    let text = |text: &str| text.replace(['\u{fffe}', '\u{ffff}'], "");
    let mut report = Report::new("bcu regress");
    let suite_of = |r: &TestResult| r.name.split('/').next().unwrap_or_default().to_string();
    for group in results.chunk_by(|a, b| suite_of(a) == suite_of(b)) {
        let mut suite = TestSuite::new(text(&group.first().map(suite_of).unwrap_or_default()));
        for (tool, version) in tools {
            suite.add_property(Property::new(format!("version of {tool}"), version.as_str()));
        }
        let mut seconds = 0.0;
        for result in group {
            let status = match &result.failure {
                None if !result.missing.is_empty() => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                    status.set_message(format!("no result of {} of its parts", result.missing.len()));
                    status
                }
                None => TestCaseStatus::success(),
                Some(why) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(text(why.lines().next().unwrap_or_default()));
                    status.set_description(text(&format!("{why}\nrepeat with: {}", result.command)));
                    status
                }
            };
            let mut case = TestCase::new(text(&result.name), status);
            let class = result.name.rsplit_once('/').map_or(result.name.as_str(), |(class, _)| class);
            case.set_classname(text(class).replace('/', "."));
            case.set_time(Duration::from_secs_f64(result.seconds));
            case.properties.push(Property::new("seed", result.seed.to_string()));
            seconds += result.seconds;
            suite.add_test_case(case);
        }
        suite.set_time(Duration::from_secs_f64(seconds));
        report.add_test_suite(suite);
    }
    report.to_string()
}
