// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The definitions, imports and names of a Rust file, read from its words. Code that is compiled only for tests is left out.

use super::words::{words, Word};
use std::collections::BTreeSet;

/// A path in a file: in an import, an expression or a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub line: usize,
    pub segments: Vec<String>,
}

/// The module that a file is, or an inline module in it.
#[derive(Debug, Default)]
pub struct Module {
    /// Path relative to the module of the file.
    pub path: Vec<String>,
    pub defined: BTreeSet<String>,
    /// For each import: the name in this module (`*`: all names of another module), and the imported path.
    pub imports: Vec<(String, Named)>,
    /// Modules whose names this module re-exports with `*`.
    pub shown: Vec<Named>,
    pub named: Vec<Named>,
}

/// The contents of one file.
#[derive(Debug, Default)]
pub struct Source {
    pub modules: Vec<Module>,
    /// Every word that is not part of a longer path. If a module imports all names of another module with `*`, such a word may be one of
    /// these names.
    pub words: Vec<Named>,
    /// The modules in separate files: `tests` are compiled only for tests, `children` are all others.
    pub children: BTreeSet<String>,
    pub tests: BTreeSet<String>,
}

/// Reads the text of a file.
pub fn read(text: &str) -> Source {
    let words_of_file = words(text);
    let mut source = Source { modules: vec![Module::default()], ..Source::default() };
    let text_at = |i: usize| words_of_file.get(i).map_or("", |word: &Word| word.text.as_str());
    let is_name = |i: usize| text_at(i).starts_with(|c: char| c.is_alphabetic() || c == '_');
    // The modules around the current word, the innermost last: the index in `source.modules`, and
    // the depth of braces inside the module.
    let mut within = vec![(0, 0)];
    let (mut depth, mut i) = (0, 0);
    while i < words_of_file.len() {
        let (at, base) = *within.last().expect("the file's own is never closed");
        match text_at(i) {
            "#" if (1..7).map(|k| text_at(i + k)).eq(["[", "cfg", "(", "test", ")", "]"]) => {
                let end = end_of_item(&words_of_file, i + 7);
                let module = (i..end).find(|k| text_at(*k) == "mod" && text_at(k + 2) == ";");
                source.tests.extend(module.map(|k| text_at(k + 1).to_string()));
                i = end;
                continue;
            }
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if within.len() > 1 && depth < base {
                    within.pop();
                }
            }
            "use" if text_at(i + 1) != "<" => {
                let (module, is_shown) = (&mut source.modules[at], i > 0 && ["pub", ")"].contains(&text_at(i - 1)));
                let known = module.imports.len();
                i = import(&words_of_file, i + 1, &[], &mut module.imports);
                let whole = module.imports[known..].iter().filter(|(name, _)| is_shown && name == "*");
                module.shown.extend(whole.map(|(_, named)| named.clone()));
                continue;
            }
            "mod" if text_at(i + 2) == "{" => {
                let path = [&source.modules[at].path[..], &[text_at(i + 1).to_string()]].concat();
                depth += 1;
                within.push((source.modules.len(), depth));
                source.modules.push(Module { path, ..Module::default() });
                i += 3;
                continue;
            }
            "mod" => drop(source.children.insert(text_at(i + 1).to_string())),
            "macro_rules" => drop(source.modules[at].defined.insert(text_at(i + 2).to_string())),
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                if depth == base && !(i > 0 && ["'", "<", ","].contains(&text_at(i - 1))) =>
            {
                source.modules[at].defined.insert(text_at(i + 1).to_string());
            }
            _ if is_name(i) && (i == 0 || text_at(i - 1) != "::") => {
                let mut segments = vec![text_at(i).to_string()];
                let line = words_of_file[i].line;
                while text_at(i + 1) == "::" && is_name(i + 2) {
                    segments.push(text_at(i + 2).to_string());
                    i += 2;
                }
                if i > 0 && segments.len() == 1 && text_at(i - 1) != "." {
                    source.words.push(Named { line, segments });
                } else if segments.len() > 1 {
                    source.modules[at].named.push(Named { line, segments });
                }
            }
            _ => {}
        }
        i += 1;
    }
    source
}

/// The index of the first word after the item, field or statement that begins at word `i`.
fn end_of_item(words_of_file: &[Word], mut i: usize) -> usize {
    let mut depth = 0;
    while let Some(word) = words_of_file.get(i) {
        i += 1;
        match word.text.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        let is_attribute = word.text == "]"
            && words_of_file.get(i).is_some_and(|next| ["#", "mod", "fn", "use", "pub"].contains(&&*next.text));
        if depth == 0 && ["}", ";", ","].contains(&word.text.as_str()) && !is_attribute {
            break;
        }
    }
    i
}

/// Reads the tree of an import from word `i` on; `before` is the path in front of each name. Returns the index of the first word after the
/// tree.
fn import(words_of_file: &[Word], mut i: usize, before: &[String], list: &mut Vec<(String, Named)>) -> usize {
    let mut segments = before.to_vec();
    let mut name = None;
    while let Some(Word { text, .. }) = words_of_file.get(i) {
        match text.as_str() {
            "{" => {
                i += 1;
                while words_of_file.get(i).is_some_and(|word| word.text != "}") {
                    i = import(words_of_file, i, &segments, list);
                    i += usize::from(words_of_file.get(i).is_some_and(|word| word.text == ","));
                }
                return i + 1;
            }
            "as" => {
                name = words_of_file.get(i + 1).map(|word| word.text.clone());
                i += 1;
            }
            "," | "}" | ";" => {
                let line = words_of_file[i - 1].line;
                // `a::{self}` imports the module `a` under the name `a`. The path keeps the segment
                // `self`, so that it never means another item named `a`.
                let last_segment = segments.iter().rev().find(|segment| *segment != "self");
                let name = name.or_else(|| last_segment.cloned()).unwrap_or_default();
                list.push((name, Named { line, segments }));
                return i;
            }
            "::" => {}
            _ => segments.push(text.clone()),
        }
        i += 1;
    }
    i
}
