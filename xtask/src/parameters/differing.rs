// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aligns a module in the exports of several sizes: it must have the same tokens in all of them except for numbers.

use super::fit::Sizes;
use super::literal::Literal;
use super::text::{tokens, Kind, Module, Token};
use anyhow::{anyhow, bail, Context, Result};
use std::collections::BTreeMap;

/// The index of a token in a module and, in a comment, of its part.
pub type Place = (usize, usize);

/// The numbers that differ, as expressions, by their places in the module of the first export.
pub struct Literals {
    pub code: BTreeMap<usize, Literal>,
    pub comments: BTreeMap<Place, Literal>,
}

impl Literals {
    /// # Errors
    /// The modules differ in more than numbers, or no formula gives a number; the message has the place.
    pub fn new(same: &[&Module<'_>], sizes: &[Sizes]) -> Result<Literals> {
        let name = same[0].name;
        let of_code: Vec<_> = same.iter().map(|module| code(module)).collect();
        let of_comments: Vec<_> = same.iter().map(|module| comments(module)).collect();
        let code = aligned(name, &of_code, sizes)?.into_iter().map(|((index, _), literal)| (index, literal)).collect();
        Ok(Literals { code, comments: aligned(name, &of_comments, sizes)? })
    }
}

/// A word, number or mark of a module: the index of its token and, in a comment, of its part, and its text.
type Piece<'t> = (Place, Token<'t>);

/// The pieces of the code of a module.
fn code<'t>(module: &Module<'t>) -> Vec<Piece<'t>> {
    module.code().into_iter().map(|index| ((index, 0), module.tokens[index].clone())).collect()
}

/// The pieces of the comments of a module. Lines of a comment may break at other words, so they are one list.
fn comments<'t>(module: &Module<'t>) -> Vec<Piece<'t>> {
    let is_comment = |(_, token): &(usize, &Token<'t>)| token.kind == Kind::Comment;
    let parts = |(index, token): (usize, &Token<'t>)| {
        let of_comment = tokens(&token.text[2..]).into_iter().enumerate();
        of_comment.filter(|(_, part)| part.kind != Kind::Space).map(move |(at, part)| ((index, at), part)).collect::<Vec<_>>()
    };
    module.tokens.iter().enumerate().filter(is_comment).flat_map(parts).collect()
}

/// The numbers that differ between the modules, which must have the same pieces otherwise.
fn aligned(name: &str, all: &[Vec<Piece<'_>>], sizes: &[Sizes]) -> Result<BTreeMap<Place, Literal>> {
    let length = all.iter().map(Vec::len).max().unwrap_or_default();
    let mut found = BTreeMap::new();
    for at in 0..length {
        let column: Vec<Option<&Piece<'_>>> = all.iter().map(|pieces| pieces.get(at)).collect();
        let texts: Vec<&str> = column.iter().map(|piece| piece.map_or("", |(_, token)| token.text)).collect();
        if texts.iter().all(|text| *text == texts[0]) {
            continue;
        }
        let near = || near(&all[0], at);
        let is_number = |piece: &Option<&Piece<'_>>| piece.is_some_and(|(_, token)| token.kind == Kind::Number);
        if let Some(other) = column.iter().position(|piece| !is_number(piece)) {
            bail!("`{name}` differs after `{}` at {:?} and {:?}: {texts:?}", near(), sizes[0], sizes[other]);
        }
        let literal =
            Literal::new(&texts, sizes).map_err(|error| anyhow!("`{name}`, after `{}`: {error} at {sizes:?}", near()))?;
        let (place, _) = column[0].context("an empty column")?;
        found.insert(*place, literal);
    }
    Ok(found)
}

/// The pieces before one, for messages.
fn near(pieces: &[Piece<'_>], at: usize) -> String {
    let before = &pieces[at.saturating_sub(8).min(pieces.len())..at.min(pieces.len())];
    before.iter().map(|(_, token)| token.text).collect::<Vec<_>>().join(" ")
}
