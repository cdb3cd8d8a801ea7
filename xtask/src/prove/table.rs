// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `tb/proofs/proofs.toml`: which tasks each proof has, and the mutants that show that it bites.

use anyhow::{bail, Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    proof: Vec<Proof>,
}

/// One checker beside one unit: `<file>.sv` with `<file>.sby`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub name: String,
    /// Stem of the .sby file if it is not the name.
    file: Option<String>,
    /// The unit, as the catalogue names it.
    pub unit: String,
    /// Tasks of the .sby file; each begins with the configuration and `_`.
    pub tasks: Vec<String>,
    /// Those of them that belong to `--quick`.
    pub quick: Vec<String>,
    /// The task that runs on mutants.
    pub mutant_task: String,
    #[serde(rename = "mutant")]
    pub mutants: Vec<Mutant>,
}

impl Proof {
    /// Stem of the .sby file.
    pub fn file(&self) -> &str {
        self.file.as_deref().unwrap_or(&self.name)
    }
}

/// A fault put into the exported text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    pub name: String,
    /// Text of the export, found exactly once, and what replaces it.
    pub find: String,
    pub replace: String,
    /// Label of the property that must fail.
    pub fails: String,
    /// Another task than the proof's `mutant_task`.
    pub task: Option<String>,
    #[serde(default)]
    pub quick: bool,
}

pub fn parse(text: &str) -> Result<Vec<Proof>> {
    Ok(toml::from_str::<Text>(text).context("tb/proofs/proofs.toml")?.proof)
}

/// The exported text with the fault in it.
pub fn mutated(text: &str, mutant: &Mutant) -> Result<String> {
    match text.matches(&mutant.find).count() {
        1 => Ok(text.replacen(&mutant.find, &mutant.replace, 1)),
        n => bail!(
            "mutant {}: `{}` stands {n} times in the exported text, not once: write its `find` in tb/proofs/proofs.toml anew",
            mutant.name,
            mutant.find
        ),
    }
}

/// The .sby text with no other property than `label`, so that a mutant fails just that, and not another one sooner.
pub fn alone(sby: &str, label: &str) -> String {
    let rule = format!("chformal -remove -assert c:* c:{label} %d");
    let named = !label.contains(' ');
    let lines = sby.lines().map(|line| match line {
        _ if named && line.starts_with("prep -top") => format!("{line}\n{rule}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_property_is_left_to_a_mutant() {
        let sby = "[script]\nprep -top x\n\n[files]\n";
        assert!(alone(sby, "a_b").contains("prep -top x\nchformal -remove -assert c:* c:a_b %d\n"));
        assert_eq!(alone(sby, "Assertion failed: selection"), sby);
    }
}
