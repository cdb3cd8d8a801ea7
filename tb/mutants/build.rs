// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies the units' sources once per fault of `faults.toml`, each copy with that one fault, so that every faulty unit is an
//! ordinary block of this crate. The build fails when a fault no longer fits the sources.

use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Faults {
    /// Warps, lanes and CTA slots of the only size in which the faulty units are built.
    size: [usize; 3],
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// A module's name.
    name: String,
    /// Unit whose ports must show it.
    unit: String,
    /// Source below hw/src/unit.
    file: String,
    find: String,
    replace: String,
    /// What the fault breaks, one sentence.
    breaks: String,
}

fn main() {
    let here = PathBuf::from(var("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(var("OUT_DIR"));
    let hw = here.join("../../hw/src");
    let list = here.join("faults.toml");
    for path in [&list, &hw.join("unit"), &hw.join("catalog.rs")] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let faults: Faults = toml::from_str(&read(&list)).unwrap_or_else(|e| panic!("{}: {e}", list.display()));
    let mut code = String::new();
    let mut table = String::new();
    for fault in &faults.fault {
        let folder = out.join(&fault.name);
        let mut found = false;
        copy(&hw.join("unit"), &folder.join("unit"), &mut |file, text| {
            let text = if file == hw.join("unit").join(&fault.file) {
                found = true;
                once(&text, &fault.find, &fault.replace, &format!("fault `{}`, {}", fault.name, fault.file))
            } else {
                text
            };
            local(&text, &fault.name)
        });
        assert!(found, "fault `{}`: there is no hw/src/unit/{}", fault.name, fault.file);
        let catalog = one_unit(&one_size(&read(&hw.join("catalog.rs")), faults.size), &fault.unit);
        let catalog = local(&catalog, &fault.name);
        write(&folder.join("catalog.rs"), &catalog);
        let Fault { name, unit, breaks, .. } = fault;
        let (unit_path, catalog_path) = (folder.join("unit/mod.rs"), folder.join("catalog.rs"));
        // The catalogue names units by their path from the crate's root.
        writeln!(code, "/// {breaks}\npub mod {name} {{").unwrap();
        writeln!(code, "    #[path = {unit_path:?}]\n    pub mod unit;").unwrap();
        writeln!(code, "    #[path = {catalog_path:?}]\n    pub mod catalog;\n}}").unwrap();
        writeln!(table, "    Fault {{ name: {name:?}, unit: {unit:?}, breaks: {breaks:?}, build: {name}::catalog::build }},")
            .unwrap();
    }
    writeln!(code, "/// Every faulty unit.\npub const FAULTS: &[Fault] = &[\n{table}];").unwrap();
    write(&out.join("faults.rs"), &code);
}

/// Paths of the copied crate: units are those of the copy, everything else comes from bcu-hw.
fn local(text: &str, fault: &str) -> String {
    let marked = text.replace("crate::unit", "\u{0}");
    marked.replace("crate::", "bcu_hw::").replace('\u{0}', &format!("crate::{fault}::unit"))
}

/// The catalogue with a single size, so that a copy takes no longer to compile than needed. A line of its table is
/// `warps … lanes: slots;`.
fn one_size(text: &str, size: [usize; 3]) -> String {
    let numbers = |line: &str| -> Option<Vec<usize>> {
        let line = line.trim().strip_suffix(';')?;
        line.split([' ', ':']).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect()
    };
    let fits = |n: &[usize]| n.first() == Some(&size[0]) && n.ends_with(&size[1..]);
    let kept: Vec<&str> = text.lines().filter(|l| numbers(l).is_none_or(|n| fits(&n))).collect();
    let left = kept.iter().filter(|l| numbers(l).is_some()).count();
    assert_eq!(
        left, 1,
        "hw/src/catalog.rs offers {left} sizes of warps, lanes and slots {size:?}, expected one; see faults.toml"
    );
    kept.join("\n")
}

/// The catalogue with a single unit, for the same reason. A line that builds one is `"unit" => connected(…),`.
fn one_unit(text: &str, unit: &str) -> String {
    let other = |line: &str| line.contains("=> connected(") && !line.contains(&format!("{unit:?} => "));
    let kept: Vec<&str> = text.lines().filter(|l| !other(l)).collect();
    let built: Vec<&&str> = kept.iter().filter(|l| l.contains("=> connected(")).collect();
    assert_eq!(
        built.len(),
        1,
        "hw/src/catalog.rs builds the unit `{unit}` in {} lines, expected one; see faults.toml",
        built.len()
    );
    // Only its block is imported.
    let used = |item: &&str| item.rsplit("::").next().is_some_and(|block| built[0].contains(&format!("({block}::<")));
    let import = |line: &str| match line.strip_prefix("use crate::unit::{").and_then(|items| items.strip_suffix("};")) {
        Some(items) => format!("use crate::unit::{{{}}};", items.split(", ").filter(used).collect::<Vec<_>>().join(", ")),
        None => line.to_string(),
    };
    kept.iter().map(|line| import(line)).collect::<Vec<_>>().join("\n")
}

fn once(text: &str, find: &str, replace: &str, what: &str) -> String {
    let times = text.matches(find).count();
    assert_eq!(times, 1, "{what}: `{find}` stands there {times} times, expected once; bring faults.toml up to date");
    text.replacen(find, replace, 1)
}

fn copy(from: &Path, to: &Path, change: &mut dyn FnMut(&Path, String) -> String) {
    fs::create_dir_all(to).unwrap_or_else(|e| panic!("{}: {e}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display())) {
        let path = entry.unwrap_or_else(|e| panic!("{}: {e}", from.display())).path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target, change);
        } else {
            write(&target, &change(&path, read(&path)));
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|e| panic!("{name}: {e}"))
}
