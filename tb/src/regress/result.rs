// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a test and of its parts.

use crate::coverage::Table;
use serde::{Deserialize, Serialize};

/// The result of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// The part's first cycle within the test.
    pub first: usize,
    /// Why the part failed; `None`: it passed.
    pub failure: Option<String>,
    /// The command that repeats only this part.
    pub command: String,
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Why the test failed; `None`: it passed.
    pub failure: Option<String>,
    /// The command that repeats only this test, or only its failed part.
    pub command: String,
    /// The coverage points that a lockstep run has reached, if the plan requests coverage.
    pub coverage: Option<Table>,
}
