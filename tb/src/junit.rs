// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the results of a regression as JUnit XML: one test suite for each first component of the names.

use super::regress::result::TestResult;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

/// The XML text, in the order of the results.
pub fn xml(results: &[TestResult]) -> Result<String, SerializeError> {
    let mut report = Report::new("bcu regress");
    let suite_of = |r: &TestResult| r.name.split('/').next().unwrap_or_default().to_string();
    for group in results.chunk_by(|a, b| suite_of(a) == suite_of(b)) {
        let mut suite = TestSuite::new(group.first().map(suite_of).unwrap_or_default());
        for result in group {
            let status = match &result.failure {
                None => TestCaseStatus::success(),
                Some(text) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(text.lines().next().unwrap_or_default());
                    status.set_description(format!("{text}\nrepeat with: {}", result.command));
                    status
                }
            };
            suite.add_test_case(TestCase::new(result.name.as_str(), status));
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}
