// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The benches of the exports, and the Verilog for users of `bcu_named` that is written by hand.

use super::printer::tools::{run, Scratch};
use bcu_hw::export;
use bcu_hw::verilog::PREFIX;
use bcu_isa::config::{named, Config, NAMED};
use std::path::Path;

/// A folder with the export of `named` in a configuration.
fn exported(name: &str, config: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for (file, text) in export::files(&named(config).unwrap(), "named", PREFIX).unwrap() {
        scratch.write(&file, &text);
    }
    scratch
}

/// The sizes as `{name}=value`, each behind `option`: `-GWARPS=8`.
fn sizes(config: &Config, option: &str) -> String {
    let sizes = [("WARPS", config.warps), ("LANES", config.lanes), ("CTAS", config.cta_slots), ("BARRIERS", config.barriers)];
    sizes.map(|(name, value)| format!("{option}{name}={value}")).join(" ")
}

/// Runs a bench under Icarus; its last line begins with `PASS`.
fn passes(config: &str, bench: &str, files: &str, options: &str, arguments: &str) -> String {
    let scratch = exported(&format!("{bench}-{config}"), config);
    let command = format!("iverilog -g2005 {options} -o bench -s {bench} {files} bcu_named.v && vvp -n bench {arguments}");
    let log = run(&scratch, &command);
    assert!(log.lines().rev().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{bench} at {config}:\n{log}");
    log
}

/// Files of the folder `common`.
fn common(units: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/common");
    units.iter().map(|unit| format!("{}/{unit}.v ", folder.display())).collect()
}

#[test]
fn the_bench_in_each_export_passes() {
    for (name, _) in NAMED.iter().filter(|(name, _)| named(name).unwrap().has_named()) {
        passes(name, "tb_bcu_named", "tb_bcu_named.v", "", "");
    }
}

#[test]
fn the_front_for_barriers_with_a_count_unlocks_each_group_in_its_cycle() {
    for config in ["tiny", "odd", "warp8_bare", "default"] {
        passes(config, "tb_bcu_counted", &common(&["tb_bcu_counted", "bcu_counted"]), "", "+seed=1");
    }
}

#[test]
fn the_front_for_strobes_agrees_with_its_reference() {
    for (name, generations) in [("tiny", 300), ("odd", 100)] {
        let config = named(name).unwrap();
        let options = sizes(&config, "-Ptb_bcu_simple.");
        passes(
            name,
            "tb_bcu_simple",
            &common(&["tb_bcu_simple", "bcu_simple", "bcu_named_promises"]),
            &options,
            &format!("+seed=1 +gens={generations}"),
        );
    }
}

#[test]
fn each_broken_promise_has_its_message() {
    let log = passes("odd", "tb_bcu_named_promises", &common(&["tb_bcu_named_promises", "bcu_named_promises"]), "", "");
    assert!(log.contains("bcu_named_promises: "), "{log}");
}

#[test]
fn the_front_for_strobes_says_what_is_wrong_around_it() {
    let scratch = exported("messages", "tiny");
    scratch.write("messages.v", include_str!("messages.v"));
    let files = format!("messages.v {} bcu_named.v", common(&["bcu_simple"]));
    let log = run(&scratch, &format!("iverilog -g2005 -o bench -s messages {files} && vvp -n bench"));
    let said: Vec<_> = log.lines().map(|line| line.split(": ").last().unwrap_or(line)).collect();
    assert_eq!(
        said,
        [
            "not live",
            "warp 3 arrives and is not live",
            "twice",
            "warp 0 arrives while it waits or its last arrival is queued",
            "joins too late",
            "a warp that has not joined arrives while all members wait",
            "live again",
            "warp 0 becomes live again before `present` of it is 0",
            "end 1111",
        ],
        "{log}"
    );
}

#[test]
fn verilator_has_nothing_to_say_of_the_fronts_and_of_the_slave() {
    for name in ["tiny", "default"] {
        let (scratch, sizes) = (exported(&format!("front-{name}"), name), sizes(&named(name).unwrap(), "-G"));
        let own = common(&["bcu_axil", "bcu_registers", "bcu_simple", "bcu_counted"]);
        for top in ["bcu_counted", "bcu_simple", "bcu_registers", "bcu_axil"] {
            let files = format!("bcu.vlt {own} bcu_named.v");
            let log = run(&scratch, &format!("verilator --lint-only -Wall {sizes} --top-module {top} {files}"));
            assert!(!log.contains('%'), "{top}, {name}: {log}");
        }
    }
}

/// Both tell the same: offset and name of each register.
#[test]
fn the_page_for_integrators_has_the_map_of_the_slave() {
    let read = |file: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
    let (slave, page) = (read("verilog-out/common/bcu_registers.v"), read("docs/integrate.md"));
    let in_header = slave.lines().filter_map(|line| line.strip_prefix("//   0x"));
    let header: Vec<_> = in_header.filter_map(|line| line.split_once("  ")).map(|(at, rest)| (at, word(rest))).collect();
    let (_, rest) = page.split_once("<!-- map begin").expect("a table of the map");
    let (table, _) = rest.split_once("<!-- map end").expect("an end of the table");
    let mut rows = vec![];
    for row in table.lines().filter(|line| line.starts_with("| `0x")) {
        let cells: Vec<_> = row.split('|').map(quoted).collect();
        rows.extend(cells[1].iter().map(|at| &at[2..]).zip(cells[2].iter().copied()));
    }
    assert!(header.len() > 20, "{header:?}");
    assert_eq!(header, rows);
}

/// The name with which a text begins.
fn word(text: &str) -> &str {
    text.split(' ').next().unwrap_or(text)
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}
