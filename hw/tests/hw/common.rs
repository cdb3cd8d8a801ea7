// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog for users of `bcu_named` that is written by hand: its benches pass with the committed exports, and its numbers are those of the code.

use super::printer::tools::{run, Scratch};
use bcu_hw::config::{named, Config};
use bcu_hw::unit::latency::*;
use bcu_hw::unit::op::{FaultCode, OpKind};
use std::path::Path;

/// The folder of the committed files, as the shell takes it.
fn verilog_out() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out").display().to_string()
}

/// The sizes as `{name}=value`, each behind `option`: `-DBCU_WARPS=8`.
fn sizes(config: &Config, option: &str) -> String {
    let sizes = [("WARPS", config.warps), ("LANES", config.lanes), ("CTAS", config.cta_slots), ("BARRIERS", config.barriers)];
    sizes.map(|(name, value)| format!("{option}{name}={value}")).join(" ")
}

/// Runs a bench of the folder under Icarus; its last line begins with `PASS`.
fn passes(config: &str, bench: &str, units: &[&str], options: &str, arguments: &str) -> String {
    let scratch = Scratch::new(&format!("{bench}-{config}"));
    let (out, units) = (verilog_out(), [&[bench], units].concat());
    let files: String = units.iter().map(|unit| format!("{out}/common/{unit}.v ")).collect();
    let named = format!("{out}/{config}/bcu_named.v");
    let log = run(
        &scratch,
        &format!("iverilog -g2005 -I {out}/common {options} -o bench -s {bench} {files} {named} && vvp -n bench {arguments}"),
    );
    assert!(log.lines().rev().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{bench} at {config}:\n{log}");
    log
}

#[test]
fn the_bench_of_named_passes_at_every_kind_of_size() {
    for name in ["tiny", "small", "odd"] {
        let config = named(name).unwrap();
        passes(name, "tb_bcu_named", &[], &sizes(&config, "-DBCU_"), "");
    }
}

#[test]
fn the_front_for_strobes_agrees_with_its_reference() {
    for (name, generations) in [("tiny", 300), ("odd", 100)] {
        let config = named(name).unwrap();
        let options = sizes(&config, "-Ptb_bcu_simple.");
        passes(name, "tb_bcu_simple", &["bcu_simple", "bcu_named_promises"], &options, &format!("+seed=1 +gens={generations}"));
    }
}

#[test]
fn each_broken_promise_has_its_message() {
    let log = passes("odd", "tb_bcu_named_promises", &["bcu_named_promises"], "", "");
    assert!(log.contains("bcu_named_promises: "), "{log}");
}

#[test]
fn verilator_has_nothing_to_say_of_the_front() {
    for name in ["tiny", "default"] {
        let (scratch, out, sizes) = (Scratch::new(&format!("front-{name}")), verilog_out(), sizes(&named(name).unwrap(), "-G"));
        let files = format!("{out}/{name}/bcu.vlt {out}/common/bcu_simple.v {out}/{name}/bcu_named.v");
        let log = run(&scratch, &format!("verilator --lint-only -Wall {sizes} --top-module bcu_simple {files}"));
        assert!(!log.contains('%'), "{name}: {log}");
    }
}

/// The number behind a macro of `bcu_defs.vh`.
fn defined(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("`define {name} ")))?;
    line.split("//").next()?.trim().rsplit('d').next()?.parse().ok()
}

#[test]
fn the_macros_are_the_numbers_of_the_code() {
    let text = std::fs::read_to_string(format!("{}/common/bcu_defs.vh", verilog_out())).unwrap();
    let latencies = [
        ("RELEASE", NAMED_RELEASE),
        ("EXIT_RELEASE", NAMED_EXIT_RELEASE),
        ("FAULT", NAMED_FAULT),
        ("WAITING", NAMED_WAITING),
        ("READ", NAMED_READ),
    ];
    for (name, value) in latencies {
        assert_eq!(defined(&text, &format!("BCU_NAMED_{name}")), Some(value), "{name}");
    }
    for (prefix, names) in [
        ("BCU_OP_", OpKind::ALL.iter().map(|kind| format!("{kind:?}")).collect::<Vec<_>>()),
        ("BCU_FAULT_", FaultCode::ALL.iter().map(|code| code.name()).collect()),
    ] {
        let mut found = 0;
        for (value, name) in names.iter().enumerate() {
            let number = defined(&text, &format!("{prefix}{}", name.to_uppercase()));
            assert!(number.is_none_or(|number| number == value as u64), "{prefix}{name}: {number:?}");
            found += usize::from(number.is_some());
        }
        let defined = text.lines().filter(|line| line.starts_with(&format!("`define {prefix}"))).count();
        assert_eq!(found, defined, "{prefix}: one is not in the code");
        assert!(found > 0, "{prefix}: none is there");
    }
}
