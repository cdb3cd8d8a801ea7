// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What became of a test and of its parts.

use crate::coverage::Table;
use serde::{Deserialize, Serialize};

/// How a part came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// Its first cycle within the test.
    pub first: usize,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that runs this part alone again.
    pub command: String,
}

/// How a test came out.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that runs this test, or the part of it that failed, alone again.
    pub command: String,
    /// What a lockstep run has reached, as far as it went, if the plan asks for it.
    pub coverage: Option<Table>,
}
