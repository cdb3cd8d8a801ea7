// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expectations of a scenario.

use super::schema::{self};
use bcu_machine::report::arrival::Reduction;
use bcu_machine::report::stop::Stop;
use bcu_machine::Verdict;
use schemars::JsonSchema;
use serde::Deserialize;

/// The expected results. An omitted key matches anything, except `faults`, which must list all faults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    #[schemars(with = "schema::Verdict")]
    pub verdict: Verdict,
    /// The maximum number of cycles of the run.
    pub max_cycles: Option<u64>,
    /// All completed generations, in the order of release; omitted: any.
    pub generations: Option<Vec<ExpectGeneration>>,
    /// All faults, in order.
    #[serde(default)]
    pub faults: Vec<ExpectFault>,
    /// All warps that are blocked at the end, in the order of CTA and warp; for the verdicts `hung` and `unfinished`.
    #[serde(default)]
    pub blocked: Vec<ExpectBlocked>,
    /// All warps that the fault policy holds at the end, as `[CTA, warp]`; for the verdicts `hung` and `unfinished`.
    #[serde(default)]
    pub stopped: Vec<(usize, usize)>,
    /// All lanes that wait for other lanes of their warp at the end, in the order of CTA and warp; for the verdicts `hung` and `unfinished`.
    #[serde(default)]
    pub lanes: Vec<ExpectLanes>,
    /// Words of memory at the end; other words may be present as well.
    #[serde(default)]
    pub memory: Vec<ExpectWord>,
    /// Number of warps in the circular wait; omitted: any number.
    pub circle: Option<usize>,
}

/// A completed generation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectGeneration {
    #[serde(default)]
    pub cta: usize,
    pub id: u8,
    /// Number of the generation, counted from 1 for each barrier of each CTA.
    #[serde(default = "default_count")]
    pub number: usize,
    /// The warps that arrived, in the order of their arrivals.
    pub order: Option<Vec<usize>>,
    /// The warps that arrived, in any order.
    pub arrived: Option<Vec<usize>>,
    /// The warps that waited and were released, in any order.
    pub released: Option<Vec<usize>>,
    /// How predicates are combined; omitted: any reduction, or none.
    #[schemars(with = "Option<schema::Reduction>")]
    pub reduction: Option<Reduction>,
    /// The result of the reduction.
    pub value: Option<u32>,
    /// The warp whose exit completed the generation; omitted: the last arrival completed it.
    pub exited: Option<usize>,
}

pub fn default_count() -> usize {
    1
}

/// A fault.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectFault {
    /// Name of the fault code as in `docs/contract/faults.md`.
    pub code: String,
    #[serde(default)]
    pub cta: usize,
    /// The warp; omitted for a fault of the whole CTA.
    pub warp: Option<usize>,
    pub id: Option<u8>,
    /// Line of the program, from 1. Messages have the line of the scenario's file.
    pub line: Option<usize>,
    /// How the fault policy stopped the warp, if it did.
    #[schemars(with = "Option<schema::Stop>")]
    pub stopped: Option<Stop>,
}

/// A blocked warp.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectBlocked {
    #[serde(default)]
    pub cta: usize,
    pub warp: usize,
    pub id: u8,
    /// Line of the program, from 1. Messages have the line of the scenario's file.
    pub line: Option<usize>,
    /// Warps that have arrived in the generation for which the warp waits.
    pub arrived: Option<Vec<usize>>,
    /// Warps that are reported as missing in that generation.
    pub missing: Option<Vec<usize>>,
}

/// Lanes that wait for other lanes of their warp, one bit each.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectLanes {
    #[serde(default)]
    pub cta: usize,
    pub warp: usize,
    pub waiting: u64,
    pub missing: u64,
}

/// A word of memory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectWord {
    /// The CTA of a word in shared memory; omitted: global memory.
    pub cta: Option<usize>,
    /// The address of the word's first byte.
    pub address: u32,
    pub value: u32,
}
