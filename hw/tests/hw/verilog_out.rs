// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The committed Verilog is what the sources give, and Verilator, Icarus and Yosys take it.

use bcu_hw::verilog::Options;
use bcu_hw::{catalog, config, export};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(config: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out").join(config)
}

/// Runs a tool in a configuration's folder; gives its whole output if it succeeded.
fn tool(config: &str, name: &str, arguments: &[&str]) -> Result<String, String> {
    let done = Command::new(name).args(arguments).current_dir(folder(config)).output();
    let done = done.map_err(|e| format!("{name}: {e}; get it with `apt-get install {name}`"))?;
    let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    if done.status.success() {
        Ok(log)
    } else {
        Err(format!("{name} {} in {config}:\n{log}", arguments.join(" ")))
    }
}

/// An exported module.
struct Module {
    config: &'static str,
    name: String,
    /// The files of the modules that it instantiates, then its own.
    files: Vec<String>,
}

impl Module {
    fn own(&self) -> &str {
        &self.files[self.files.len() - 1]
    }

    /// It is in the text of its configuration's whole unit.
    fn is_in_whole(&self) -> bool {
        let whole = std::fs::read_to_string(folder(self.config).join("bcu.v")).unwrap_or_default();
        self.name != "bcu" && whole.contains(&format!("\nmodule {} (", self.name))
    }

    fn others(&self) -> &[String] {
        &self.files[..self.files.len() - 1]
    }
}

/// Every exported module; of those that differ in nothing but comments one.
fn modules() -> Vec<Module> {
    let mut texts = HashSet::new();
    let mut modules = vec![];
    for (config, _) in config::NAMED {
        let sizes = config::named(config).unwrap();
        for unit in sizes.built() {
            let files = export::sources(&*catalog::build(&sizes, unit).unwrap());
            let text = |file: &String| std::fs::read_to_string(folder(config).join(file)).unwrap();
            let all: String = files.iter().map(text).collect();
            let code: String = all.lines().filter(|line| !line.starts_with("//")).collect();
            if texts.insert(code) {
                modules.push(Module { config, name: Options::new(unit).top, files });
            }
        }
    }
    modules
}

#[test]
fn the_committed_files_are_fresh() {
    for (name, _) in config::NAMED {
        let files = export::files(&config::named(name).unwrap()).unwrap();
        for (file, text) in &files {
            let committed = std::fs::read_to_string(folder(name).join(file)).unwrap_or_default();
            assert!(committed == *text, "verilog-out/{name}/{file} is stale: run `cargo xtask regen`");
        }
        let extra: Vec<_> = std::fs::read_dir(folder(name)).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(extra.len(), files.len(), "verilog-out/{name} holds files that no export writes: {extra:?}");
    }
}

#[test]
fn the_readme_has_the_ports_of_the_default_unit() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let unit = catalog::build(&config::named("default").unwrap(), "bcu").unwrap();
    let table = format!("{}\n{}{}", export::PORTS_BEGIN, export::port_table(&*unit), export::PORTS_END);
    assert!(readme.contains(&table), "the port table of README.md is stale: run `cargo xtask regen`");
}

#[test]
fn verilator_has_nothing_to_say() {
    for module in modules() {
        let options = ["--lint-only", "-Wall", "--top-module", &module.name, "bcu.vlt"];
        let all: Vec<&str> = options.into_iter().chain(module.files.iter().map(String::as_str)).collect();
        let log = tool(module.config, "verilator", &all).unwrap();
        assert!(!log.contains('%'), "{}/{}: {log}", module.config, module.name);
    }
}

#[test]
fn icarus_takes_it_as_verilog_2005() {
    for module in modules() {
        let options = ["-g2005", "-Wall", "-o", "/dev/null", "-s", &module.name];
        let all: Vec<&str> = options.into_iter().chain(module.files.iter().map(String::as_str)).collect();
        let log = tool(module.config, "iverilog", &all).unwrap();
        let said: Vec<_> = log.lines().filter(|l| !l.contains("timescale")).collect();
        assert!(said.is_empty(), "{}/{}: {said:?}", module.config, module.name);
    }
}

#[test]
fn yosys_finds_no_latch_no_implicit_name_no_undriven_wire() {
    // A part is looked at in the whole unit.
    for module in modules().into_iter().filter(|module| !module.is_in_whole()) {
        let Module { config, name, .. } = &module;
        // What is in a file of its own is looked at there.
        let others = module.others().iter().map(|file| format!("read_verilog -lib {file}; ")).collect::<String>();
        let script = format!(
            "{others}read_verilog {}; hierarchy -check -top {name}; proc; check -assert; flatten; opt_clean; check -assert",
            module.own()
        );
        let log = tool(config, "yosys", &["-p", &script]).unwrap();
        for bad in ["Latch inferred", "implicitly declared", "no driver", "Warning"] {
            let said: Vec<_> = log.lines().filter(|l| l.contains(bad)).collect();
            assert!(said.is_empty(), "{config}/{name}: {said:?}");
        }
    }
}
