// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The committed Verilog is what the sources give, and Verilator, Icarus and Yosys take it.

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

/// Every exported module with its configuration; of those that differ in nothing but comments one.
fn modules() -> Vec<(&'static str, String)> {
    let mut texts = HashSet::new();
    let mut modules = vec![];
    for (config, _) in config::NAMED {
        for unit in config::named(config).unwrap().built() {
            let module = if unit == "bcu" { unit.to_string() } else { format!("bcu_{unit}") };
            let text = std::fs::read_to_string(folder(config).join(format!("{module}.v"))).unwrap();
            let code: String = text.lines().filter(|line| !line.starts_with("//")).collect();
            if texts.insert(code) {
                modules.push((config, module));
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
    for (config, module) in modules() {
        let file = format!("{module}.v");
        let log = tool(config, "verilator", &["--lint-only", "-Wall", "--top-module", &module, "bcu.vlt", &file]).unwrap();
        assert!(!log.contains('%'), "{config}/{module}: {log}");
    }
}

#[test]
fn icarus_takes_it_as_verilog_2005() {
    for (config, module) in modules() {
        let file = format!("{module}.v");
        let log = tool(config, "iverilog", &["-g2005", "-Wall", "-o", "/dev/null", "-s", &module, &file]).unwrap();
        let said: Vec<_> = log.lines().filter(|l| !l.contains("timescale")).collect();
        assert!(said.is_empty(), "{config}/{module}: {said:?}");
    }
}

#[test]
fn yosys_finds_no_latch_no_implicit_name_no_undriven_wire() {
    // Several multiprocessors have the modules of one, and once is enough for what is beside them.
    let once = |(config, module): &(&str, String)| module != "bcu_gpu" || *config == "tiny";
    for (config, module) in modules().into_iter().filter(once) {
        let script = format!(
            "read_verilog {module}.v; hierarchy -check -top {module}; proc; check -assert; flatten; opt; check -assert"
        );
        let log = tool(config, "yosys", &["-p", &script]).unwrap();
        for bad in ["Latch inferred", "implicitly declared", "no driver", "Warning"] {
            let said: Vec<_> = log.lines().filter(|l| l.contains(bad)).collect();
            assert!(said.is_empty(), "{config}/{module}: {said:?}");
        }
    }
}
