// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the wrappers of all languages have: first lines, names of classes, lists of files.

use super::super::set::{generated, Export, LICENCE};
use crate::ports::Unit;
use bcu_isa::ports::Port;

/// The first lines, each after the marker of a comment: licence, purpose, generator.
pub fn head(export: &Export, comment: &str, what: &str) -> String {
    let config = &export.config.name;
    let lines = [
        format!("SPDX-License-Identifier: {LICENCE}"),
        format!("{what} around the Verilog of the configuration {config}."),
        generated(),
    ];
    lines.map(|line| format!("{comment} {line}\n")).concat()
}

/// The name of a class: the name of the module without `_`, each word with a capital.
pub fn class(module: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    module.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

/// The files of a unit as a list of quoted names, in the order in which tools read them.
pub fn quoted_files(export: &Export, unit: &dyn Unit) -> String {
    let files: Vec<String> = export.sources(unit.name()).iter().map(|file| format!("\"{file}\"")).collect();
    files.join(", ")
}

/// The ports of a unit except `reset`, which the wrappers of some languages connect by themselves.
pub fn ports_without_reset(unit: &dyn Unit) -> impl Iterator<Item = Port> {
    unit.ports().into_iter().filter(|port| port.name != "reset")
}
