// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mnemonics: stem of the operation type and name of its mode, the aliases, and what to say about an unknown word.

use super::fields::{Form, Kind, Optype, OPTYPES};
use super::instr::Values;
use super::lex::{Token, TokenKind};
use super::operands::shown;
use crate::diag::Diagnostic;

/// Other spellings of a mnemonic.
pub const ALIASES: [(&str, &str); 3] = [("B2R", "B2R.BAR"), ("R2B", "R2B.BAR"), ("BAR.RESULT", "B2R.RESULT")];

/// Operation type and value of its mode field (0 if it has none).
pub(crate) fn parse(word: &str) -> Option<(Optype, u16)> {
    let word = ALIASES.iter().find(|a| a.0 == word).map_or(word, |a| a.1);
    OPTYPES.iter().find_map(|row| match row.optype.choice().map(|c| c.kind) {
        Some(Kind::Choice(names)) => {
            let mode = word.strip_prefix(row.stem)?.strip_prefix('.')?;
            names.iter().position(|n| *n == mode).map(|i| (row.optype, i as u16))
        }
        _ => (word == row.stem).then_some((row.optype, 0)),
    })
}

/// Every mnemonic, aliases at the end.
pub fn mnemonics() -> Vec<String> {
    let names = OPTYPES.iter().flat_map(|row| match row.optype.choice().map(|c| c.kind) {
        Some(Kind::Choice(names)) => names.iter().map(|n| format!("{}.{n}", row.stem)).collect(),
        _ => vec![row.stem.to_string()],
    });
    names.chain(ALIASES.iter().map(|a| a.0.to_string())).collect()
}

/// The complaint about a word that is none of the `known` instructions.
pub fn unknown(word: &Token, known: &[String]) -> Diagnostic {
    let text = word.text;
    let error = |message: String| Diagnostic::new(word.span(), message, "expected an instruction");
    if word.kind != TokenKind::Word {
        return error(format!("`{}` is no instruction", text.escape_debug())).help("comments start with `//` or `#`");
    }
    let modes: Vec<&str> = known.iter().map(|k| k.as_str()).filter(|k| k.starts_with(&format!("{text}."))).collect();
    if !modes.is_empty() {
        return error(format!("{text} is not complete")).help(format!("write one of {}", modes.join(", ")));
    }
    if let Some(name) = known.iter().filter(|k| text.starts_with(&format!("{k}."))).max_by_key(|k| k.len()) {
        return error(format!("unknown modifier in `{}`", shown(text))).help(format!("did you mean `{name}`?"));
    }
    let message = format!("unknown instruction `{}`", shown(text));
    // The distance is quadratic in the length, so only words that could be a slip are compared.
    let upper = if text.len() <= 24 { text.to_ascii_uppercase() } else { String::new() };
    let distance = |k: &&String| strsim::damerau_levenshtein(k, &upper);
    match known.iter().min_by_key(distance).filter(|k| distance(k) <= 1 + k.len() / 4) {
        Some(name) => error(message).help(format!("did you mean `{name}`?")),
        None => error(message).help(format!("known are {}", known.join(", "))),
    }
}

/// The mnemonic of an instruction with its mode: `BAR.RED.POPC`.
pub(crate) fn of(form: Form, values: &Values) -> String {
    let row = form.row().optype.row();
    let mode = row.optype.choice().and_then(|field| match field.kind {
        Kind::Choice(names) => names.get(usize::from(values[field.id as usize])),
        _ => None,
    });
    mode.map_or(row.stem.to_string(), |mode| format!("{}.{mode}", row.stem))
}
