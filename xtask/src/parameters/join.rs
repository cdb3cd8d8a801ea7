// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins exports of several sizes into one text with parameters.
//!
//! The exports must have the same modules, and each module the same tokens except for numbers. A number that differs is replaced by an
//! expression of the parameters that has its value at every size. The numbers in comments are replaced likewise.

use super::differing::Literals;
use super::fit::Sizes;
use super::print::{needs, print};
use super::text::{modules, tokens, Kind, Module};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// One text with parameters for exports of several sizes; `head` has the lines above the modules, `check` the last statements of the top.
pub fn joined(head: &str, check: &str, exports: &[(Sizes, String)]) -> Result<String> {
    let sizes: Vec<Sizes> = exports.iter().map(|(sizes, _)| *sizes).collect();
    let parsed: Vec<Vec<Module<'_>>> = exports.iter().map(|(_, text)| modules(text)).collect();
    let first = parsed.first().context("there are no exports to join")?;
    let mut literals: Vec<Literals> = vec![];
    for (number, module) in first.iter().enumerate() {
        let same: Vec<&Module<'_>> = parsed
            .iter()
            .zip(&sizes)
            .map(|(of_size, sizes)| {
                let other = of_size.get(number).filter(|other| other.name == module.name);
                other.with_context(|| format!("module {number}, `{}`, has another name or is absent at {sizes:?}", module.name))
            })
            .collect::<Result<_>>()?;
        literals.push(Literals::new(&same, &sizes)?);
    }
    let needs = needs(first, &literals);
    let printed = first.iter().zip(&literals).map(|(module, literals)| Ok((module.name, print(module, literals, &needs)?)));
    let mut modules = once(printed.collect::<Result<Vec<_>>>()?);
    if let Some((_, top)) = modules.first_mut() {
        let end = top.rfind("\nendmodule").context("the top has no end")?;
        top.insert_str(end, check.trim_end());
        top.insert(end, '\n');
    }
    let text: String = modules.iter().map(|(_, text)| text.as_str()).collect();
    let tail = tail(exports.first().map_or("", |(_, text)| text));
    Ok(format!("{head}{}{tail}", text.trim_start()))
}

/// The text after the last module.
fn tail(text: &str) -> &str {
    text.rfind("endmodule").map_or("\n", |at| &text[at + "endmodule".len()..])
}

/// Modules that differ in nothing but their names become one, with the first of these names. The modules of instances come after those that
/// contain them, so the loop runs backwards.
fn once<'n>(modules: Vec<(&'n str, String)>) -> Vec<(&'n str, String)> {
    let mut renamed: BTreeMap<String, &'n str> = BTreeMap::new();
    let mut bodies: BTreeMap<String, &'n str> = BTreeMap::new();
    let mut kept = vec![];
    for (name, text) in modules.iter().rev() {
        let with_names = |own: &str| -> String {
            let shown = tokens(text).into_iter().map(|token| match renamed.get(token.text) {
                _ if token.text == *name => own.to_string(),
                Some(other) if token.kind == Kind::Word => (*other).to_string(),
                _ => token.text.to_string(),
            });
            shown.collect()
        };
        let body = with_names("");
        match bodies.get(&body) {
            Some(same) => drop(renamed.insert((*name).to_string(), same)),
            None => {
                bodies.insert(body, name);
                kept.push((*name, with_names(name)));
            }
        }
    }
    kept.reverse();
    kept
}
