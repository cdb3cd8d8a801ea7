// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a test and of its parts.

use crate::coverage::Table;
use serde::{Deserialize, Serialize};

/// The result of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// Its first cycle within the test.
    pub first: usize,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that repeats only this part.
    pub command: String,
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that repeats only this test, or only its failed part.
    pub command: String,
    /// The coverage of a lockstep run, as far as it ran, if the plan requests it.
    pub coverage: Option<Table>,
}
