// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file format of a scenario.

use super::expect::Expect;
use super::scene::Scene;
use super::schema::{self};
use super::source::Source;
use bcu_hw::config;
use bcu_isa::diag::Diagnostic;
use bcu_machine::Machine;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// Returns the text of the program file with the given name, or `None` if there is no such file.
///
/// # Errors
/// If the file exists and cannot be read: the reason.
pub type FindProgram<'a> = &'a dyn Fn(&str) -> Result<Option<String>, String>;

/// One scenario.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What happens in the scenario and why the result is right, in one or two sentences.
    pub description: String,
    /// Configurations to run on, by name.
    #[schemars(with = "Vec<String>")]
    pub configs: Vec<Spanned<String>>,
    /// The machine, as in a machine file.
    #[serde(default)]
    #[schemars(with = "schema::Machine")]
    pub machine: Machine,
    /// The program in BCU assembly.
    #[schemars(with = "Option<String>")]
    pub program: Option<Spanned<String>>,
    /// The text of the scenario and its file.
    #[serde(skip)]
    source: Source,
    /// Instead of `program`: the name of a program file in the folder of the scenario, in the folder of `--scenarios` or in `examples/`.
    #[schemars(with = "Option<String>")]
    pub example: Option<Spanned<String>>,
    /// The text of the file that `example` names.
    #[serde(skip)]
    example_text: String,
    /// The expected results of the program.
    pub expect: Option<Expect>,
    /// Instead of a program with its machine and `expect`: steps at the ports of one unit.
    pub ports: Option<Scene>,
}

impl Scenario {
    /// The seed of the scenario's machine, which `given` replaces.
    pub fn seed(&self, given: Option<u64>) -> u64 {
        given.unwrap_or(self.machine.seed)
    }

    /// Reads a scenario from the text of `file`; `programs` finds the file that `example` names.
    pub fn parse(file: &str, text: &str, programs: FindProgram) -> Result<Scenario, Diagnostic> {
        let mut scenario: Scenario = toml::from_str(text).map_err(|e| Diagnostic::of_toml(&e, text))?;
        let unknown = scenario.configs.iter().find(|c| config::by_name(c.get_ref()).is_none());
        if let Some(name) = unknown {
            let names: Vec<&str> = config::all().map(|(n, _)| n).collect();
            let label = format!("expected one of: {}", names.join(", "));
            return Err(Diagnostic::new(name.span(), format!("configuration `{}` does not exist", name.get_ref()), label));
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
            (None, None) => {
                return Err(Diagnostic::new(
                    0..0,
                    "a scenario with a program or an example needs an expected result",
                    "expected `[expect]`",
                ))
            }
            (Some(_), Some(_)) => {
                let message = "`[expect]` is not allowed with `ports`; put the expected outputs in the steps";
                return Err(Diagnostic::new(0..0, message, "expected no `[expect]`"));
            }
            _ => {}
        }
        scenario.source = Source::new(file, text);
        if let Some(program) = &scenario.program {
            scenario.source.set_program(program.span(), program.get_ref());
        }
        if let Some(example) = &scenario.example {
            let name = example.get_ref();
            let expected = "expected a program file next to the scenario, in the folder of `--scenarios` or in `examples/`";
            let wrong = |message: String| Diagnostic::new(example.span(), message, expected);
            let found = programs(name).map_err(wrong)?;
            scenario.example_text = found.ok_or_else(|| wrong(format!("the program file `{name}` does not exist")))?;
        }
        Ok(scenario)
    }

    /// The unit that the scenario runs on.
    pub fn unit(&self) -> &str {
        self.ports.as_ref().map_or("bcu", |scene| &scene.unit)
    }

    /// The codes of the faults that the scenario expects, as `docs/contract/faults.md` names them.
    pub fn faults(&self) -> Vec<String> {
        let of_program = self.expect.iter().flat_map(|expect| expect.faults.iter().map(|fault| fault.code.clone()));
        of_program.chain(self.ports.iter().flat_map(Scene::faults)).collect()
    }

    /// Name and text of the program.
    pub fn source(&self) -> (&str, &str) {
        match &self.example {
            Some(example) => (example.get_ref(), &self.example_text),
            None => ("program.bcu", self.program.as_ref().map_or("", |program| program.get_ref())),
        }
    }

    /// The text of the program that runs: its lines are those of the file that `example` names, or of the scenario that contains it.
    pub(super) fn program_text(&self) -> String {
        let (_, text) = self.source();
        if self.example.is_some() {
            text.to_string()
        } else {
            self.source.padded(text)
        }
    }

    /// The number of lines before the program in the scenario that contains it.
    pub(super) fn lines_before_program(&self) -> usize {
        self.source.lines_before_program()
    }

    /// An error of the program that runs, on one line, with its place in the file that `example` names or in the scenario.
    pub(super) fn program_error(&self, error: &Diagnostic) -> String {
        let (name, text) = self.source();
        if self.example.is_some() {
            error.at(name, text)
        } else {
            self.source.program_error(error, text)
        }
    }

    /// An error of the machine on one line, with its place in the scenario.
    pub(super) fn machine_error(&self, error: &Diagnostic) -> String {
        error.at(&self.source.file, &self.source.text)
    }
}

/// The JSON schema of a scenario, for editors and for `tb/scenario.schema.json`.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Scenario);
    serde_json::to_string_pretty(&schema).map_or(String::new(), |text| text + "\n")
}
