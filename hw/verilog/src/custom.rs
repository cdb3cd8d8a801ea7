// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Leaves with hand-written Verilog: their text, inside a separate module with the header of all modules.

use super::collect::Module;
use super::docs::Docs;
use super::literal::{literal, range};
use super::module_text::{indented, ModuleText, PortText};
use super::names::mangle;
use super::package::Language;
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::AtomKind;
use std::collections::{BTreeMap, BTreeSet};

/// The names in the text with their positions; the characters between them are skipped.
fn words(text: &str) -> Vec<(usize, &str)> {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut found = vec![];
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, name(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push((from, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The names on the left of a continuous assignment: these are nets; all other outputs are registers.
fn assigned(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in words(text).into_iter().filter(|(_, word)| *word == "assign") {
        let left = text.get(at..).and_then(|rest| rest.split('=').next()).unwrap_or_default();
        names.extend(words(left).into_iter().skip(1).map(|(_, word)| word.to_string()));
    }
    names
}

/// The text with every name of the map replaced.
fn renamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut done = 0;
    for (at, word) in words(text) {
        if let Some(new) = names.get(word) {
            out.push_str(&text[done..at]);
            out.push_str(new);
            done = at + word.len();
        }
    }
    out + &text[done..]
}

/// Hand-written Verilog-2005 with the words of SystemVerilog.
fn system(text: &str) -> String {
    let names = [("reg", "logic"), ("integer", "int")].map(|(old, new)| (old.to_string(), new.to_string()));
    renamed(&text.replace("always @(posedge", "always_ff @(posedge"), &names.into_iter().collect())
}

/// Prints a leaf with hand-written text; a module without such text has ports only.
pub fn print(module: &Module, phrases: &[(String, String)], language: &Language) -> ModuleText {
    let (code, nets_only) = match &module.code {
        Verilog::Custom(text) => (text.as_str(), false),
        Verilog::Wrapper(wrapper) => (wrapper.code.as_str(), true),
        Verilog::Combinatorial(_) | Verilog::Blackbox(_) | Verilog::Empty => ("", true),
    };
    let continuous = assigned(code);
    let mut docs = Docs::new(module, phrases);
    let mut ports = vec![];
    let mut declarations = vec![];
    for signal in &module.signals {
        let shape = format!("{}{}", if signal.signed { "signed " } else { "" }, range(signal.width));
        let name = mangle(&signal.name);
        let direction = match signal.kind {
            AtomKind::InputParameter => "input  wire ",
            AtomKind::OutputParameter if nets_only || continuous.contains(&signal.name) => "output wire ",
            AtomKind::OutputParameter => "output reg  ",
            AtomKind::OutputPassthrough => "output wire ",
            AtomKind::Constant => {
                declarations.push(format!("localparam {shape}{name} = {};", literal(signal.width, &signal.value)));
                continue;
            }
            AtomKind::LocalSignal if !nets_only => {
                let kind = match language {
                    Language::SystemVerilog(_) => "logic",
                    Language::Verilog2005 if continuous.contains(&signal.name) => "wire",
                    Language::Verilog2005 => "reg",
                };
                declarations.push(format!("{kind} {shape}{name};"));
                continue;
            }
            _ => continue,
        };
        ports.push(PortText {
            doc: docs.take(&signal.name),
            raw: signal.name.clone(),
            name,
            declaration: match language {
                Language::Verilog2005 => format!("{direction}{shape}"),
                Language::SystemVerilog(_) => format!("{} logic {shape}", &direction[..6]),
            },
            fields: vec![],
        });
    }
    let changed = module.signals.iter().map(|s| (s.name.clone(), mangle(&s.name))).filter(|(raw, name)| raw != name).collect();
    let text = renamed(code, &changed).trim().to_string();
    let text = if language.is_system() { system(&text) } else { text };
    ModuleText { doc: docs.header(), ports, body: indented(&[declarations, vec![text]]), primitive: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        let names = BTreeMap::from([("bus$data".to_string(), "bus_data".to_string())]);
        assert_eq!(renamed("assign q = bus$data + xbus$data;", &names), "assign q = bus_data + xbus$data;");
    }

    #[test]
    fn continuous_assignments_are_found() {
        assert_eq!(
            assigned("assign q = a;\nassign {c, s[3:0]} = x == y;").into_iter().collect::<Vec<_>>(),
            ["0", "3", "c", "q", "s"]
        );
        assert!(assigned("always @(*) q = a;").is_empty());
    }
}
