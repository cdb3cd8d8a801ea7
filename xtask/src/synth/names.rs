// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A Verilog text without its names and comments: if two texts are then equal, they describe the same circuit.

use bcu_hw::verilog::is_identifier;
use std::collections::HashMap;

/// The text without comments and indentation. A name in a module is replaced by a number, in the
/// order of first occurrence. The module name of an instance is replaced by a hash of that module's
/// circuit. Ports are connected in the order of their declaration, so the port names of an instance
/// are omitted. The modules are sorted, because their order in a file depends on their names.
pub fn without_names(text: &str) -> String {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()).collect();
    let mut modules: Vec<(&str, Vec<&str>)> = vec![];
    let mut outside = vec![];
    for line in code {
        match line.strip_prefix("module ") {
            Some(rest) => {
                let name = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
                modules.push((name, vec![&rest[name.len()..]]));
            }
            None => modules.last_mut().map_or(&mut outside, |(_, lines)| lines).push(line),
        }
    }
    let bodies: HashMap<&str, &[&str]> = modules.iter().map(|(name, lines)| (*name, lines.as_slice())).collect();
    let mut circuits = HashMap::new();
    let mut sorted: Vec<String> = modules.iter().map(|(name, _)| circuit(name, &bodies, &mut circuits)).collect();
    sorted.sort();
    outside.join("\n") + &sorted.concat()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The text of the module `name` without names; `circuits` holds the modules that are already converted.
fn circuit<'t>(name: &'t str, bodies: &HashMap<&'t str, &[&'t str]>, circuits: &mut HashMap<&'t str, String>) -> String {
    if let Some(known) = circuits.get(name) {
        return known.clone();
    }
    let mut numbers = HashMap::new();
    let mut out = String::new();
    for line in bodies.get(name).copied().unwrap_or_default() {
        let mut remaining_line = *line;
        while let Some(first) = remaining_line.chars().next() {
            let length = if is_word(first) {
                remaining_line.find(|c| !is_word(c)).unwrap_or(remaining_line.len())
            } else {
                first.len_utf8()
            };
            let (word, after_word) = remaining_line.split_at(length);
            // In `4'd1` the word `d1` is not a name.
            match is_identifier(word) && !out.ends_with('\'') {
                true if out.ends_with('.') => {}
                true if word != name && bodies.contains_key(word) => {
                    out += &format!("{:08x}", crc32fast::hash(circuit(word, bodies, circuits).as_bytes()));
                }
                true => {
                    let next = numbers.len();
                    out += &format!("n{}", numbers.entry(word).or_insert(next));
                }
                false => out += word,
            }
            remaining_line = after_word.trim_start();
            if remaining_line.len() < after_word.len() {
                out.push(' ');
            }
        }
        out.push('\n');
    }
    circuits.insert(name, out.clone());
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

    #[test]
    fn modules_count_by_their_circuits_and_not_by_order_or_shared_names() {
        let leaf = |name: &str, port: &str, op: &str| {
            format!("module {name} (\n  input {port},\n  output o);\n  assign o = {op}{port};\nendmodule\n")
        };
        let top = |child: &str, port: &str| {
            format!("module top (\n  input i,\n  output o);\n  {child} inner (.{port}(i), .o(o));\nendmodule\n")
        };
        // The second text differs only in names: the leaf's port has the name of its net in `top`, and the leaf is the first module.
        let text = top("leaf", "x") + &leaf("leaf", "x", "!");
        let renamed = leaf("a_leaf", "i", "!") + &top("a_leaf", "i");
        assert_eq!(without_names(&text), without_names(&renamed));
        assert_ne!(without_names(&text), without_names(&(top("leaf", "x") + &leaf("leaf", "x", "~"))));
        assert_ne!(without_names(&text), without_names(&text.replace(".o(o)", ".o(i)")));
    }
}
