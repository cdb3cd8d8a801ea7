// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of the record of a run of proofs: its options and its finished jobs.

use super::job::Choice;
use bcu_shard::{flag, seconds, Named};
use serde::{Deserialize, Serialize};

/// Everything that can change the result of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    pub choice: Choice,
    /// CRC of the inputs of all jobs.
    pub inputs: String,
    /// The versions of SymbiYosys and the solvers.
    pub tools: Vec<String>,
}

impl bcu_shard::Options for Options {
    const COMMAND: &'static str = "cargo xtask prove";

    fn settings(&self) -> Vec<String> {
        let Choice { tasks, quick, added } = &self.choice;
        let tasks = match tasks.is_empty() {
            true => "all tasks".to_string(),
            false => format!("the tasks `{}`", tasks.join(" ")),
        };
        vec![tasks, flag("--quick", *quick), flag("--added", *added), self.tools.join(", ")]
    }

    fn change(&self, _: &Options) -> String {
        "the exported Verilog or its proofs have changed since the recorded run".to_string()
    }
}

/// A finished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// Whether the verdict is the expected one.
    pub good: bool,
    #[serde(deserialize_with = "seconds")]
    pub seconds: f64,
    /// The printed text, which may have several lines.
    pub line: String,
}

impl Named for Done {
    fn name(&self) -> &str {
        &self.name
    }

    fn agrees_with(&self, other: &Done) -> bool {
        self.good == other.good
    }
}
