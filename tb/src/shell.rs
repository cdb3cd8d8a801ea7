// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Command lines as text that a POSIX shell reads back.

/// A word of a command line, in quotes if it needs them.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The words of a command line, each in quotes if it needs them.
pub fn line<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> String {
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}
