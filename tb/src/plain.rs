// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texts of files in reports. Control characters are printed as escapes: the name of a file could otherwise forge a line of a report, or
//! control a terminal.

/// The text with an escape, such as `\n`, in place of each control character except tabs.
pub fn plain(text: &str) -> String {
    let is_escaped = |c: char| c.is_control() && c != '\t';
    text.chars().map(|c| if is_escaped(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// As [`plain`], for each line of a text; `indent` begins every line but the first.
pub fn plain_lines(text: &str, indent: &str) -> String {
    text.trim_end().split('\n').map(plain).collect::<Vec<_>>().join(&format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(plain("a\nok  b\u{1b}[2J\u{85}\té"), "a\\nok  b\\u{1b}[2J\\u{85}\té");
        assert_eq!(plain_lines("a\rb\nc\n", "  "), "a\\rb\n  c");
    }
}
