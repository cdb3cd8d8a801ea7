// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The words of a Rust text: names, `::` and single characters, without comments, strings and character literals.

/// A word with its line number.
#[derive(Debug)]
pub struct Word {
    pub text: String,
    pub line: usize,
}

/// The words of `text`.
pub fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.chars().collect();
    let (mut list, mut line, mut i) = (vec![], 1, 0);
    while i < chars.len() {
        let (length, is_word) = next(&chars[i..]);
        let end = chars.len().min(i + length);
        if is_word {
            list.push(Word { text: chars[i..end].iter().collect(), line });
        }
        line += chars[i..end].iter().filter(|c| **c == '\n').count();
        i = end;
    }
    list
}

/// The length of the token at the start of `chars`, and whether the token is a word.
fn next(chars: &[char]) -> (usize, bool) {
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let quoted = |quote: char| {
        let mut i = 1;
        while i < chars.len() && at(i) != quote {
            i += if at(i) == '\\' { 2 } else { 1 };
        }
        (i + 1, false)
    };
    match (at(0), at(1)) {
        ('/', '/') => (chars.iter().take_while(|c| **c != '\n').count(), false),
        ('/', '*') => (comment(chars), false),
        ('r', '"' | '#') if at(1) == '"' || !is_letter(at(2)) => {
            let hashes = chars[1..].iter().take_while(|c| **c == '#').count();
            let is_end = |i: &usize| at(*i) == '"' && (1..=hashes).all(|h| at(i + h) == '#');
            ((hashes + 2..chars.len()).find(is_end).unwrap_or(chars.len()) + hashes + 1, false)
        }
        ('"', _) => quoted('"'),
        ('\'', '\\') => quoted('\''),
        ('\'', _) => (if at(2) == '\'' { 3 } else { 1 }, false),
        (':', ':') => (2, true),
        (c, _) if is_letter(c) => (chars.iter().take_while(|c| is_letter(**c)).count(), true),
        (c, _) => (1, !c.is_whitespace()),
    }
}

/// The length of the block comment at the start of `chars`, with the comments nested in it.
fn comment(chars: &[char]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < chars.len() {
        match chars[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}
