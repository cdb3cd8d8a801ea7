// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of memory in the text of a report.

use super::table::table;
use crate::report::Word;
use std::fmt;

/// How the words of shared memory are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordType {
    Unsigned,
    Signed,
    Float,
}

impl WordType {
    fn name(self) -> &'static str {
        match self {
            WordType::Unsigned => "value",
            WordType::Signed => "value, s32",
            WordType::Float => "value, f32",
        }
    }

    fn text(self, word: u32) -> String {
        match self {
            WordType::Unsigned => word.to_string(),
            WordType::Signed => word.cast_signed().to_string(),
            WordType::Float => f32::from_bits(word).to_string(),
        }
    }
}

/// Writes the words of global memory, and those of shared memory as `shared`, or else their number.
pub(super) fn write_memory(f: &mut fmt::Formatter, words: &[Word], shared: Option<WordType>) -> fmt::Result {
    let (of_cta, global): (Vec<&Word>, Vec<&Word>) = words.iter().partition(|word| word.cta.is_some());
    let listed: Vec<&Word> = match shared {
        Some(_) => words.iter().collect(),
        None => global,
    };
    let shared_type = shared.unwrap_or(WordType::Unsigned);
    if !listed.is_empty() {
        writeln!(f, "\nmemory")?;
        let space = |word: &Word| word.cta.map_or("global".to_string(), |cta| format!("shared, CTA {cta}"));
        let value = |word: &Word| if word.cta.is_some() { shared_type.text(word.value) } else { word.value.to_string() };
        let row = |word: &&Word| vec![space(word), format!("{:#x}", word.address), value(word)];
        let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
        table(f, &["space", "address", shared_type.name()].map(String::from), &rows)?;
    }
    if shared.is_none() && !of_cta.is_empty() {
        writeln!(f, "\nshared memory: {} words were stored; `--show-shared` prints them", of_cta.len())?;
    }
    Ok(())
}
