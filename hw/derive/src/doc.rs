// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads doc comments: the comments of structs and fields, and the module comment of the file that is being compiled.

use syn::{Attribute, Expr, Lit, Meta};

/// A line of a doc comment.
fn line(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => Some(text.value().trim().to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The text of a doc comment as one line.
pub fn of(attrs: &[Attribute]) -> String {
    attrs.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// A doc comment up to its first colon or full stop.
pub fn phrase(attrs: &[Attribute]) -> String {
    let text = of(attrs);
    text.split([':', '.']).next().unwrap_or_default().to_string()
}

/// The module comment of the file that is being compiled: one line for each paragraph, without drawings. Empty if the compiler does not
/// report the file.
pub fn of_file() -> String {
    let file = proc_macro::Span::call_site().local_file();
    let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    paragraphs(text.lines().skip_while(|line| !line.starts_with("//!")).map_while(|line| line.strip_prefix("//!")))
}

/// The comment of a block: that of its struct if it says what the block reads, as in a file with several blocks; otherwise the module
/// comment of the file. One line for each paragraph. The paragraph of the struct that begins with `Sizes` is omitted, because it is about
/// the parameters of the Rust type.
pub fn of_block(attrs: &[Attribute]) -> String {
    let text = attrs.iter().filter_map(line).collect::<Vec<_>>();
    if !text.iter().any(|line| line.contains("*Reads:*")) {
        return of_file();
    }
    let text = paragraphs(text.iter().map(String::as_str));
    text.lines().filter(|paragraph| !paragraph.starts_with("Sizes")).collect::<Vec<_>>().join("\n")
}

/// The paragraphs of a comment, one line for each, without drawings.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut paragraphs = vec![String::new()];
    let mut drawing = false;
    for line in lines.map(str::trim) {
        if line.starts_with("```") {
            drawing = !drawing;
        } else if line.is_empty() {
            paragraphs.push(String::new());
        } else if let Some(last) = paragraphs.last_mut().filter(|_| !drawing) {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(line);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n")
}
