// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The benches of the exports, and the hand-written Verilog for users of `bcu_named`.

use super::printer::tools::{attempt, run, Scratch};
use super::{bar, phase};
use bcu_hw::export;
use bcu_hw::verilog::PREFIX;
use bcu_isa::config::{named, NAMED};
use std::path::Path;

/// A folder with the export of `named` in a configuration.
fn exported(name: &str, config: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for (file, text) in export::files(&named(config).unwrap(), "named", PREFIX).unwrap() {
        scratch.write(&file, &text);
    }
    scratch
}

/// Runs a bench under Icarus, and returns what it prints: a line must begin with `PASS`, and none may contain `FAIL`.
fn passes(config: &str, bench: &str, files: &str, options: &str, arguments: &str) -> String {
    let with: String = options.chars().filter(char::is_ascii_alphanumeric).collect();
    let scratch = exported(&format!("{bench}-{config}-{with}"), config);
    let command = format!(
        "iverilog -g2005 -I . {options} -o bench -s {bench} {files} bcu_prim.v bcu_named.v && vvp -n bench {arguments}"
    );
    let log = run(&scratch, &command);
    assert!(log.lines().rev().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{bench} at {config}:\n{log}");
    log
}

/// The paths of the files of `units` in the folder `verilog-out/common`, each followed by a blank.
pub fn common(units: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/common");
    units.iter().map(|unit| format!("{}/{unit}.v ", folder.display())).collect()
}

#[test]
fn the_bench_in_each_export_passes() {
    for (name, _) in NAMED.iter().filter(|(name, _)| named(name).unwrap().has_named()) {
        passes(name, "example_bcu_named", "example_bcu_named.v", "", "");
    }
}

#[test]
fn the_front_for_barriers_with_a_count_unlocks_each_group_in_its_cycle() {
    for (config, options) in [("tiny", ""), ("odd_sizes", "-Ptb_bcu_counted.STOP=1"), ("warp8_bare", ""), ("default", "")] {
        passes(config, "tb_bcu_counted", &common(&["tb_bcu_counted", "bcu_counted", "bcu_hang"]), options, "+seed=1");
    }
}

/// With `LATENCY = 1` it contains `bcu_phase`; `bcu_named` is only compiled.
#[test]
fn the_front_for_barriers_with_a_count_unlocks_each_group_one_cycle_later() {
    let stop = "-Ptb_bcu_counted.STOP=1";
    for (config, options) in [("tiny", ""), ("tiny", stop), ("odd_sizes", stop), ("warp8_bare", ""), ("default", "")] {
        let files = format!("{} {}", common(&["tb_bcu_counted", "bcu_counted"]), common(&phase::FILES));
        passes(config, "tb_bcu_counted", &files, &format!("-Ptb_bcu_counted.LATENCY=1 {options}"), "+seed=1");
    }
}

/// With `CHECK = 0` it contains `bcu_bar`, which also keeps the latency.
#[test]
fn the_front_without_checks_unlocks_each_group_in_its_cycle() {
    for (config, options) in [("tiny", ""), ("odd_sizes", ""), ("default", ""), ("tiny", "-Ptb_bcu_counted.LATENCY=1")] {
        let files = format!("{} {}", common(&["tb_bcu_counted", "bcu_counted"]), common(&phase::FILES)) + &common(&bar::FILES);
        passes(config, "tb_bcu_counted", &files, &format!("-Ptb_bcu_counted.CHECK=0 {options}"), "+seed=1");
    }
}

#[test]
fn the_front_for_strobes_agrees_with_its_reference() {
    for (name, generations) in [("tiny", 300), ("odd_sizes", 100)] {
        passes(
            name,
            "tb_bcu_simple",
            &common(&["tb_bcu_simple", "bcu_simple", "bcu_hang"]),
            "",
            &format!("+seed=1 +gens={generations}"),
        );
    }
}

#[test]
fn the_front_for_strobes_says_what_is_wrong_around_it() {
    let scratch = exported("messages", "tiny");
    scratch.write("messages.v", include_str!("messages.v"));
    let files = format!("messages.v {} bcu_prim.v bcu_named.v", common(&["bcu_simple", "bcu_hang"]));
    let log = run(&scratch, &format!("iverilog -g2005 -I . -o bench -s messages {files} && vvp -n bench"));
    let said: Vec<_> = log.lines().map(|line| line.split(": ").last().unwrap_or(line)).collect();
    assert_eq!(
        said,
        [
            "not live",
            "warp 3 arrives and is not live",
            "twice",
            "warp 0 arrives while it waits or its last arrival is queued",
            "joins too late",
            "hang",
            "a warp that has not joined arrives while all members wait",
            "live again",
            "warp 0 becomes live again before `present` of it is 0",
            "end 1111",
        ],
        "{log}"
    );
}

#[test]
fn the_front_for_barriers_with_a_count_says_what_is_wrong_around_it() {
    let scratch = exported("messages-counted", "tiny");
    scratch.write("messages.v", include_str!("messages_counted.v"));
    let files = format!("messages.v {} bcu_prim.v bcu_named.v", common(&["bcu_counted", "bcu_hang"]));
    let log = run(&scratch, &format!("iverilog -g2005 -I . -o bench -s messages {files} && vvp -n bench"));
    let said: Vec<_> = log.lines().map(|line| line.split(": ").last().unwrap_or(line)).collect();
    assert_eq!(
        said,
        [
            "the request of warp 1 is lost: it comes during reset",
            "the request of warp 2 is lost: ready is 0",
            "warp 3 requests and is not live",
            "a request of warp 1 at barrier 0 is refused, fault 12",
            "all live warps wait, 1101 at barriers",
            "end",
        ]
        .map(|line| line.split(": ").last().unwrap_or(line)),
        "{log}"
    );
}

/// The macros by which a user chooses the memories of all files. A file that defined one would choose for the files read after it.
const OF_THE_USER: [&str; 5] =
    ["BCU_BLOCK_RAM", "BCU_DISTRIBUTED_RAM", "BCU_RAM_STYLE", "BCU_RAM_MODULE", "BCU_UNKNOWN_COLLISIONS"];

#[test]
fn no_file_defines_a_macro_of_the_user() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/common");
    let by_hand = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<(String, String)> = export::files(&named("small").unwrap(), "named", PREFIX).unwrap();
    texts.extend(by_hand.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())));
    let defined = |line: &str| line.trim_start().strip_prefix("`define ")?.split_whitespace().next().map(str::to_string);
    let mut names = 0;
    for (file, text) in &texts {
        for name in text.lines().filter_map(defined) {
            assert!(!OF_THE_USER.contains(&name.as_str()), "{file} defines {name}");
            names += 1;
        }
    }
    assert!(names > 20, "only {names} macros are defined");
}

/// Every tool compares the sizes that a module is given with the sizes of the export. Its message is about the line with
/// the sizes, or says what they must be.
#[test]
fn another_size_than_the_export_has_is_refused_by_every_tool() {
    let scratch = exported("other-sizes", "small");
    let files = format!("{} bcu_prim.v bcu_named.v", common(&["bcu_counted", "bcu_simple", "bcu_hang"]));
    let fronts =
        [("bcu_counted", "WARPS", 8), ("bcu_simple", "WARPS", 8), ("bcu_simple", "LANES", 4), ("bcu_named", "BARRIERS", 8)];
    for ((top, name, value), stated) in fronts.into_iter().flat_map(|front| [0, 1, 2, 4, 8, 16].map(|stated| (front, stated))) {
        // The fronts have vectors of as many bits as warps, so 0 is an error before any comparison.
        if top != "bcu_named" && stated == 0 {
            continue;
        }
        let icarus = format!("iverilog -g2005 -I . -P {top}.{name}={stated} -o bench -s {top} {files}");
        let verilator = format!("verilator --lint-only -Wno-WIDTH -I. -G{name}={stated} --top-module {top} bcu.vlt {files}");
        let yosys = format!("yosys -q -p 'read_verilog -I. {files}; hierarchy -check -top {top} -chparam {name} {stated}'");
        for command in [icarus, verilator, yosys] {
            let (good, log) = attempt(&scratch, &command);
            assert_eq!(good, stated == value, "{command}:\n{log}");
            let text = std::fs::read_to_string(scratch.path.join("bcu_named.v")).unwrap();
            let sizes = |line: &str| line.contains(&format!("{name} == {value}")) && line.contains("{1'b1}");
            let at = 1 + text.lines().position(sizes).unwrap();
            let is_named = log.contains("parameters_must_be_the_sizes_of_the_export")
                || (at - 1..=at).any(|at| log.contains(&format!("bcu_named.v:{at}:")));
            assert_eq!(is_named, stated != value, "{command}:\n{log}");
        }
    }
}

/// Lints each front, and the slave, as the top of a design without time units. Any warning is a failure.
#[test]
fn verilator_has_nothing_to_say_of_the_fronts_and_of_the_slave() {
    let own_pages =
        common(&["bcu_axil", "bcu_registers", "bcu_simple", "bcu_counted"]) + &common(&bar::FILES) + &common(&phase::FILES);
    for name in ["tiny", "default"] {
        let scratch = exported(&format!("front-{name}"), name);
        for (top, options) in [
            ("bcu_counted", ""),
            ("bcu_counted", "-GDETECT=1 -GSTOP=1 -GID_BITS=2"),
            ("bcu_counted", "-GCHECK=0 -GDETECT=1 -GID_BITS=2"),
            ("bcu_counted", "-GLATENCY=1"),
            ("bcu_counted", "-GLATENCY=1 -GDETECT=1 -GSTOP=1 -GID_BITS=2"),
            ("bcu_simple", ""),
            ("bcu_simple", "-GDETECT=1 -GID_BITS=2"),
            ("bcu_registers", ""),
            ("bcu_axil", ""),
        ] {
            let files = format!("bcu.vlt {own_pages} bcu_prim.v bcu_named.v");
            let log =
                run(&scratch, &format!("verilator --lint-only -Wall -Wpedantic -I. {options} --top-module {top} {files}"));
            assert!(!log.contains('%'), "{top}, {name}: {log}");
        }
    }
}

/// The exported modules have no `timescale`. If another module of the design has one, Verilator prints no warning about it.
#[test]
fn a_design_with_units_of_time_and_one_without_are_clean() {
    let scratch = exported("timescales", "tiny");
    let own_pages = common(&["bcu_counted", "bcu_hang"]);
    for (name, head) in [("without", ""), ("with", "`timescale 1ns / 1ps\n")] {
        let ports = "input wire clock, input wire reset, input wire arrives, input wire [1:0] warp, output wire [3:0] unlock";
        let inside = ".clock(clock), .reset(reset), .live(4'hf), .req_valid(arrives), .req_warp(warp), .req_id(4'd0), \
                      .req_size_m1(2'd3), .unlock_mask(unlock)";
        let lint = "// verilator lint_off DECLFILENAME\n// verilator lint_off PINMISSING\n";
        scratch
            .write("around.v", &format!("{lint}{head}module around ({ports});\n  bcu_counted front ({inside});\nendmodule\n"));
        for files in
            [format!("around.v {own_pages} bcu_prim.v bcu_named.v"), format!("{own_pages} bcu_prim.v bcu_named.v around.v")]
        {
            let log = run(&scratch, &format!("verilator --lint-only -Wall -Wpedantic -I. --top-module around bcu.vlt {files}"));
            assert!(!log.contains('%'), "{name}, {files}: {log}");
        }
    }
}

/// The page and the module have the same register map: offset and name of each register.
#[test]
fn the_page_for_integrators_has_the_map_of_the_slave() {
    let read = |file: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
    let (slave, page) = (read("verilog-out/common/bcu_registers.v"), read("docs/guide/integrate.md"));
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

/// The word at the start of `text`.
fn word(text: &str) -> &str {
    text.split(' ').next().unwrap_or(text)
}

/// The texts between backquotes in `cell`.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}
