// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of a regression: its tests, and how to run them.

use super::edited::Edited;
use crate::lockstep::units::{Lone, EPISODE};
use crate::scenario::text::{Entry, Suite};
use bcu_shard::Shard;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// What to run and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Only tests whose name contains this text; empty: all tests.
    pub filter: String,
    /// Seed of the lockstep runs and, if given, of the scenarios' machines.
    pub seed: Option<u64>,
    /// Cycles of each lockstep run. With all engines, the rust-hdl block and Verilator run a tenth of them and Icarus a hundredth.
    pub cycles: usize,
    /// The simulator that runs in addition to the model.
    pub engine: Engine,
    /// Count the coverage points of lockstep runs; an unreached point fails the test.
    pub coverage: bool,
    /// Number of tests that run at the same time; 0: one per processor.
    pub jobs: usize,
    /// The shard of the run that this process executes.
    pub shard: Shard,
    /// An edited export that replaces the project's export in lockstep.
    pub edited: Option<Edited>,
    /// The scenario files of the run.
    pub scenarios: Suite,
    /// The folder in which simulators may compile.
    pub directory: PathBuf,
}

/// The simulators that a regression uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Scenarios on the rust-hdl block; lockstep on every simulator, the slow ones for fewer cycles.
    #[default]
    All,
    /// The machine code of the netlist only.
    Compiled,
    /// The export under Verilator only.
    Verilator,
}

impl Engine {
    /// The name as in `--engine`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::All => "all",
            Engine::Compiled => "compiled",
            Engine::Verilator => "verilator",
        }
    }

    /// ` --engine NAME`, the option of a command that repeats a part; empty for the default.
    pub(super) fn option(self) -> String {
        self.lone().map_or(String::new(), |_| format!(" --engine {}", self.name()))
    }

    pub(super) fn lone(self) -> Option<Lone> {
        match self {
            Engine::All => None,
            Engine::Compiled => Some(Lone::Compiled),
            Engine::Verilator => Some(Lone::Verilator),
        }
    }
}

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub(super) kind: Kind,
}

impl Test {
    /// Whether coverage points are counted in this test, if the plan requests it.
    pub fn has_coverage(&self) -> bool {
        matches!(self.kind, Kind::Lockstep { .. })
    }

    /// The seed with which the test starts.
    pub(super) fn seed(&self, plan: &Plan) -> u64 {
        match &self.kind {
            Kind::Scenario { entry, .. } => entry.scenario.as_ref().map_or(0, |scenario| scenario.seed(plan.seed)),
            _ => plan.seed.unwrap_or(0),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Kind {
    Scenario {
        entry: Arc<Entry>,
        config: String,
    },
    Lockstep {
        unit: &'static str,
        config: &'static str,
    },
    Legal {
        unit: &'static str,
        config: &'static str,
    },
    /// A unit of an edited export.
    Edited {
        unit: &'static str,
    },
}

/// Cycles of a part: enough that the build time of its simulators is negligible.
pub const PART: usize = 100 * EPISODE;
