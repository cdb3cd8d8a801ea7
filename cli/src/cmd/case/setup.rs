// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where programs and options of a run come from beside the command line: the compiler, and the project file.

use super::nvcc::flags::Compiled;
use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Setup {
    /// How nvcc has compiled the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled: Option<Compiled>,
    /// The project file in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// For each launch of which only a part of the grid runs, a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Setup {
    /// Lines for a report, each with its line end.
    pub fn lines(&self) -> String {
        let compiled = self.compiled.as_ref().map(|compiled| compiled.sentence() + "\n");
        let project = self.project.as_ref().map(|path| format!("project file: {path}\n"));
        let parts = self.parts.iter().map(|part| part.clone() + "\n");
        [compiled, project].into_iter().flatten().chain(parts).collect()
    }
}
