// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lexer of assembly text: the words of a text, and their positions.

use bcu_isa::lex::{blank_comments, number, tokens};

#[test]
fn comments_keep_every_position() {
    let text = "A/*\u{e9}\n*/B # c // d\nE / F // g";
    let blank = blank_comments(text).unwrap();
    assert_eq!(blank.len(), text.len());
    assert_eq!(blank.find('E'), text.find('E'));
    assert_eq!(blank.split_whitespace().collect::<Vec<_>>(), ["A", "B", "E", "/", "F"]);
    assert_eq!(blank.lines().count(), text.lines().count());
    assert_eq!(blank_comments("\u{e9} /*/").unwrap_err().span, 3..5);
}

#[test]
fn tokens_carry_byte_positions() {
    let list = tokens("@!P0 \u{e9}BAR.SYNC,0x1");
    let parts: Vec<_> = list.iter().map(|t| (t.text, t.at)).collect();
    assert_eq!(parts, [("@", 0), ("!", 1), ("P0", 2), ("\u{e9}", 5), ("BAR.SYNC", 7), (",", 15), ("0x1", 16)]);
}

#[test]
fn numbers_are_decimal_or_hex_and_never_overflow() {
    let cases = [("0", Some(0)), ("0x80", Some(128)), ("0XfF", Some(255)), ("010", Some(10))];
    cases.iter().for_each(|(text, value)| assert_eq!(number(text), *value, "{text}"));
    assert_eq!(number("99999999999999999999999"), Some(u64::MAX));
    assert!(["", "0x", "1f", "0x1g", "R1", "1.0"].iter().all(|text| number(text).is_none()));
}
