// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of an export.

use super::printer::tools::{run, Scratch};
use bcu_hw::export::set::{is_design, MARK};
use bcu_hw::export::{files, files_with, text, Dialect, Style};
use bcu_hw::verilog::{module_name, Reset, PREFIX};
use bcu_isa::config::named;
use bcu_isa::units;

/// The text of the file with this name.
fn file<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    &files.iter().find(|file| file.0 == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// The FuseSoC core file of an export.
fn core_of(config: &str, unit: &str) -> String {
    file(&files(&named(config).unwrap(), unit, PREFIX).unwrap(), "bcu.core").to_string()
}

fn file_of(unit: &str) -> String {
    format!("{}.v", module_name(PREFIX, unit))
}

#[test]
fn what_is_not_built_is_in_no_file() {
    let files_of = |config: &str, unit: &str| files(&named(config).unwrap(), unit, PREFIX).unwrap();
    let ports = |files: &[(String, String)], module: &str| {
        let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
        let unit = manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == module).unwrap().clone();
        unit["ports"].as_array().unwrap().iter().map(|port| port["name"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let (without, alone, whole) = (files_of("named_only", "bcu"), files_of("warp32", "bcu"), files_of("default", "bcu"));
    let has = |files, module, beginning| ports(files, module).iter().any(|port| port.starts_with(beginning));
    for beginning in ["tx_", "net_", "wait_limit", "mem_", "token_", "wake_"] {
        assert!(has(&whole, "bcu", beginning) && !has(&without, "bcu", beginning), "{beginning}");
    }
    assert!(["bcu", "bcu_mbarrier"].iter().all(|unit| has(&whole, unit, "net_") && !has(&alone, unit, "net_")));
    let join_texts = |files: &[(String, String)]| files.iter().map(|file| file.1.as_str()).collect::<String>();
    let parts = ["bcu_mbarrier #(", "bcu_lane_numbers (", "bcu_decode_mbar_forms ("].map(|part| format!("module {part}"));
    assert!(parts.iter().all(|part| join_texts(&whole).contains(part) && !join_texts(&without).contains(part)));
    assert!(without[0].1.contains("no mbarriers") && !without.iter().any(|(name, _)| name == "bcu_mbarrier.v"));
}

#[test]
fn no_module_is_in_two_files_and_each_unit_is_made_of_those_that_it_instantiates() {
    let config = named("tiny").unwrap();
    let files = files(&config, "gpu", PREFIX).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
    let unit = |module: &str| manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == module).unwrap();
    let parts = units::parts().filter(|unit| !["gateway", "cluster_hub", "grid_hub", "gpu"].contains(unit));
    let of_one: Vec<String> = parts.map(file_of).collect();
    let primitives = vec!["bcu_prim.v".to_string()];
    let of_one = [primitives.clone(), of_one].concat();
    assert_eq!(unit("bcu")["with"], serde_json::json!(of_one));
    let of_several = [of_one, ["bcu_cluster_hub.v", "bcu_grid_hub.v", "bcu.v"].map(String::from).to_vec()].concat();
    assert_eq!(unit("bcu_gpu")["with"], serde_json::json!(of_several));
    assert_eq!(unit("bcu_named")["with"], serde_json::json!(primitives));
    assert!(unit("bcu_warp_status").get("with").is_none());

    let units = files.iter().filter(|(name, _)| !name.starts_with("example_") && !name.contains("_assert."));
    let verilog: String = units.map(|file| file.1.as_str()).collect();
    let modules: Vec<_> = verilog.lines().filter_map(|line| line.strip_prefix("module ")).collect();
    assert_eq!(modules.len(), modules.iter().collect::<std::collections::HashSet<_>>().len(), "{modules:?}");
    assert_eq!(files[0].1.matches("  bcu bcu_").count(), config.sms);
    assert_eq!(text(&config, "gpu").unwrap().lines().filter(|line| line.starts_with("module ")).count(), modules.len());
}

#[test]
fn the_core_file_has_several_multiprocessors_where_they_are_exported() {
    let several = core_of("tiny", "gpu");
    let files = "      - bcu_cluster_hub.v\n      - bcu_grid_hub.v\n      - bcu.v\n      - bcu_gpu.v\n";
    assert!(several.contains(files) && several.contains("  gpu_lint:\n    <<: *gpu\n"), "{several}");
    assert!(several.contains("    toplevel: bcu\n") && !core_of("tiny", "bcu").contains("gpu"));
    let named = core_of("tiny", "named");
    assert!(
        named.contains("    files:\n      - bcu_prim.v\n      - bcu_named.v\n") && named.contains("    toplevel: bcu_named\n"),
        "{named}"
    );
}

#[test]
fn the_core_file_has_synthesis_of_the_barriers_alone() {
    for (config, unit, barriers) in
        [("tiny", "bcu", "bcu_named"), ("intel", "bcu", "bcu_gateway"), ("tiny", "gather", "bcu_gather")]
    {
        let core = core_of(config, unit);
        for arch in ["ice40", "ecp5"] {
            let (_, target) = core.split_once(&format!("  synth_{arch}:\n")).expect(arch);
            let (_, top) = target.split_once("toplevel: ").expect("a top level");
            assert!(target.contains(&format!("arch: {arch}\n")) && top.starts_with(&format!("{barriers}\n")), "{core}");
        }
    }
}

#[test]
fn the_package_of_bender_has_the_files_of_the_manifest() {
    for (config, unit, prefix) in [("default", "gpu", PREFIX), ("intel", "bcu", PREFIX), ("small", "named", "mine")] {
        let files = files(&named(config).unwrap(), unit, prefix).unwrap();
        let text = |name: &str| file(&files, name);
        let manifest = if prefix == PREFIX { "manifest.json" } else { "mine_manifest.json" };
        let manifest: serde_json::Value = serde_json::from_str(text(manifest)).unwrap();
        let top = &manifest["units"][0];
        let with = top.get("with").and_then(|with| with.as_array()).cloned().unwrap_or_default();
        let mut expected: Vec<_> = with.iter().chain([&top["file"]]).map(|file| file.as_str().unwrap()).collect();
        let package = text(if prefix == PREFIX { "Bender.yml" } else { "mine_Bender.yml" });
        let (_, sources) = package.split_once("sources:\n").expect("a list of sources");
        let found: Vec<_> =
            sources.lines().filter_map(|line| line.trim().strip_prefix("- ")).filter(|f| f.ends_with(".v")).collect();
        let bench = files.iter().map(|file| file.0.as_str()).find(|name| name.starts_with("example_"));
        expected.extend(bench);
        assert_eq!(found, expected, "{package}");
        assert_eq!(bench.is_some(), sources.contains("  - target: test\n    files:\n      - example_"), "{package}");
    }
}

#[test]
fn a_unit_that_a_configuration_lacks_is_refused_with_those_that_it_has() {
    let error = files(&named("intel").unwrap(), "named", PREFIX).unwrap_err().to_string();
    assert!(error.starts_with("configuration `intel` has no unit `named`; it has cta_table, decode,"), "{error}");
}

#[test]
fn an_export_has_every_unit_and_names_its_configuration() {
    let files = files(&named("tiny").unwrap(), "gpu", PREFIX).unwrap();
    let names: Vec<_> = files.iter().map(|f| f.0.as_str()).collect();
    let of_units: Vec<_> = units::UNITS.into_iter().rev().filter(|unit| *unit != "gateway").map(file_of).collect();
    let (verilog, other_files) = names.split_at(of_units.len());
    assert_eq!(verilog, of_units);
    let (checkers, other_files): (Vec<&str>, Vec<&str>) = other_files.iter().partition(|name| name.contains("_assert."));
    assert_eq!(
        checkers.len(),
        of_units.len() + 1,
        "expected a checker for each unit and the file that binds the checkers; found {checkers:?}"
    );
    assert_eq!(
        other_files,
        ["bcu_prim.v", "bcu_defs.vh", "example_bcu_named.v", "bcu.vlt", "bcu.core", "Bender.yml", "manifest.json"]
    );
    let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
    assert_eq!(manifest["format_version"], 2);
    let deadlock_detector =
        manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == "bcu_deadlock_detector").unwrap();
    let port = |name: &str| deadlock_detector["ports"].as_array().unwrap().iter().find(|port| port["name"] == name).unwrap();
    assert_eq!(port("dead_cta")["channel"], serde_json::json!({ "name": "dead", "part": "payload" }));
    assert_eq!(port("dead_cta")["when"], serde_json::json!([{ "port": "dead_valid", "values": [1] }]));
    assert!(port("dead_valid").get("when").is_none() && port("stalled").get("channel").is_none());
    assert!(files.iter().all(|(_, text)| text.contains(MARK)));
    let of_units = files.iter().filter(|f| f.0.starts_with("bcu") && f.0.ends_with(".v") && f.0 != "bcu_prim.v");
    for (name, text) in of_units {
        let module = name.trim_end_matches(".v");
        assert!(text.contains(&format!("module {module} #(")), "{name}");
        assert!(name.ends_with("_assert.v") || text.contains("configuration tiny, 4 warps of 4 lanes"), "{name}");
        let modules: Vec<_> = text.lines().filter_map(|l| l.strip_prefix("module ")).collect();
        assert!(modules.iter().all(|m| m.starts_with("bcu")), "{modules:?}");
    }
}

/// The modules that an export instantiates are those of `bcu_prim.v`, with its prefix, and no printed module is a copy of one.
#[test]
fn primitives_are_instances_of_the_modules_of_one_file() {
    for (config, prefix) in [("default", PREFIX), ("intel", "mine")] {
        let files = files(&named(config).unwrap(), "bcu", prefix).unwrap();
        let primitives = file(&files, &format!("{prefix}_prim.v"));
        let begin = format!("module {prefix}_prim_");
        let kinds: Vec<&str> = primitives.lines().filter_map(|line| line.strip_prefix(&begin)?.split(' ').next()).collect();
        assert_eq!(kinds.len(), 9, "{kinds:?}");
        assert_eq!(primitives.matches("\nendmodule").count(), kinds.len());
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".v") && !name.ends_with("_prim.v")) {
            let copies: Vec<_> = text
                .lines()
                .filter(|line| line.starts_with("module ") && !line.contains("_assert"))
                .filter(|line| {
                    ["_strobe_register", "_buffer", "_fifo", "_ring", "_round_robin", "_spread", "_store"]
                        .iter()
                        .any(|k| line.contains(k))
                })
                .collect();
            assert!(copies.is_empty(), "{name}: {copies:?}");
        }
        let stores = file(&files, &format!("{prefix}_mem_order.v"));
        assert!(stores.contains(&format!("  {prefix}_prim_store #(.WIDTH(")), "{stores}");
    }
}

/// Without a reset of their own, registers have no initial value either; with the option every register has a reset.
#[test]
fn registers_have_the_resets_of_the_options_and_no_initial_value() {
    let config = named("tiny").unwrap();
    for (is_async_low, of_all) in [(false, false), (false, true), (true, false), (true, true)] {
        let files =
            files_with(&config, "bcu", PREFIX, Style { reset: Reset { is_async_low, of_all }, ..Style::default() }).unwrap();
        let design: Vec<_> =
            files.iter().filter(|(name, _)| name.ends_with(".v") && is_design(name.trim_end_matches(".v"))).collect();
        for (name, text) in &design {
            let initial =
                |line: &&str| line.trim_start().starts_with("reg ") && line.contains('=') || line.contains("initial begin");
            assert_eq!(text.lines().find(initial), None, "{name}");
        }
        let scratch = Scratch::new(&format!("resets-{is_async_low}-{of_all}"));
        let texts: String = design.iter().map(|(_, text)| text.as_str()).collect();
        scratch.write("unit.v", &texts);
        // Registers of read ports become part of their memory.
        let prepared = "read_verilog unit.v; prep -flatten -top bcu; opt_dff; opt_clean; memory -nomap; opt_clean";
        let count = |types: &str| {
            let log = run(&scratch, &format!("yosys -p '{prepared}; select -count {types}'"));
            let words = log.lines().rev().find_map(|line| line.strip_suffix(" objects.")).unwrap();
            words.parse::<usize>().unwrap()
        };
        let [asynchronous, other] = ["t:$adff t:$adffe", "t:$dff t:$dffe t:$sdff t:$sdffe t:$sdffce"].map(|types| count(types));
        // Yosys also makes a synchronous reset of a condition that sets a register to 0: only those count whose condition is the reset.
        let port = if is_async_low { "reset_n" } else { "reset" };
        let cone = "%co*:+$logic_not,$not[A,Y]:+$sdff,$sdffe,$sdffce[SRST]";
        let sync = count(&format!("i:{port} {cone} t:$sdff* %i"));
        assert_eq!(asynchronous == 0, !is_async_low, "{other} {sync} {asynchronous}");
        // An asynchronous reset needs no edge of the clock, so no register has it as a condition.
        assert_eq!(sync == 0, is_async_low, "{other} {sync} {asynchronous}");
        assert!(!is_async_low || (other == 0) == of_all, "{other} {sync} {asynchronous}");
        let manifest: serde_json::Value = serde_json::from_str(file(&files, "manifest.json")).unwrap();
        assert!(manifest["units"][0]["ports"].as_array().unwrap().iter().any(|entry| entry["name"] == port));
        assert_eq!(manifest["reset"], if is_async_low { "async-low" } else { "sync" });
        assert_eq!(manifest["reset_registers"], if of_all { "all" } else { "control" });
    }
}

/// A register of a payload is a structure in SystemVerilog, with no initial value either.
#[test]
fn registers_have_no_initial_value_in_system_verilog() {
    let style = Style { dialect: Dialect::SystemVerilog, ..Style::default() };
    for config in ["small", "intel_tiny"] {
        let files = files_with(&named(config).unwrap(), "bcu", PREFIX, style).unwrap();
        let lines = || files.iter().filter(|(name, _)| name.ends_with(".sv")).flat_map(|(_, text)| text.lines());
        let declares = |line: &&str| line.starts_with("  bcu_pkg::") || line.starts_with("  logic ");
        let registers: Vec<&str> = lines().filter(declares).filter(|line| line.contains("_q")).collect();
        assert!(registers.iter().any(|line| line.contains("_t ")), "{registers:?}");
        assert_eq!(registers.iter().find(|line| line.contains('=')), None, "{config}");
    }
}

/// The bench and the checkers of an export with another reset fit its ports.
#[test]
fn the_bench_of_an_export_with_another_reset_passes() {
    let scratch = Scratch::new("reset-bench");
    for (file, text) in files_with(
        &named("tiny").unwrap(),
        "named",
        PREFIX,
        Style { reset: Reset { is_async_low: true, of_all: true }, ..Style::default() },
    )
    .unwrap()
    {
        scratch.write(&file, &text);
    }
    let files = "example_bcu_named.v bcu_prim.v bcu_named.v";
    let log = run(&scratch, &format!("iverilog -g2005 -o bench -s example_bcu_named {files} && vvp -n bench"));
    assert!(log.contains("PASS"), "{log}");
    let lint = "verilator --lint-only -Wall --top-module bcu_named bcu.vlt bcu_prim.v bcu_named.v";
    assert!(!run(&scratch, lint).contains('%'));
    let checked = "verilator --lint-only --assert -DBCU_ASSERT -Wno-fatal --top-module bcu_named -I.";
    run(&scratch, &format!("{checked} bcu_prim.v bcu_named.v bcu_named_assert.v bcu_assert.sv"));
}
