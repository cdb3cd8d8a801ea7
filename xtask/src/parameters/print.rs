// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints a module with expressions in the place of its differing numbers, with its parameters and those of its instances.

use super::differing::Literals;
use super::fit::NAMES;
use super::layout;
use super::literal::Literal;
use super::text::{tokens, Kind, Module, Token};
use anyhow::{bail, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The parameters that each module needs, for its own text or for its instances.
pub type Needs<'n> = BTreeMap<&'n str, BTreeSet<&'static str>>;

/// The parameters that each module needs.
pub fn needs<'n>(modules: &[Module<'n>], literals: &[Literals]) -> Needs<'n> {
    let mut needs: Needs<'n> = modules
        .iter()
        .zip(literals)
        .map(|(module, literals)| (module.name, literals.code.values().flat_map(Literal::names).map(size_of).collect()))
        .collect();
    // A module needs the parameters of its instances; the nesting is not deeper than the number of modules.
    for _ in 0..modules.len() {
        for module in modules {
            let inside = instances(module).into_iter().filter_map(|(_, of)| needs.get(of)).flatten().copied();
            let inside: BTreeSet<&'static str> = inside.collect();
            needs.entry(module.name).or_default().extend(inside);
        }
    }
    needs
}

/// The size to which a name belongs: `WARPS` for `LW`.
fn size_of(name: &'static str) -> &'static str {
    NAMES.iter().find(|(size, logarithm)| *size == name || *logarithm == name).map_or(name, |(size, _)| *size)
}

/// The instances of other modules: the index of the token of the module's name, and the name.
fn instances<'t>(module: &Module<'t>) -> Vec<(usize, &'t str)> {
    let code = module.code();
    let text = |at: usize| code.get(at).map_or("", |i| module.tokens[*i].text);
    let starts = |at: usize| at > 0 && matches!(text(at - 1), ";" | "end" | "begin" | "endgenerate" | ")");
    let is_instance = |at: &usize| {
        let is_word = |at: usize| code.get(at).is_some_and(|i| module.tokens[*i].kind == Kind::Word);
        starts(*at) && is_word(*at) && (is_word(at + 1) && text(at + 2) == "(" || text(at + 1) == "#" && text(at + 2) == "(")
    };
    (0..code.len()).filter(is_instance).map(|at| (code[at], module.tokens[code[at]].text)).collect()
}

/// The module with expressions in the place of its differing numbers, its parameters, and those of its instances.
pub fn print(module: &Module<'_>, literals: &Literals, needs: &Needs<'_>) -> Result<String> {
    let own = needs.get(module.name).cloned().unwrap_or_default();
    let logarithms: BTreeSet<&str> = literals.code.values().flat_map(Literal::names).collect();
    let instances: BTreeMap<usize, &str> = instances(module).into_iter().collect();
    let code = module.code();
    let place: BTreeMap<usize, usize> = code.iter().enumerate().map(|(at, index)| (*index, at)).collect();
    let text_at = |at: usize| code.get(at).map_or("", |i| module.tokens[*i].text);
    let mut text = String::new();
    let (mut constants, mut body) = (String::new(), None);
    let mut after_name = false;
    for (index, token) in module.tokens.iter().enumerate() {
        let at = place.get(&index).copied();
        match (literals.code.get(&index), at) {
            (Some(literal), Some(at)) => {
                text += &expression(literal, at, &text_at).unwrap_or_else(|| {
                    let name = format!("size_constant_{}", constants.lines().count());
                    constants += &literal.constant(&name);
                    name
                });
            }
            _ if token.kind == Kind::Comment => text += &comment(token, index, literals),
            _ => text += token.text,
        }
        if after_name && token.text == module.name {
            text += &declared(&own, &logarithms);
        }
        after_name = token.text == "module" || after_name && token.kind == Kind::Space;
        if body.is_none() && token.text == ";" {
            body = Some(text.len());
        }
        if let Some(of) = instances.get(&index) {
            text += &passed(needs.get(of).into_iter().flatten(), text_at(at.map_or(0, |at| at + 1)) == "#")?;
        }
    }
    if let Some(body) = body.filter(|_| !constants.is_empty()) {
        text.insert_str(body, &format!("\n\n{}", constants.trim_end()));
    }
    Ok(layout::constants(&layout::ports(&text)))
}

/// The text in the place of the number at the position `at` of the code.
fn expression<'t>(literal: &Literal, at: usize, text_at: &dyn Fn(usize) -> &'t str) -> Option<String> {
    let (before, after) = (text_at(at.wrapping_sub(1)), text_at(at + 1));
    let bare = matches!((before, after), ("[" | ":", ":" | "]")) || before == "(" && after == ")";
    // As the printer writes them: `[LW-1:0]`.
    let tight = |text: String| if bare { text.replace(" - ", "-").replace(" + ", "+") } else { text };
    literal.text(bare).map(tight).or_else(|| {
        // A constant has its width in its declaration: `localparam [LW-1:0] name = 6;`.
        let is_constant = before == "=" && after == ";" && (0..12).any(|back| text_at(at.wrapping_sub(back)) == "localparam");
        is_constant.then(|| literal.declared())
    })
}

/// A comment with expressions in the place of its differing numbers.
fn comment(token: &Token<'_>, index: usize, literals: &Literals) -> String {
    let parts = tokens(&token.text[2..]).into_iter().enumerate();
    let shown = parts.map(|(at, part)| match literals.comments.get(&(index, at)) {
        Some(literal) => literal.declared(),
        None => part.text.to_string(),
    });
    format!("//{}", shown.collect::<String>())
}

/// The parameter list of a module, with the logarithms that its text uses.
fn declared(sizes: &BTreeSet<&'static str>, used: &BTreeSet<&str>) -> String {
    if sizes.is_empty() {
        return String::new();
    }
    let of_sizes = NAMES
        .iter()
        .filter(|(size, _)| sizes.contains(size))
        .map(|(size, _)| format!("  parameter {size} = {}", default(size)));
    let logarithms = NAMES
        .iter()
        .filter(|(_, logarithm)| used.contains(logarithm))
        .map(|(size, logarithm)| format!("  parameter {logarithm} = $clog2({size})"));
    format!(" #(\n{}\n)", of_sizes.chain(logarithms).collect::<Vec<_>>().join(",\n"))
}

/// The default of a parameter.
fn default(size: &str) -> u64 {
    match size {
        "WARPS" | "BARRIERS" => 8,
        "LANES" => 4,
        _ => 2,
    }
}

/// The parameters of an instance; `has_list` if its text has a list already.
fn passed<'n>(sizes: impl Iterator<Item = &'n &'static str>, has_list: bool) -> Result<String> {
    let set: Vec<String> = sizes.map(|size| format!(".{size}({size})")).collect();
    match (set.is_empty(), has_list) {
        (true, _) => Ok(String::new()),
        (false, false) => Ok(format!(" #({})", set.join(", "))),
        (false, true) => bail!("an instance with parameters has a module that needs sizes"),
    }
}
