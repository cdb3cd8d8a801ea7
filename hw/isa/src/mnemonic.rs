// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mnemonics: stem of the operation type, name of its mode, and flags; aliases; and the diagnostic for an unknown word.

use super::fields::{Field, Kind, Values, NO_VALUES, OPTYPES};
use super::ids::{FieldId, InstrForm, Optype};
use super::lex::{Token, TokenKind};
use super::operands::shown;
use crate::diag::Diagnostic;
use std::collections::BTreeSet;

/// Other spellings of mnemonics, as (alias, mnemonic).
pub const ALIASES: [(&str, &str); 3] = [("B2R", "B2R.BAR"), ("R2B", "R2B.BAR"), ("BAR.RESULT", "B2R.RESULT")];

/// The operation type of the mnemonic `word`, and the values of its mode and flags; `None` for any other word.
pub(crate) fn parse(word: &str) -> Option<(Optype, Values)> {
    let word = ALIASES.iter().find(|a| a.0 == word).map_or(word, |a| a.1);
    OPTYPES.iter().find_map(|row| {
        let mut values = NO_VALUES;
        let mut modifiers = word.strip_prefix(row.stem)?;
        if let Some((id, names)) = modes(row.optype) {
            // The longest name that matches: `ARRIVE.EXPECT` before `ARRIVE`.
            let fits = |name: &&str| after(modifiers, name).is_some();
            let (mode, name) = names.iter().enumerate().filter(|(_, n)| fits(n)).max_by_key(|(_, n)| n.len())?;
            values[id as usize] = mode as u16;
            modifiers = after(modifiers, name)?;
        }
        for (id, flag) in row.optype.flags() {
            if let Some(behind) = after(modifiers, flag) {
                values[id as usize] = 1;
                modifiers = behind;
            }
        }
        modifiers.is_empty().then_some((row.optype, values))
    })
}

/// Whether a word is a mnemonic, with or without flags, or an alias.
pub fn is_known(word: &str) -> bool {
    parse(word).is_some()
}

/// The rest of `text` after `.name`; `None` if `text` does not start with `.name` as a whole word.
fn after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.strip_prefix('.')?.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The mode field, and the names of the modes.
fn modes(optype: Optype) -> Option<(FieldId, &'static [&'static str])> {
    match optype.choice()? {
        Field { id, kind: Kind::Choice(names), .. } => Some((*id, names)),
        _ => None,
    }
}

/// Every mnemonic without flags; the aliases are last.
pub fn mnemonics() -> Vec<String> {
    let names = OPTYPES.iter().flat_map(|row| without_flags(row.optype));
    names.chain(ALIASES.iter().map(|a| a.0.to_string())).collect()
}

fn without_flags(optype: Optype) -> Vec<String> {
    let stem = optype.row().stem;
    modes(optype).map_or(vec![stem.to_string()], |(_, names)| names.iter().map(|n| format!("{stem}.{n}")).collect())
}

/// Every mnemonic with its optional flags in braces.
pub fn with_flags() -> Vec<String> {
    let braced = |optype: Optype| optype.flags().map(|(_, flag)| format!("{{.{flag}}}")).collect::<String>();
    OPTYPES.iter().flat_map(|row| without_flags(row.optype).into_iter().map(|m| m + &braced(row.optype))).collect()
}

/// The mnemonic that has the same words as `text`, each once and in the right order.
fn in_order(text: &str) -> Option<String> {
    let words: BTreeSet<&str> = text.split('.').collect();
    let flagged = |optype: Optype| {
        let flags = optype.flags().filter(|(_, flag)| words.contains(flag)).map(|(_, flag)| format!(".{flag}"));
        let flags = flags.collect::<String>();
        without_flags(optype).into_iter().map(move |m| m + &flags)
    };
    let mut all = OPTYPES.iter().flat_map(|row| flagged(row.optype));
    all.find(|m| m.contains('.') && m.split('.').collect::<BTreeSet<&str>>() == words)
}

/// The diagnostic for a word that is not one of the `known` instructions.
pub fn unknown(word: &Token, known: &[String]) -> Diagnostic {
    let text = word.text;
    let error = |message: String| Diagnostic::new(word.span(), message, "expected an instruction");
    if word.kind != TokenKind::Word {
        return error(format!("`{}` is not an instruction", text.escape_debug())).help("comments start with `//` or `#`");
    }
    let modes: Vec<&str> = known.iter().map(|k| k.as_str()).filter(|k| k.starts_with(&format!("{text}."))).collect();
    if !modes.is_empty() {
        return error(format!("{text} is not complete")).help(format!("write one of {}", modes.join(", ")));
    }
    if let Some(name) = in_order(text) {
        return error(format!("the modifiers of `{}` are in the wrong order", shown(text))).help(format!("write `{name}`"));
    }
    if let Some(name) = known.iter().filter(|k| text.starts_with(&format!("{k}."))).max_by_key(|k| k.len()) {
        return error(format!("unknown modifier in `{}`", shown(text))).help(format!("did you mean `{name}`?"));
    }
    let message = format!("unknown instruction `{}`", shown(text));
    // The distance is quadratic in the length, so only words short enough for a typing error are compared.
    let upper = if text.len() <= 24 { text.to_ascii_uppercase() } else { String::new() };
    let distance = |k: &&String| strsim::damerau_levenshtein(k, &upper);
    match known.iter().min_by_key(distance).filter(|k| distance(k) <= 1 + k.len() / 4) {
        Some(name) => error(message).help(format!("did you mean `{name}`?")),
        None => error(message).help(format!("the instructions are {}", known.join(", "))),
    }
}

/// The mnemonic of an instruction with its mode and flags: `BAR.RED.POPC`.
pub(crate) fn full_mnemonic(form: InstrForm, values: &Values) -> String {
    let optype = form.row().optype;
    let mut out = optype.row().stem.to_string();
    let mode = modes(optype).and_then(|(id, names)| names.get(usize::from(values[id as usize])));
    let flags = optype.flags().filter(|(id, _)| values[*id as usize] != 0).map(|(_, flag)| flag);
    for word in mode.copied().into_iter().chain(flags) {
        out += ".";
        out += word;
    }
    out
}
