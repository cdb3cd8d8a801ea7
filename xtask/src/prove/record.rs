// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the record of a run of proofs holds.

use super::job::Choice;
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

    fn difference(&self, recorded: &Options) -> Option<String> {
        let tasks = |of: &Options| match of.choice.tasks.is_empty() {
            true => "all tasks".to_string(),
            false => format!("the tasks `{}`", of.choice.tasks.join(" ")),
        };
        let option = |is_set: bool, name: &str| if is_set { name.to_string() } else { format!("no {name}") };
        let pairs = [
            (tasks(recorded), tasks(self)),
            (option(recorded.choice.quick, "--quick"), option(self.choice.quick, "--quick")),
            (option(recorded.choice.added, "--added"), option(self.choice.added, "--added")),
            (recorded.tools.join(", "), self.tools.join(", ")),
        ];
        match pairs.iter().find(|(was, is)| was != is) {
            Some((was, is)) => Some(format!("the recorded run has {was}, this run has {is}")),
            None if self.inputs != recorded.inputs => {
                Some("the exported Verilog or its proofs have changed since the recorded run".to_string())
            }
            None => None,
        }
    }
}

/// A finished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// Whether the verdict is the expected one.
    pub good: bool,
    pub seconds: f64,
    /// The printed text, which may have several lines.
    pub line: String,
}
