// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The comments of exported Verilog: a name in backticks is in the text of its file, and two modules have different headers.

use bcu_hw::config;
use bcu_hw::export;
use bcu_hw::export::set::is_design;
use bcu_hw::verilog::{snake_case, PREFIX};
use bcu_isa::op::FaultCode;
use bcu_isa::units::UNITS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words of the documents from which the unit was made: instructions, parts of their syntax, state words, operators of reductions.
const OF_SOURCES: [&str; 10] =
    [".aligned", "BARState", "WarpBARState", "and", "bar.red", "bar.warp.sync", "barrier", "elect.sync", "or", "popc"];

/// Beginnings of commands in comments.
const COMMANDS: [&str; 2] = ["bcu ", "cargo xtask "];

/// The root of the tree.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Verilog files of the design below `verilog-out`, newly exported, and those of `verilog-out/parameters`: a name for messages, the text.
fn every_file() -> Vec<(String, String)> {
    let mut found = vec![];
    let list = std::fs::read_to_string(root().join("verilog-out/committed.toml")).unwrap();
    for (name, unit) in toml::from_str::<BTreeMap<String, String>>(&list).unwrap() {
        for (file, text) in export::files(&config::by_name(&name).unwrap(), &unit, PREFIX).unwrap() {
            if file.strip_suffix(".v").is_some_and(is_design) {
                found.push((format!("{name}/{file}"), text));
            }
        }
    }
    for entry in std::fs::read_dir(root().join("verilog-out/parameters")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("parameters/{}", path.file_name().unwrap().to_str().unwrap());
        found.push((name, std::fs::read_to_string(path).unwrap()));
    }
    found
}

/// The text of a file in two parts: the code, and the comments, each with the number of its first line. Comments on consecutive lines
/// without code are one comment.
fn split(text: &str) -> (String, Vec<(usize, String)>) {
    let (mut code, mut comments): (String, Vec<(usize, String)>) = Default::default();
    let mut continues = false;
    for (at, line) in text.lines().enumerate() {
        let (before, comment) = match line.split_once("//") {
            Some((before, comment)) => (before, Some(comment)),
            None => (line, None),
        };
        code += before;
        code.push('\n');
        let alone = before.trim().is_empty();
        match (comment, comments.last_mut()) {
            (Some(comment), Some((_, open))) if continues && alone => {
                open.push('\n');
                *open += comment;
            }
            (Some(comment), _) => comments.push((at + 1, comment.to_string())),
            (None, _) => {}
        }
        continues = alone && comment.is_some();
    }
    (code, comments)
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

/// The names that a file has: in its code, and the fields of structures, which its comments list.
struct Known {
    names: BTreeSet<String>,
    /// Beginnings of at least two names of the code, up to a `_`: channels, strobes, arrays and structures.
    groups: BTreeSet<String>,
    /// The ends of those names, after the beginning and its `_`: members of groups.
    members: BTreeSet<String>,
    /// Keys of a configuration.
    keys: BTreeSet<String>,
}

impl Known {
    fn of(code: &str, comments: &[(usize, String)]) -> Known {
        let mut names: BTreeSet<String> = identifiers(code).map(str::to_string).collect();
        // A constant is `NoLane` in the code, and `no_lane` in comments.
        let constants = code.lines().filter_map(|line| line.trim_start().strip_prefix("localparam ")?.split_once(" = "));
        names.extend(constants.filter_map(|(declared, _)| declared.rsplit(' ').next()).map(snake_case));
        let mut by_group: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in &names {
            let stem = name.strip_suffix("_q").unwrap_or(name);
            for (at, _) in stem.match_indices('_') {
                by_group.entry(stem[..at].to_string()).or_default().insert(stem[at + 1..].to_string());
            }
            if let Some(of_module) = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('_')) {
                by_group.entry(of_module.to_string()).or_default();
            }
        }
        by_group.retain(|_, members| members.len() > 1);
        let members = by_group.values().flatten().cloned().collect();
        // `Bits: [3:2] kind, [1] open` is the layout of a structure.
        for (_, comment) in comments {
            for layout in comment.split("Bits: ").skip(1) {
                names.extend(layout.split("] ").skip(1).filter_map(|rest| identifiers(rest).next()).map(str::to_string));
            }
        }
        let config = serde_json::to_value(config::by_name("default").unwrap()).unwrap();
        let keys = config.as_object().unwrap().keys().cloned().collect();
        Known { names, groups: by_group.into_keys().collect(), members, keys }
    }

    /// Whether a reader finds `name` in the file, or knows it from elsewhere.
    fn has(&self, name: &str) -> bool {
        let pattern = name.strip_suffix('*').or(name.strip_suffix("..."));
        if let Some(beginning) = pattern {
            return self.names.iter().any(|name| name.starts_with(beginning));
        }
        // An expression.
        if name.contains(' ') {
            let is_command = COMMANDS.iter().any(|command| name.starts_with(command));
            return is_command || identifiers(name).all(|word| self.names.contains(word));
        }
        // `members_i` stands for `members_0`, `members_1`.
        if let Some((array, "i" | "b")) = name.rsplit_once('_') {
            return self.names.contains(&format!("{array}_0"));
        }
        if let Some((structure, field)) = name.split_once('.').filter(|(structure, _)| !structure.is_empty()) {
            let both = self.has(structure) && self.has(field);
            return both || self.names.contains(&name.replace('.', "_")) || OF_SOURCES.contains(&name) || is_page(name);
        }
        let in_text = ["", "_q", "_"].iter().any(|end| self.names.contains(&format!("{name}{end}")));
        in_text
            || self.groups.contains(name)
            || self.members.contains(name)
            || self.keys.contains(name)
            || self.names.iter().any(|module| module.starts_with(PREFIX) && module.ends_with(&format!("_{name}")))
            || UNITS.contains(&name)
            || OF_SOURCES.contains(&name)
            || is_page(name)
            || config::all().any(|(config, _)| config == name)
            || FaultCode::ALL.iter().any(|code| code.name() == name)
    }
}

/// Whether `name` is the path of a file of the tree.
fn is_page(name: &str) -> bool {
    name.ends_with(".md") && root().join(name).is_file()
}

/// The names in backticks that the comments of a file have and its text does not: line and name. Also the number of names.
fn unknown(text: &str) -> (Vec<(usize, String)>, usize) {
    let (code, comments) = split(text);
    let known = Known::of(&code, &comments);
    let (mut wrong, mut count) = (vec![], 0);
    for (first, comment) in &comments {
        let mut line = *first;
        for (at, part) in comment.split('`').enumerate() {
            let name = part.split_whitespace().collect::<Vec<_>>().join(" ");
            let name = name.replace("// ", "");
            if at % 2 == 1 {
                count += 1;
                if !known.has(&name) {
                    wrong.push((line, name));
                }
            }
            line += part.matches('\n').count();
        }
    }
    (wrong, count)
}

#[test]
fn a_name_in_a_comment_is_in_its_file() {
    let (mut found, mut count) = (vec![], 0);
    for (file, text) in every_file() {
        let (wrong, names) = unknown(&text);
        found.extend(wrong.into_iter().map(|(line, name)| format!("{file}:{line}: `{name}`")));
        count += names;
    }
    assert!(found.is_empty(), "{} names in comments are not in their files:\n{}", found.len(), found.join("\n"));
    assert!(count > 2_000, "only {count} names");
}

#[test]
fn an_unknown_name_in_a_comment_is_found() {
    let module = |comment: &str| {
        format!("// {comment}\nmodule bcu_m_part (input wire [1:0] in_a, input wire in_b, output wire word_0);\n  reg state_q;\nendmodule\n")
    };
    for right in [
        "`in_a`",
        "`state`, the channel `in`, its `b`",
        "the block `part`, `bcu_m_part`",
        "`word_i`, `in_*`, `in_a & in_b`",
        "Bits: [1] open. The field `open`.",
        "`not_resident` of `docs/contract/faults.md`; `lose_faults`; `named`; `bar.red`",
    ] {
        assert_eq!(unknown(&module(right)).0, [], "{right}");
    }
    for wrong in ["`AW`", "two lines\n// `Fold`", "`in_c`", "`words_i`", "`out_*`", "`in_a & c`", "`docs/contract/absent.md`"] {
        let (found, _) = unknown(&module(wrong));
        let line = 1 + wrong.matches('\n').count();
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [line], "{wrong}: {found:?}");
    }
}

/// The modules of a file: the name, and the comment above it.
fn headers(text: &str) -> Vec<(&str, String)> {
    let (mut found, mut comment) = (vec![], String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("//") {
            comment += rest;
            continue;
        }
        if let Some(rest) = line.strip_prefix("module ") {
            found.push((rest.split([' ', '#', '(', ';']).next().unwrap(), comment.clone()));
        }
        comment.clear();
    }
    found
}

/// Whether the modules are one block in several sizes: the name of one of them, without the unit, ends all names.
fn are_of_one_block(unit: &str, modules: &[&str]) -> bool {
    let shortest = modules.iter().min_by_key(|module| module.len()).unwrap();
    let block = shortest.strip_prefix(unit).unwrap_or(shortest);
    modules.iter().all(|module| module.ends_with(block))
}

#[test]
fn different_blocks_have_different_headers() {
    let mut found = vec![];
    // In `parameters` each instance has a module of its own.
    for (file, text) in every_file().into_iter().filter(|(file, _)| !file.starts_with("parameters/")) {
        let unit = Path::new(&file).file_stem().unwrap().to_str().unwrap();
        let mut modules: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (module, header) in headers(&text) {
            modules.entry(header).or_default().push(module);
        }
        assert!(!modules.contains_key(""), "{file}: no comment above {:?}", modules[""]);
        found.extend(modules.values().filter(|same| !are_of_one_block(unit, same)).map(|same| format!("{file}: {same:?}")));
    }
    assert!(found.is_empty(), "modules with the same header:\n{}", found.join("\n"));
    assert!(are_of_one_block("bcu_m", &["bcu_m_ids_at_least", "bcu_m_at_least"]));
    assert!(!are_of_one_block("bcu_m", &["bcu_m_fold", "bcu_m_unfold"]));
}

/// Words of operations that are no names of wires, because many values of a module could have them.
const NO_NAMES: [&str; 9] =
    ["both", "chosen", "difference", "different", "either", "exclusive", "inverse", "joined", "shifted"];

#[test]
fn a_wire_is_named_by_what_it_means() {
    let mut found = vec![];
    for (file, text) in every_file() {
        for (at, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.trim().split([' ', ';']).collect();
            let name = match words.as_slice() {
                ["wire" | "reg", range, name, ..] if range.starts_with('[') => name,
                ["wire" | "reg", name, ..] => name,
                _ => continue,
            };
            let word = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
            // Names in capitals are those of parameters, in comparisons of the sizes of an instance.
            if NO_NAMES.contains(&word) || name.contains(char::is_uppercase) && !name.starts_with("exported_with_") {
                found.push(format!("{file}:{}: {name}", at + 1));
            }
        }
    }
    assert!(found.is_empty(), "names without a meaning, or with capitals:\n{}", found.join("\n"));
}
