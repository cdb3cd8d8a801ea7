// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the text of a VCD file before it is parsed. A truncated file, or one whose time decreases, is rejected with the line, because the
//! waveform parser accepts truncated files and ignores values after a decrease of time.

use std::io::{self, BufRead};

/// The line at which a text is not valid VCD, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub line: u64,
    pub why: String,
}

/// The required kind of the next word of a VCD file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A keyword of the header, or an argument of a keyword.
    Declaration,
    /// A time, a value, or a keyword.
    Change,
    /// The signal of the preceding multi-bit value.
    Signal,
    /// A word of a comment.
    Comment,
}

/// Checks all words of a text. The outer result is the error of reading the text; the inner result is the first damage found.
pub(super) fn check(mut text: impl BufRead) -> io::Result<Result<(), Damage>> {
    let (mut line, mut number, mut time, mut expected) = (vec![], 0, 0, Expected::Declaration);
    let mut whole = true;
    loop {
        line.clear();
        if text.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        whole = line.ends_with(b"\n");
        for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            expected = match (expected, word) {
                (Expected::Declaration, b"$enddefinitions") | (Expected::Comment, b"$end") => Expected::Change,
                (Expected::Declaration | Expected::Comment, _) => expected,
                (Expected::Signal, _) => Expected::Change,
                (Expected::Change, b"$comment") => Expected::Comment,
                (Expected::Change, _) => match change(word, &mut time) {
                    Ok(expected) => expected,
                    Err(why) => return Ok(Err(Damage { line: number, why })),
                },
            };
        }
    }
    let why = match expected {
        Expected::Declaration => "the file ends in its header",
        Expected::Signal => "the file ends inside a value",
        Expected::Comment => "the file ends inside a comment",
        Expected::Change if !whole => "the file ends inside a line",
        Expected::Change => return Ok(Ok(())),
    };
    Ok(Err(Damage { line: number, why: why.to_string() }))
}

/// Checks a word after the header; `time` is the last time and is updated.
fn change(word: &[u8], time: &mut u64) -> Result<Expected, String> {
    let shown = String::from_utf8_lossy(word);
    match word {
        [b'#', digits @ ..] => {
            let next = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            let next: u64 = next.ok_or_else(|| format!("`{shown}`: expected a time"))?;
            if next < *time {
                return Err(format!("time decreases from {time} to {next}"));
            }
            *time = next;
            Ok(Expected::Change)
        }
        [b'b' | b'B' | b'r' | b'R' | b's' | b'S', ..] => Ok(Expected::Signal),
        [b'$', ..] => Ok(Expected::Change),
        [_] => Err(format!("`{shown}`: a value without a signal")),
        _ => Ok(Expected::Change),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "$timescale 1ns $end\n$var wire 4 ! x $end\n$enddefinitions $end\n";

    fn why(changes: &str) -> Option<(u64, String)> {
        let text = format!("{HEADER}{changes}");
        check(text.as_bytes()).unwrap().err().map(|damage| (damage.line, damage.why))
    }

    #[test]
    fn a_whole_text_is_good() {
        assert_eq!(why("#0\n$dumpvars\nb0 !\n$end\n#5\n$comment b #3 $end\nb1x10 !\n1\"\n#5\n#7\n"), None);
    }

    #[test]
    fn wherever_a_text_is_cut_off_in_a_line_it_is_refused() {
        let changes = "#0\nb0 !\n#15\nb1010 !\n1\"\n";
        let texts = (1..changes.len()).filter(|end| !changes[..*end].ends_with('\n')).map(|end| &changes[..end]);
        for text in texts {
            assert!(why(text).is_some(), "{text:?}");
        }
        assert_eq!(why("#0\nb0 !\nb1010"), Some((6, "the file ends inside a value".to_string())));
        assert_eq!(check(&HEADER.as_bytes()[..30]).unwrap().unwrap_err().why, "the file ends in its header");
    }

    #[test]
    fn time_does_not_go_back() {
        assert_eq!(why("#10\n1!\n#4\n0!\n"), Some((6, "time decreases from 10 to 4".to_string())));
        assert_eq!(why("#ten\n"), Some((4, "`#ten`: expected a time".to_string())));
        assert_eq!(why("#1\n1\n"), Some((5, "`1`: a value without a signal".to_string())));
    }
}
