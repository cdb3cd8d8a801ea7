// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins exports of several sizes into one text with parameters.
//!
//! The exports must have the same modules, and each module the same tokens except for numbers. A number that differs is replaced by an
//! expression of the parameters that has its value at every size. The numbers in comments are replaced likewise.

use super::align;
use super::fit::{Sizes, NAMES};
use super::literal::Literal;
use super::text::{modules, tokens, Kind, Module, Token};
use anyhow::{anyhow, bail, Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The parameters that each module needs, for its own text or for its instances.
type Needs<'n> = BTreeMap<&'n str, BTreeSet<&'static str>>;

/// By the index of a token in the module of the first export: the expression in its place.
type Literals = BTreeMap<usize, Literal>;

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
        let mut found = aligned(&same, &sizes, true)?;
        found.extend(aligned(&same, &sizes, false)?);
        literals.push(found);
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

/// A word, number or mark of a module: the index of its token, and its text. A comment has several.
type Piece<'t> = (usize, usize, Token<'t>);

/// The pieces of the code of a module, or those of its comments.
fn pieces<'t>(module: &Module<'t>, of_code: bool) -> Vec<Piece<'t>> {
    let mut found = vec![];
    for (index, token) in module.tokens.iter().enumerate() {
        match token.kind {
            Kind::Space => {}
            Kind::Comment if of_code => {}
            // Lines of a comment may break at other words.
            Kind::Comment => found.extend(
                tokens(&token.text[2..])
                    .into_iter()
                    .enumerate()
                    .filter(|(_, piece)| piece.kind != Kind::Space)
                    .map(|(at, piece)| (index, at, piece)),
            ),
            _ if of_code => found.push((index, 0, token.clone())),
            _ => {}
        }
    }
    found
}

/// The key of a piece of a comment in [`Literals`]: comments come after all tokens of the code.
fn key((index, at): (usize, usize), of_code: bool) -> usize {
    if of_code {
        index
    } else {
        COMMENTS + index * MOST_PIECES + at
    }
}

const COMMENTS: usize = 1 << 40;
const MOST_PIECES: usize = 1 << 16;

/// The numbers that differ between the modules, which must have the same pieces otherwise.
fn aligned(same: &[&Module<'_>], sizes: &[Sizes], of_code: bool) -> Result<Literals> {
    let name = same[0].name;
    let all: Vec<Vec<Piece<'_>>> = same.iter().map(|module| pieces(module, of_code)).collect();
    let length = all.iter().map(Vec::len).max().unwrap_or_default();
    let mut found = Literals::new();
    for at in 0..length {
        let column: Vec<Option<&Piece<'_>>> = all.iter().map(|pieces| pieces.get(at)).collect();
        let texts: Vec<&str> = column.iter().map(|piece| piece.map_or("", |(_, _, token)| token.text)).collect();
        if texts.iter().all(|text| *text == texts[0]) {
            continue;
        }
        let near = || near(&all[0], at);
        let is_number = |piece: &Option<&Piece<'_>>| piece.is_some_and(|(_, _, token)| token.kind == Kind::Number);
        if let Some(other) = column.iter().position(|piece| !is_number(piece)) {
            bail!("`{name}` differs after `{}` at {:?} and {:?}: {texts:?}", near(), sizes[0], sizes[other]);
        }
        let literal =
            Literal::new(&texts, sizes).map_err(|error| anyhow!("`{name}`, after `{}`: {error} at {sizes:?}", near()))?;
        let (index, part, _) = column[0].context("an empty column")?;
        found.insert(key((*index, *part), of_code), literal);
    }
    Ok(found)
}

/// The pieces before one, for messages.
fn near(pieces: &[Piece<'_>], at: usize) -> String {
    let before = &pieces[at.saturating_sub(8).min(pieces.len())..at.min(pieces.len())];
    before.iter().map(|(_, _, token)| token.text).collect::<Vec<_>>().join(" ")
}

/// The parameters that each module needs.
fn needs<'n>(modules: &[Module<'n>], literals: &[Literals]) -> Needs<'n> {
    let mut needs: Needs<'n> = modules
        .iter()
        .zip(literals)
        .map(|(module, literals)| {
            let of_code = literals.range(..COMMENTS);
            (module.name, of_code.flat_map(|(_, literal)| literal.names()).map(size_of).collect())
        })
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
fn print(module: &Module<'_>, literals: &Literals, needs: &Needs<'_>) -> Result<String> {
    let own = needs.get(module.name).cloned().unwrap_or_default();
    let logarithms: BTreeSet<&str> = literals.range(..COMMENTS).flat_map(|(_, literal)| literal.names()).collect();
    let instances: BTreeMap<usize, &str> = instances(module).into_iter().collect();
    let code = module.code();
    let place: BTreeMap<usize, usize> = code.iter().enumerate().map(|(at, index)| (*index, at)).collect();
    let text_at = |at: usize| code.get(at).map_or("", |i| module.tokens[*i].text);
    let mut text = String::new();
    let (mut constants, mut body) = (String::new(), None);
    let mut after_name = false;
    for (index, token) in module.tokens.iter().enumerate() {
        let at = place.get(&index).copied();
        match (literals.get(&index), at) {
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
    Ok(align::ports(&text))
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
    let shown = parts.map(|(at, part)| match literals.get(&key((index, at), false)) {
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
