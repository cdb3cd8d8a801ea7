// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The blocks in the Rust source text: the file of a module, and the field of a signal.

use anyhow::{Context, Result};
use bcu_hw::verilog::PREFIX;
use bcu_isa::units::UNITS;
use std::fs;
use std::path::Path;

/// All blocks of `hw/src`.
pub struct Blocks(Vec<Block>);

/// A struct with the attribute `#[block]`.
pub struct Block {
    /// The path of its file from the root of the project.
    pub file: String,
    /// The name of its type in the form that the names of modules have.
    name: String,
    /// The name of the unit, if the block is one.
    unit: Option<String>,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    is_register: bool,
}

impl Blocks {
    pub fn read(root: &Path) -> Result<Blocks> {
        let mut blocks = vec![];
        collect(root, "hw/src", &mut blocks)?;
        Ok(Blocks(blocks))
    }

    /// The block of a module. The name of a module has the name of its unit, and the name of its type or of its instance with the type.
    pub fn of_module(&self, module: &str) -> Option<&Block> {
        let name = module.strip_prefix(PREFIX).filter(|rest| rest.is_empty() || rest.starts_with('_'))?;
        let name = name.trim_start_matches('_');
        if let Some(unit) =
            self.0.iter().find(|block| block.unit.as_deref() == Some(if name.is_empty() { PREFIX } else { name }))
        {
            return Some(unit);
        }
        let units = UNITS.iter().filter(|unit| name.strip_prefix(**unit).is_some_and(|rest| rest.starts_with('_')));
        let (folder, short) = match units.max_by_key(|unit| unit.len()) {
            Some(unit) => (format!("hw/src/unit/{unit}"), &name[unit.len() + 1..]),
            None if name.starts_with("prim_") => ("hw/src/prim/".to_string(), &name["prim_".len()..]),
            None => ("hw/src/unit/".to_string(), name),
        };
        // Equal names of modules have numbers.
        let number_at = short.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_').len();
        let whole = [name, short, &short[..number_at]];
        let ends = short[..number_at].match_indices('_').map(|(at, _)| &short[at + 1..number_at]);
        whole.into_iter().chain(ends).find_map(|wanted| self.named(wanted, &folder))
    }

    /// The block of this name: in the folder of its unit, else in a file that belongs to no unit.
    fn named(&self, name: &str, folder: &str) -> Option<&Block> {
        let named = || self.0.iter().filter(|block| block.name == name);
        let in_unit = |block: &&Block| {
            let rest = block.file.strip_prefix(folder);
            rest.is_some_and(|rest| folder.ends_with('/') || rest.starts_with(['/', '.']))
        };
        let shared = |block: &&Block| {
            let in_units = block.file.strip_prefix("hw/src/unit/").and_then(|rest| rest.split_once('/'));
            !in_units.is_some_and(|(unit, _)| UNITS.contains(&unit))
        };
        named().find(in_unit).or_else(|| named().find(shared))
    }
}

impl Block {
    /// The name in Rust of a signal or an instance of the module: `commit_q.leader` of `commit_leader_q`, `rams[0].data` of `rams_0_data`.
    /// A value that the printer of Verilog names itself keeps its name.
    pub fn name_of(&self, signal: &str) -> String {
        if self.fields.iter().any(|field| field.name == signal) {
            return signal.to_string();
        }
        let longest = |text: &str, stem: fn(&Field) -> Option<&str>| {
            let parts = self.fields.iter().filter_map(|field| {
                let rest = text.strip_prefix(stem(field)?)?;
                (rest.is_empty() || rest.starts_with('_')).then_some((field, rest.to_string()))
            });
            parts.min_by_key(|(_, rest)| rest.len())
        };
        let register = |field: &'static str| {
            let text = signal.strip_suffix(field)?;
            longest(text, |field| field.is_register.then(|| field.name.strip_suffix("_q").unwrap_or(&field.name)))
        };
        if let Some((field, rest)) = register("_q") {
            return field.name.clone() + &fields(&rest);
        }
        if let Some((field, rest)) = register("_d") {
            return format!("{}.d{}", field.name, fields(&rest));
        }
        match longest(signal, |field| Some(field.name.trim_end_matches('_'))) {
            Some((field, rest)) => field.name.clone() + &fields(&rest),
            None => signal.to_string(),
        }
    }
}

/// `_0_word` as `[0].word`.
fn fields(rest: &str) -> String {
    let mut out = String::new();
    let mut rest = rest;
    while let Some(part) = rest.strip_prefix('_') {
        let end = part.find('_').unwrap_or(part.len());
        if end == 0 || !part[..end].bytes().all(|b| b.is_ascii_digit()) {
            return format!("{out}.{part}");
        }
        out += &format!("[{}]", &part[..end]);
        rest = &part[end..];
    }
    out
}

fn collect(root: &Path, folder: &str, blocks: &mut Vec<Block>) -> Result<()> {
    let entries = fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>();
    names.sort();
    for name in names {
        let file = format!("{folder}/{name}");
        if root.join(&file).is_dir() {
            collect(root, &file, blocks)?;
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(root.join(&file)).with_context(|| format!("cannot read {file}"))?;
            blocks.extend(blocks_of(&file, &text));
        }
    }
    Ok(())
}

/// The blocks of a file.
fn blocks_of(file: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![];
    let (mut attribute, mut is_open) = (None, false);
    for line in text.lines() {
        if line.starts_with("#[block") {
            attribute = Some(line);
        } else if line.starts_with("impl ") || line.starts_with('}') {
            (attribute, is_open) = (None, false);
        } else if let Some(rest) = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ").strip_prefix("struct ") {
            if let Some(attribute) = attribute.take() {
                let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
                let unit = attribute.split_once("unit = \"").and_then(|(_, rest)| rest.split_once('"'));
                blocks.push(Block {
                    file: file.to_string(),
                    name: snake(name),
                    unit: unit.map(|(unit, _)| unit.to_string()),
                    fields: vec![],
                });
                is_open = true;
            }
        } else if let (true, Some(block)) = (is_open, blocks.last_mut()) {
            let declaration = line.trim_start().trim_start_matches("pub ").split_once(": ");
            let field = declaration.filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
            block.fields.extend(field.map(|(name, kind)| Field { name: name.to_string(), is_register: kind.contains("DFF<") }));
        }
    }
    blocks
}

/// `RowHazard` as `row_hazard`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_hw::{catalog, config, export};

    const TEXT: &str =
        "#[block(unit = \"gather\")]\npub struct Gather<W> {\n    /// Text: none.\n    pub in_: StrobeIn<Op<W>>,\n    \
        commit_q: DFF<Commit>,\n    commit: Signal<Local, Bit>,\n    valid: DFF<Bit>,\n    rams: [Ram<Word>; 2],\n}\n\n\
        pub struct Other {\n    rest: u8,\n}\n";

    #[test]
    fn signals_have_the_names_of_fields() {
        let blocks = blocks_of("hw/src/unit/gather/mod.rs", TEXT);
        let shown = |signal: &str| blocks[0].name_of(signal);
        assert_eq!((blocks.len(), blocks[0].name.as_str(), blocks[0].unit.as_deref()), (1, "gather", Some("gather")));
        assert_eq!(
            ["commit_leader_q", "commit_leader_d", "commit_leader"].map(shown),
            ["commit_q.leader", "commit_q.d.leader", "commit.leader"]
        );
        assert_eq!(["valid_q", "valid_d", "in_valid"].map(shown), ["valid", "valid.d", "in_.valid"]);
        assert_eq!(["rams_1", "rams_1_word_7", "word_is_2"].map(shown), ["rams[1]", "rams[1].word_7", "word_is_2"]);
    }

    /// Letters and digits at the start of a comment.
    fn start(text: &str) -> String {
        text.chars().filter(char::is_ascii_alphanumeric).take(40).collect()
    }

    /// The comments of a file that may be above modules: that of the file, and those of its structs.
    fn comments(source: &str) -> Vec<String> {
        let of_file = source.lines().filter_map(|line| line.strip_prefix("//!")).collect();
        let mut found = vec![of_file, String::new()];
        for line in source.lines() {
            match (line.strip_prefix("///"), found.last_mut()) {
                (Some(text), Some(last)) => *last += text,
                _ => found.push(String::new()),
            }
        }
        found
    }

    /// The comment above a module is one of its file, so it shows whether the file is the right one.
    #[test]
    fn every_module_of_the_exports_has_its_file() {
        let root = xtask::root();
        let blocks = Blocks::read(&root).unwrap();
        let mut seen = 0;
        for name in ["small", "default", "intel"] {
            let config = config::by_name(name).unwrap();
            for unit in catalog::built(&config) {
                let text = export::text(&config, unit).unwrap();
                let mut comment = String::new();
                for line in text.lines() {
                    if let Some(part) = line.strip_prefix("//") {
                        comment += part;
                        continue;
                    }
                    if let Some(rest) = line.strip_prefix("module ") {
                        let module = rest.split([' ', '(']).next().unwrap();
                        let block =
                            blocks.of_module(module).unwrap_or_else(|| panic!("no file of {module} in {unit} at {name}"));
                        let source = fs::read_to_string(root.join(&block.file)).unwrap();
                        let is_written_by_hand = module.starts_with("bcu_prim_");
                        let found = start(&comment);
                        assert!(!found.is_empty(), "{module} in {unit} at {name} has no comment");
                        assert!(
                            is_written_by_hand || comments(&source).iter().any(|comment| start(comment) == found),
                            "{module} in {unit} at {name}: {}: {found}",
                            block.file
                        );
                        seen += 1;
                    }
                    comment.clear();
                }
            }
        }
        assert!(seen > 300, "{seen}");
    }
}
