// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A Verilog text without its names and comments: two texts that are equal after this are the same circuit.

use bcu_hw::verilog::is_identifier;
use std::collections::HashMap;

/// The text without comments and indentation, each name replaced by the number of its first occurrence.
pub fn without_names(text: &str) -> String {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut numbers = HashMap::new();
    let mut out = String::new();
    for line in text.lines() {
        let mut remaining_line = line.split("//").next().unwrap_or_default().trim();
        while let Some(first) = remaining_line.chars().next() {
            let length = if is_inside(first) {
                remaining_line.find(|c| !is_inside(c)).unwrap_or(remaining_line.len())
            } else {
                first.len_utf8()
            };
            let (word, after_word) = remaining_line.split_at(length);
            // In `4'd1` the word `d1` is not a name.
            if is_identifier(word) && !out.ends_with('\'') {
                let next = numbers.len();
                out += &format!("n{}", numbers.entry(word).or_insert(next));
            } else {
                out += word;
            }
            remaining_line = after_word.trim_start();
            if remaining_line.len() < after_word.len() {
                out.push(' ');
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_comments_and_columns_do_not_count() {
        let text = "module a (\n  input  wire [3:0] b,  // Of the host.\n  output c);\n  assign c = b == 4'd1;\nendmodule\n";
        let renamed = "module other (\n  input wire [3:0] first,\n  output d1);\n  assign d1 = first == 4'd1;\nendmodule\n";
        assert_eq!(without_names(text), without_names(renamed));
        for (from, to) in [("4'd1", "4'd2"), ("c = b", "c = c"), ("input", "output"), ("[3:0]", "[4:0]"), ("==", "!=")] {
            assert_ne!(without_names(text), without_names(&text.replace(from, to)), "{from} -> {to}");
        }
    }
}
