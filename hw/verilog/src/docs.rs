// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Doc comments of a block as comments of its module.

use super::collect::Module;
use std::collections::BTreeMap;

/// Maximum columns of a comment line, without its indentation.
const COLUMNS: usize = super::wrap::WIDTH - 4;

/// Doc comments of a block and of its fields. That of a field is printed once: at the first net of the field.
pub struct Docs<'a> {
    of_fields: BTreeMap<&'a str, &'a str>,
    of_block: &'a str,
    phrases: &'a [(String, String)],
}

/// Texts that each start a new line in the comment above a module.
const POINTS: [&str; 4] = ["*Reads:*", "*Writes:*", "*Latency:*", "Implements "];

impl<'a> Docs<'a> {
    /// The doc comments of a module. In each text every first phrase of a pair is replaced by the second.
    pub fn new(module: &'a Module, phrases: &'a [(String, String)]) -> Docs<'a> {
        Docs {
            of_fields: module.docs.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect(),
            of_block: module.docs.get("").map_or("", String::as_str),
            phrases,
        }
    }

    /// Removes and returns the doc comment of the field to which a net or an instance, given by its rust-hdl name, belongs.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let field = name.split('$').next()?;
        self.of_fields.remove(field).map(|text| self.text(text))
    }

    /// The comment above the module: its purpose, then what it reads and writes and its latency, then its other paragraphs.
    pub fn header(&self) -> Vec<String> {
        let mut out: Vec<String> = vec![];
        for paragraph in self.of_block.lines() {
            if !out.is_empty() {
                out.push("//".to_string());
            }
            let mut text = self.text(paragraph);
            for point in POINTS {
                text = text.replace(point, &format!("\n{}", point.replace('*', "")));
            }
            out.extend(text.lines().flat_map(lines));
        }
        out
    }

    fn text(&self, text: &str) -> String {
        self.phrases.iter().fold(plain(text), |text, (phrase, other)| text.replace(phrase, other))
    }
}

/// Splits a comment into lines, each with its `//`.
pub fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("// {word}")),
        }
    }
    lines
}

/// The text without rustdoc markup, and in ASCII.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    // [`name`](target) becomes the name.
    while let Some((before, target)) = rest.split_once("](") {
        plain.push_str(before);
        rest = target.split_once(')').map_or("", |(_, after_link)| after_link);
    }
    plain.push_str(rest);
    let text = plain.replace("[`", "`").replace("`]", "`");
    text.replace('…', "...").replace(['–', '−'], "-").replace('×', "x")
}
