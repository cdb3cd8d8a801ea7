// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The texts of all scenarios, and of the examples that they run.

use include_dir::{include_dir, Dir};

pub static SCENARIOS: Dir = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

pub static EXAMPLES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../examples");

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
pub fn all_scenarios() -> Vec<Text> {
    let files = SCENARIOS.dirs().flat_map(|d| d.files());
    let text = |f: &'static include_dir::File<'static>| {
        let feature = f.path().parent()?.to_str()?;
        Some(Text { feature, stem: f.path().file_stem()?.to_str()?, text: f.contents_utf8()? })
    };
    let mut all_scenarios: Vec<Text> =
        files.filter(|f| f.path().extension().is_some_and(|e| e == "toml")).filter_map(text).collect();
    all_scenarios.sort_by_key(Text::name);
    all_scenarios
}
