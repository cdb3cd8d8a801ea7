// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verilator, Icarus and Yosys accept the export of every configuration, including those of `BCU_CONFIGS`, in both languages; Icarus only
//! in Verilog-2005.

use super::printer::tools::Scratch;
use bcu_hw::export::{Dialect, Style};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config, export};
use bcu_isa::units;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;

#[derive(Deserialize)]
struct Manifest {
    units: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    module: String,
    file: String,
    #[serde(default)]
    with: Vec<String>,
}

/// An exported unit.
struct Exported {
    folder: PathBuf,
    module: String,
    /// The package, if any, the files of the units that the unit instantiates, and last the unit's own file.
    files: Vec<String>,
    dialect: Dialect,
}

impl Exported {
    fn own_text(&self) -> &str {
        &self.files[self.files.len() - 1]
    }

    /// The texts of `files` without comment lines.
    fn code(&self, files: &[String]) -> String {
        let read = |file: &String| std::fs::read_to_string(self.folder.join(file)).unwrap();
        let arguments: String = files.iter().map(read).collect();
        arguments.lines().filter(|line| !line.starts_with("//")).collect()
    }

    /// Runs a tool in the unit's folder. Returns all that it prints.
    fn tool(&self, name: &str, arguments: &[&str]) -> String {
        let done = Command::new(name).args(arguments).current_dir(&self.folder).output();
        let done = done.unwrap_or_else(|e| panic!("{name}: {e}; get it with `apt-get install {name}`"));
        let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{name} {} in {}:\n{log}", arguments.join(" "), self.folder.display());
        log
    }

    /// Runs a tool. It must succeed and must not print a line for which `bad` is true.
    fn is_clean(&self, name: &str, arguments: &[&str], bad: &dyn Fn(&str) -> bool) {
        let log = self.tool(name, arguments);
        let said: Vec<_> = log.lines().filter(|line| bad(line)).collect();
        assert!(said.is_empty(), "{}, {}: {said:#?}", self.folder.display(), self.module);
    }

    fn under_verilator(&self) {
        let options = ["--lint-only", "-Wall", "-Wpedantic", "--top-module", &self.module, "bcu.vlt"];
        let arguments: Vec<&str> = options.into_iter().chain(self.files.iter().map(String::as_str)).collect();
        self.is_clean("verilator", &arguments, &|line| line.contains('%'));
    }

    fn under_icarus(&self) {
        // Icarus 11 stops with an internal error at types of a package.
        if self.dialect == Dialect::SystemVerilog {
            return;
        }
        let options = ["-g2005", "-Wall", "-o", "/dev/null", "-s", &self.module];
        let arguments: Vec<&str> = options.into_iter().chain(self.files.iter().map(String::as_str)).collect();
        self.is_clean("iverilog", &arguments, &|line| !line.contains("timescale"));
    }

    /// Checks with Yosys that the unit has no latch, no implicit name and no wire without a driver. The units that it instantiates are
    /// checked separately.
    fn under_yosys(&self) {
        let (read, package) = match self.dialect {
            Dialect::SystemVerilog => ("read_verilog -sv", 1),
            Dialect::Verilog2005 => ("read_verilog", 0),
        };
        let packages = self.files[..package].iter().map(|file| format!("{read} {file}; ")).collect::<String>();
        let others = self.files[package..self.files.len() - 1].iter();
        let others = packages + &others.map(|file| format!("{read} -lib {file}; ")).collect::<String>();
        let script = format!(
            "{others}{read} {}; hierarchy -check -top {}; proc; check -assert; flatten; opt_clean; check -assert",
            self.own_text(),
            self.module
        );
        let bad = ["Latch inferred", "implicitly declared", "no driver", "Warning"];
        self.is_clean("yosys", &["-p", &script], &|line| bad.iter().any(|word| line.contains(word)));
    }
}

/// Exports every configuration and checks its units. If several units are equal in the files that the check depends on, only one of them is
/// checked.
fn every_unit(tool: &str, depends_on: fn(&Exported) -> &[String], check: fn(&Exported)) {
    let mut checked = HashSet::new();
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        for dialect in [Dialect::Verilog2005, Dialect::SystemVerilog] {
            let scratch = Scratch::new(&format!("{tool}-{}-{dialect:?}", config.name));
            let files = export::files_with(&config, catalog::outermost(&config), PREFIX, Style { dialect, ..Style::default() })
                .unwrap();
            files.iter().for_each(|(file, text)| scratch.write(file, text));
            let (_, manifest) = files.iter().find(|(file, _)| file == "manifest.json").unwrap();
            for Entry { module, file, with } in serde_json::from_str::<Manifest>(manifest).unwrap().units {
                let files = with.into_iter().chain([file]).collect();
                let unit = Exported { folder: scratch.path.clone(), module, files, dialect };
                if checked.insert(unit.code(depends_on(&unit))) {
                    check(&unit);
                }
            }
        }
    }
    assert!(checked.len() > units::UNITS.len(), "{}", checked.len());
}

#[test]
fn verilator_has_nothing_to_say() {
    every_unit("verilator", |unit| &unit.files, Exported::under_verilator);
}

#[test]
fn icarus_takes_it_as_verilog_2005() {
    every_unit("icarus", |unit| &unit.files, Exported::under_icarus);
}

#[test]
fn yosys_finds_no_latch_no_implicit_name_no_undriven_wire() {
    every_unit("yosys", |unit| &unit.files[unit.files.len() - 1..], Exported::under_yosys);
}
