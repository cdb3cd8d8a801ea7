// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scenarios of a regression: the scenarios that are compiled in, or the scenarios of a folder that the caller has read.

use super::file::{FindProgram, Scenario};
use crate::cosim::key;
use include_dir::{include_dir, Dir};
use std::path::PathBuf;
use std::sync::Arc;

static SCENARIOS: Dir = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

static EXAMPLES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../examples");

/// The file of `examples/` with this path; see [`FindProgram`].
pub fn compiled_in_program(name: &str) -> Result<Option<String>, String> {
    Ok(EXAMPLES.get_file(name).and_then(|file| file.contents_utf8()).map(str::to_string))
}

/// A scenario with its name and its file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `<feature>/<file stem>`.
    pub name: String,
    /// Path of the file, as messages show it.
    pub file: String,
    text: String,
    /// The scenario, or the reason why the text is not one, with file, line and column.
    pub scenario: Result<Scenario, String>,
}

impl Entry {
    /// Reads a scenario from `text`; `programs` finds the program file that the scenario may name.
    pub fn new(name: String, file: String, text: String, programs: FindProgram) -> Entry {
        let scenario = Scenario::parse(&file, &text, programs).map_err(|error| error.at(&file, &text));
        Entry { name, file, text, scenario }
    }
}

/// All scenarios of a regression.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The scenarios, sorted by name.
    pub entries: Vec<Arc<Entry>>,
    /// The folder of the scenarios; `None`: they are compiled in.
    pub folder: Option<PathBuf>,
}

impl Suite {
    /// The scenarios of the project.
    pub fn compiled_in() -> Suite {
        let files = SCENARIOS.dirs().flat_map(Dir::files).filter(|file| file.path().extension().is_some_and(|e| e == "toml"));
        let entry = |file: &include_dir::File| {
            let path = file.path().to_str()?;
            let (name, text) = (path.strip_suffix(".toml")?.to_string(), file.contents_utf8()?.to_string());
            Some(Entry::new(name, format!("tb/scenarios/{path}"), text, &compiled_in_program))
        };
        Suite::new(files.filter_map(entry).collect(), None)
    }

    /// The given scenarios, which are from `folder`.
    pub fn new(mut entries: Vec<Entry>, folder: Option<PathBuf>) -> Suite {
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Suite { entries: entries.into_iter().map(Arc::new).collect(), folder }
    }

    /// A hash of the texts of a folder, with the programs that they name; `None` for scenarios that are compiled in.
    pub fn digest(&self) -> Option<String> {
        self.folder.as_ref()?;
        let parts = self.entries.iter().flat_map(|entry| {
            let program = entry.scenario.as_ref().map_or("", |scenario| scenario.source().1);
            [entry.name.as_str(), &entry.text, program]
        });
        Some(key(&parts.collect::<Vec<_>>()))
    }
}
