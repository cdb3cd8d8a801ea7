// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_bar` of `verilog-out/common`: its bench, lint and its checker. It needs no export.

use super::common::common;
use super::printer::tools::{run, Scratch};
use std::path::Path;

/// The files of `bcu_bar`.
pub const FILES: [&str; 2] = ["bcu_bar", "bcu_bar_words"];

const SIZES: [&str; 5] = ["", "WARPS=2 ID_BITS=1", "WARPS=12 ID_BITS=2", "WARPS=32", "WARPS=64 ID_BITS=3"];

/// A word that is read while it is written is unknown.
const COLLISIONS: &str = "-DBCU_UNKNOWN_COLLISIONS";

/// Options that set the parameters of a top module.
fn parameters(sizes: &str, prefix: &str) -> String {
    sizes.split_whitespace().map(|size| format!("{prefix}{size} ")).collect()
}

/// What the bench prints at a size.
fn bench(sizes: &str, seed: u32, options: &str) -> String {
    let scratch = Scratch::new(&format!("tb_bcu_bar-{}-{seed}-{}", sizes.replace([' ', '='], "-"), options.len()));
    let files = format!("{} {}", common(&["tb_bcu_bar", "bcu_bar_assert"]), common(&FILES));
    let (folder, parameters) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/common"), parameters(sizes, "-Ptb_bcu_bar."));
    let include = folder.display();
    run(
        &scratch,
        &format!(
            "iverilog -g2005 -I {include} {options} {parameters} -o bench -s tb_bcu_bar {files} && vvp -n bench +seed={seed}"
        ),
    )
}

#[test]
fn every_release_is_that_of_the_reference_in_its_cycle() {
    for (sizes, seed) in SIZES.into_iter().zip(1..) {
        let log = bench(sizes, seed, COLLISIONS);
        assert!(log.lines().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{sizes}:\n{log}");
    }
}

#[test]
fn the_bench_finds_planted_faults() {
    let text = std::fs::read_to_string(common(&["bcu_bar"]).trim()).unwrap();
    for (at, (find, replace)) in [
        ("is_exit || arrives_all ? live_m1_q", "arrives_all ? live_m1_q"),
        ("is_exit ? all_id_q : op_id", "op_id"),
        ("if (transfer && arrives_all) all_id_q", "if (transfer && op_all) all_id_q"),
        ("is_launch ? op_size_m1 : live_m1_q - 1'b1", "op_size_m1"),
        ("{next_open && !clears, next_arrivals}", "{next_open, next_arrivals}"),
        ("lookup_valid_q && read_id == lookup_id_q", "1'b0"),
        ("lookup_valid_q && read_id == lookup_id_q", "lookup_valid_q"),
        ("is_last && (all_open_q || !lookup_exit_q)", "is_last"),
        ("!completes && (all_open_q || !lookup_exit_q)", "1'b0"),
        ("!completes && (all_open_q || !lookup_exit_q)", "!completes"),
        ("row_open && !lookup_same_q", "!lookup_same_q"),
        ("row_open && lookup_same_q ? waiting_here", "lookup_same_q ? waiting_here"),
        ("{{(LW-1){1'b0}}, !lookup_exit_q}", "{{(LW-1){1'b0}}, 1'b1}"),
        ("transfer && op_kind == SYNC;", "transfer && !op_kind[1];"),
        ("      lookup_valid_q     <= 1'b0;\n", ""),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(text.matches(find).count() == 1, "`{find}` is not in the text once");
        let scratch = Scratch::new(&format!("fault-bcu_bar-{at}"));
        scratch.write("bcu_bar.v", &text.replace(find, replace));
        let files = common(&["tb_bcu_bar", "bcu_bar_words"]);
        let log =
            run(&scratch, &format!("iverilog -g2005 {COLLISIONS} -o bench -s tb_bcu_bar {files} bcu_bar.v && vvp -n bench"));
        assert!(log.contains("FAIL: "), "`{replace}` for `{find}`:\n{log}");
    }
}

#[test]
fn every_tool_has_nothing_to_say_of_the_module_its_bench_and_its_checker() {
    let scratch = Scratch::new("lint-bcu_bar");
    let files = common(&FILES);
    for sizes in SIZES {
        for (top, files) in [("bcu_bar", files.clone()), ("tb_bcu_bar", format!("{} {files}", common(&["tb_bcu_bar"])))] {
            let options = format!("--lint-only --timing -Wall -Wpedantic {} --top-module {top}", parameters(sizes, "-G"));
            let log = run(&scratch, &format!("verilator {options} {files}"));
            assert!(!log.contains('%'), "{top}, {sizes}: {log}");
        }
        let log =
            run(&scratch, &format!("iverilog -g2005 -Wall {} -o bar -s bcu_bar {files}", parameters(sizes, "-Pbcu_bar.")));
        assert_eq!(log, "", "{sizes}");
        let set: String = parameters(sizes, "-chparam ").replace('=', " ");
        let check = format!("hierarchy -check -top bcu_bar {set}; proc; check -assert; synth_ice40; check -assert");
        run(&scratch, &format!("yosys -q -p 'read_verilog -DBCU_BLOCK_RAM {files}; {check}'"));
    }
    let log = run(
        &scratch,
        &format!("verilator --lint-only -Wall -Wpedantic --top-module bcu_bar_assert {}", common(&["bcu_bar_assert"])),
    );
    assert!(!log.contains('%'), "{log}");
}

/// The cases of the checker: a rule, and the cycles that break it, each a list of assignments to ports that are otherwise 0, with
/// `op_ready` 1. The first Launch has come.
const CASES: [(&str, &[&str]); 14] = [
    ("user_op_known", &["op_valid = 1; op_id = 4'bx;"]),
    ("user_op_held", &["op_valid = 1; op_kind = 3; op_size_m1 = 3;", "op_valid = 1; op_ready = 0;", "op_ready = 0;"]),
    ("user_launch_first", &["reset = 1;", "op_valid = 1; op_kind = 2;"]),
    ("user_range", &["op_valid = 1; op_kind = 1; op_size_m1 = 12;"]),
    ("user_not_live", &["op_valid = 1; op_kind = 2; op_warp = 4;", "op_valid = 1; op_kind = 1; op_size_m1 = 1; op_warp = 4;"]),
    ("user_waits", &["op_valid = 1; op_size_m1 = 2; op_warp = 4;", "op_valid = 1; op_kind = 1; op_size_m1 = 2; op_warp = 4;"]),
    ("user_twice", &["op_valid = 1; op_kind = 1; op_size_m1 = 2;", "op_valid = 1; op_kind = 1; op_size_m1 = 2;"]),
    ("user_count", &["op_valid = 1; op_kind = 1; op_size_m1 = 2;", "op_valid = 1; op_kind = 1; op_warp = 1; op_size_m1 = 3;"]),
    ("unit_release_idle", &["release_warps = 1;"]),
    ("unit_release_of_waiting", &["release_valid = 1; release_warps = 1;"]),
    ("unit_release_when", &["release_valid = 1;"]),
    ("unit_waiting", &["waiting = 1;"]),
    ("unit_ready", &["op_ready = 0;"]),
    ("unit_outputs_known", &["waiting = 12'bx;"]),
];

/// Each rule reports its case, and only with its own message.
#[test]
fn every_rule_of_the_checker_has_a_case_that_breaks_it() {
    let text = std::fs::read_to_string(common(&["bcu_bar_assert"]).trim()).unwrap();
    let rule_names: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("`BCU_RULE(")?.split(',').next()).collect();
    assert_eq!(rule_names, CASES.map(|(rule, _)| rule));
    let inputs = [
        ("reset", 1),
        ("op_valid", 1),
        ("op_ready", 1),
        ("op_kind", 2),
        ("op_all", 1),
        ("op_warp", 4),
        ("op_id", 4),
        ("op_size_m1", 4),
        ("release_valid", 1),
        ("release_id", 4),
        ("release_warps", 12),
        ("waiting", 12),
    ];
    let mut bench = "module cases;\n  reg clock;\n  wire [13:0] broken;\n  reg fired;\n".to_string();
    let mut connections = String::new();
    for (name, bits) in inputs {
        bench += &format!("  reg [{}:0] {name};\n", bits - 1);
        connections += &format!(", .{name}({name})");
    }
    bench += &format!(
        "  bcu_bar_assert #(.WARPS(12)) checker_ (.clock(clock){connections}, .broken(broken));\n  task zero; begin\n"
    );
    inputs.iter().for_each(|(name, _)| bench += &format!("    {name} = {};\n", i32::from(*name == "op_ready")));
    bench += "  end endtask\n  task step(input integer rule); begin clock = 0; #1; fired = fired | broken[rule]; #1 clock = 1; #1; end endtask\n  \
              task idle; begin zero; op_ready = 0; repeat (16) step(0); zero; step(0); end endtask\n  initial begin\n";
    for (at, (rule, cycles)) in CASES.iter().enumerate() {
        bench += &format!("    zero; reset = 1; step({at}); step({at}); idle; op_valid = 1; op_kind = 3; op_size_m1 = 11; step({at}); idle;\n");
        bench += "    fired = 0;\n";
        for cycle in *cycles {
            bench += &format!("    zero; {cycle} step({at});\n");
        }
        bench += &format!("    if (!fired) $display(\"quiet: {rule}\");\n");
    }
    bench += "    $display(\"end\");\n  end\nendmodule\n";
    let scratch = Scratch::new("assert-bcu_bar");
    scratch.write("cases.v", &bench);
    let files = common(&["bcu_bar_assert"]);
    let log = run(&scratch, &format!("iverilog -g2005 -o cases -s cases cases.v {files} && vvp -n cases"));
    assert!(log.trim_end().ends_with("end") && !log.contains("quiet: "), "{log}");
}

/// The operations of the bench keep every rule.
#[test]
fn the_checker_is_silent_for_a_user_who_keeps_the_contract() {
    for sizes in SIZES {
        let log = bench(sizes, 1, "-DBCU_CHECK");
        assert!(log.contains("PASS") && !log.contains(".promises: "), "{sizes}:\n{log}");
    }
}

/// The page and the core name every file.
#[test]
fn the_page_for_integrators_has_the_files_of_the_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/guide/integrate.md")).unwrap();
    let core = std::fs::read_to_string(root.join("verilog-out/common/bcu_common.core")).unwrap();
    for file in FILES.iter().chain(&["tb_bcu_bar", "bcu_bar_assert"]) {
        assert!(page.contains(&format!("`{file}.v`")), "integrate.md does not name {file}.v");
        assert!(core.contains(&format!("- {file}.v\n")), "bcu_common.core does not name {file}.v");
    }
}
