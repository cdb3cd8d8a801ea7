// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a part and of a test.

use crate::coverage::{RunHits, Table};
use bcu_shard::seconds;
use serde::{Deserialize, Serialize};

/// The result of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// The part's first cycle within the test.
    pub first: usize,
    /// The seed of the part's first cycles.
    pub seed: u64,
    /// The time that the part took.
    #[serde(deserialize_with = "seconds")]
    pub seconds: f64,
    /// Why the part failed; `None`: it passed.
    pub failure: Option<String>,
    /// The command that repeats only this part.
    pub command: String,
    /// The coverage points that the part has reached, if the plan requests coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<RunHits>,
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// The seed of the test, or of its failed part.
    pub seed: u64,
    /// The sum of the times of the parts.
    pub seconds: f64,
    /// Why the test failed; `None`: it passed.
    pub failure: Option<String>,
    /// The command that repeats only this test, or only its failed part.
    pub command: String,
    /// The positions in the run of the parts that should have a result and have none.
    pub missing: Vec<usize>,
    /// The coverage points that a lockstep run has reached, if the plan requests coverage.
    pub coverage: Option<Table>,
}
