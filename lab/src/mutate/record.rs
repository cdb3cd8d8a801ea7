// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of the record of a campaign: its options, and mutants with their fates.

use super::campaign::Fate;
use super::netlist::TOP;
use bcu_isa::units;
use bcu_shard::{setting, Named};
use serde::{Deserialize, Serialize};

/// The choice of the faults of a campaign, and the limits of the search for each of them.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Exported unit that gets the faults.
    #[arg(long, default_value = TOP, value_parser = units::UNITS)]
    pub unit: String,
    /// Number of faults, over all modules.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub count: u32,
    /// Seed of the choice of faults.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=0x7fff_ffff))]
    pub seed: u32,
    /// Only faults in these modules of the export.
    #[arg(long, value_delimiter = ',', value_name = "MODULE")]
    pub modules: Vec<String>,
    /// Outermost module in which equivalence is checked; a unit of several multiprocessors is too large as a whole.
    #[arg(long, value_name = "MODULE")]
    pub within: Option<String>,
    /// Only the faults with these ids, as `--list` prints them.
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Cycles of each lockstep test.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: u32,
    /// Time limit in seconds of each proof of equivalence; a bounded search gets a quarter of it. Both run up to 21 times for a fault in its
    /// module, and again in each module around it.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: u32,
}

impl Plan {
    /// The command line that repeats a run with the same list of faults.
    pub fn command(&self) -> String {
        let Plan { count, seed, cycles, .. } = self;
        let modules = if self.modules.is_empty() { String::new() } else { format!(" --modules {}", self.modules.join(",")) };
        let within = self.within.as_ref().map_or(String::new(), |module| format!(" --within {module}"));
        let unit = if self.unit == TOP { String::new() } else { format!(" --unit {}", self.unit) };
        format!("cargo lab mutate{unit} --count {count} --seed {seed} --cycles {cycles}{modules}{within}")
    }

    /// Whether the faults are spread over the whole unit, as in `docs/evidence/verification.md`.
    pub fn is_of_whole_unit(&self) -> bool {
        self.unit == TOP && self.modules.is_empty() && self.only.is_empty()
    }
}

/// Everything that can change the fate of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    pub plan: Plan,
    /// CRC of the program file, which contains the exported design, the stimulus, the models and the scenarios.
    pub program: String,
    pub yosys: String,
    pub verilator: String,
}

impl bcu_shard::Options for Options {
    const COMMAND: &'static str = "cargo lab mutate";

    fn settings(&self) -> Vec<String> {
        let Plan { unit, count, seed, modules, within, only, cycles, seconds } = &self.plan;
        let list = |name: &str, values: &[String]| setting(name, (!values.is_empty()).then(|| values.join(",")));
        vec![
            format!("--unit {unit}"),
            format!("--count {count}"),
            format!("--seed {seed}"),
            list("--modules", modules),
            setting("--within", within.as_ref()),
            list("--only", only),
            format!("--cycles {cycles}"),
            format!("--seconds {seconds}"),
            self.yosys.clone(),
            self.verilator.clone(),
        ]
    }

    fn change(&self, _: &Options) -> String {
        "the record is of another build of lab".to_string()
    }
}

/// A mutant with its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub id: String,
    pub fate: Fate,
}

impl Named for Done {
    fn name(&self) -> &str {
        &self.id
    }

    fn agrees_with(&self, other: &Done) -> bool {
        self.fate == other.fate
    }
}
