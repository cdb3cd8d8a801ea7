// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: a program on a machine, or steps at the ports of one unit, and what must come out. TOML; its schema is
//! `tb/scenario.schema.json`.
//!
//! Each runs on the unit and on the model, on every configuration that it names; both reports must be the same in
//! every cycle number, at ports in every output, and must be what the scenario expects.

mod check;
mod play;
mod run;
mod scene;
mod schema;

pub use check::check;
pub use run::{run, run_on, Failure};
pub use scene::{Number, Scene, Step, Word};
pub use schema::schema;

use bcu_hw::config;
use bcu_isa::diag::Diagnostic;
use bcu_machine::report::Stop;
use bcu_machine::{Machine, Reduction, Verdict};
use include_dir::{include_dir, Dir};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

static SCENARIOS: Dir = include_dir!("$CARGO_MANIFEST_DIR/scenarios");
static EXAMPLES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../examples");

/// One scenario.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What happens and why it must come out so, one or two sentences.
    pub description: String,
    /// Configurations to run on, by name.
    #[schemars(with = "Vec<String>")]
    pub configs: Vec<Spanned<String>>,
    /// The machine, as in a machine file.
    #[serde(default)]
    #[schemars(with = "schema::Machine")]
    pub machine: Machine,
    /// BCU assembly.
    pub program: Option<String>,
    /// In place of `program`: a file of `examples/`.
    #[schemars(with = "Option<String>")]
    pub example: Option<Spanned<String>>,
    /// What must come of the program.
    pub expect: Option<Expect>,
    /// In place of a program, its machine and `expect`: one unit at its ports.
    pub ports: Option<Scene>,
}

/// What must come out. What is left out may be anything, but faults, which must all be named.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    #[schemars(with = "schema::Verdict")]
    pub verdict: Verdict,
    /// The run takes at most so many cycles.
    pub max_cycles: Option<u64>,
    /// All completed generations, in the order of release; left out: any.
    pub generations: Option<Vec<ExpectGeneration>>,
    /// All faults, in their order.
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
    /// Words of memory at the end; others may be there as well.
    #[serde(default)]
    pub memory: Vec<ExpectWord>,
    /// Warps in the circle of those that wait for each other; left out: any.
    pub circle: Option<usize>,
}

/// A completed generation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectGeneration {
    #[serde(default)]
    pub cta: usize,
    pub id: u8,
    /// From 1, of this barrier in this CTA.
    #[serde(default = "one")]
    pub number: usize,
    /// The warps that arrived, in this order.
    pub order: Option<Vec<usize>>,
    /// The warps that arrived, in any order.
    pub arrived: Option<Vec<usize>>,
    /// The warps that waited and were released, in any order.
    pub released: Option<Vec<usize>>,
    /// How predicates were combined; left out: any, or no reduction.
    #[schemars(with = "Option<schema::Reduction>")]
    pub reduction: Option<Reduction>,
    /// The result of the reduction.
    pub value: Option<u32>,
    /// The warp whose exit completed it; left out: the last arrival did.
    pub exited: Option<usize>,
}

fn one() -> usize {
    1
}

/// A fault.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectFault {
    /// Name as in `docs/faults.md`.
    pub code: String,
    #[serde(default)]
    pub cta: usize,
    /// Left out for a fault of the whole CTA.
    pub warp: Option<usize>,
    pub id: Option<u8>,
    /// Line of the program.
    pub line: Option<usize>,
    /// What the fault policy did to the warp.
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
    /// Line of the program.
    pub line: Option<usize>,
    /// Warps that arrived in this generation.
    pub arrived: Option<Vec<usize>>,
    /// Warps that are reported as missing.
    pub missing: Option<Vec<usize>>,
}

/// Lanes that wait for other lanes, one bit each.
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
    /// Of shared memory; left out: global memory.
    pub cta: Option<usize>,
    /// Of its first byte.
    pub address: u32,
    pub value: u32,
}

/// A scenario text with its name: `<feature>/<file stem>`.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub feature: &'static str,
    pub stem: &'static str,
    pub text: &'static str,
}

impl Text {
    pub fn name(&self) -> String {
        format!("{}/{}", self.feature, self.stem)
    }
}

/// Every scenario of the project, sorted by name.
pub fn all() -> Vec<Text> {
    let files = SCENARIOS.dirs().flat_map(|d| d.files());
    let text = |f: &'static include_dir::File<'static>| {
        let feature = f.path().parent()?.to_str()?;
        Some(Text { feature, stem: f.path().file_stem()?.to_str()?, text: f.contents_utf8()? })
    };
    let mut all: Vec<Text> = files.filter(|f| f.path().extension().is_some_and(|e| e == "toml")).filter_map(text).collect();
    all.sort_by_key(Text::name);
    all
}

impl Scenario {
    /// Reads a scenario.
    pub fn parse(text: &str) -> Result<Scenario, Diagnostic> {
        let scenario: Scenario = toml::from_str(text).map_err(|e| Diagnostic::of_toml(&e, text))?;
        let unknown = scenario.configs.iter().find(|c| config::by_name(c.get_ref()).is_none());
        if let Some(name) = unknown {
            let names: Vec<&str> = config::all().map(|(n, _)| n).collect();
            let label = format!("expected one of: {}", names.join(", "));
            return Err(Diagnostic::new(name.span(), format!("there is no configuration `{}`", name.get_ref()), label));
        }
        if scenario.configs.is_empty() {
            return Err(Diagnostic::new(0..0, "a scenario needs at least one configuration", "expected `configs`"));
        }
        let Scenario { program, example, ports, expect, .. } = &scenario;
        if [program.is_some(), example.is_some(), ports.is_some()].into_iter().filter(|given| *given).count() != 1 {
            let message = "a scenario has either a `program`, an `example` or `ports`";
            return Err(Diagnostic::new(0..0, message, "expected one of the three"));
        }
        match (ports, expect) {
            (None, None) => return Err(Diagnostic::new(0..0, "nothing is expected of the program", "expected `[expect]`")),
            (Some(_), Some(_)) => {
                let message = "what `ports` must show stands in their steps";
                return Err(Diagnostic::new(0..0, message, "expected no `[expect]`"));
            }
            _ => {}
        }
        scenario.source()?;
        Ok(scenario)
    }

    /// The unit that it runs on.
    pub fn unit(&self) -> &str {
        self.ports.as_ref().map_or("bcu", |scene| &scene.unit)
    }

    /// The codes of the faults that it expects, as `docs/faults.md` names them.
    pub fn faults(&self) -> Vec<String> {
        let of_program = self.expect.iter().flat_map(|expect| expect.faults.iter().map(|fault| fault.code.clone()));
        of_program.chain(self.ports.iter().flat_map(Scene::faults)).collect()
    }

    /// Name and text of the program.
    pub fn source(&self) -> Result<(&str, &str), Diagnostic> {
        match (&self.program, &self.example) {
            (_, Some(example)) => {
                let text = EXAMPLES.get_file(example.get_ref()).and_then(|f| f.contents_utf8());
                let message = || format!("there is no example `{}`", example.get_ref());
                let missing = || Diagnostic::new(example.span(), message(), "expected a file of `examples/`");
                Ok((example.get_ref(), text.ok_or_else(missing)?))
            }
            (program, None) => Ok(("program.bcu", program.as_deref().unwrap_or_default())),
        }
    }
}
