// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_phase` of `verilog-out/common`: its bench, its messages, lint, its checker, and its fault codes. It needs no export.

use super::common::common;
use super::printer::tools::{attempt, run, Scratch};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{config, export};
use std::path::Path;

/// The files of `bcu_phase`.
pub const FILES: [&str; 8] = [
    "bcu_phase",
    "bcu_phase_update",
    "bcu_phase_check",
    "bcu_phase_tokens",
    "bcu_phase_warps",
    "bcu_phase_rows",
    "bcu_phase_global",
    "bcu_hang",
];

/// Sizes of the bench: every latency and store of rows, with and without each part, also numbers that are no powers of two.
const SIZES: [&str; 11] = [
    "",
    "LATENCY=3",
    "RAM=1 WARPS=12 IDS=5",
    "LATENCY=3 RAM=1 WARPS=32 IDS=16",
    "WARPS=32 IDS=16 EVENT_BITS=6 STOP=1",
    "LATENCY=3 STOP=1 WARPS=12 IDS=5 EVENT_BITS=2",
    "EVENT_BITS=2 WARPS=12",
    "WARPS=2 IDS=2 GLOBAL=0 DETECT=0 EVENT_BITS=1",
    "LATENCY=3 WARPS=3 IDS=3 CORE_BITS=1",
    "CHECK=0",
    "CHECK=0 LATENCY=3 RAM=1",
];

/// Options that set the parameters of a top module.
fn parameters(sizes: &str, prefix: &str) -> String {
    sizes.split_whitespace().map(|size| format!("{prefix}{size} ")).collect()
}

fn bench(sizes: &str, seed: u32, options: &str) -> String {
    let name = sizes.replace([' ', '='], "-");
    let scratch = Scratch::new(&format!("tb_bcu_phase-{name}-{seed}-{}", options.len()));
    let files = format!("{} {}", common(&["tb_bcu_phase", "bcu_phase_assert"]), common(&FILES));
    let parameters = parameters(sizes, "-Ptb_bcu_phase.");
    run(
        &scratch,
        &format!("iverilog -g2005 {options} {parameters} -o bench -s tb_bcu_phase {files} && vvp -n bench +seed={seed}"),
    )
}

#[test]
fn every_unlock_phase_fault_and_hang_is_that_of_the_reference_in_its_cycle() {
    for (sizes, seed) in SIZES.into_iter().zip(1..) {
        let log = bench(sizes, seed, "");
        assert!(log.lines().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{sizes}:\n{log}");
    }
}

/// Each fault in the text of the module fails the bench at one of these sizes.
#[test]
fn the_bench_finds_planted_faults() {
    let faults = [
        ("", "bcu_phase_update", "is_done && row_full && one_event", "is_done && one_event"),
        ("", "bcu_phase_update", "last_arrival && no_events && !refused_warp", "last_arrival && !refused_warp"),
        ("", "bcu_phase_tokens", "phases_q[op_id] != op_phase", "phases_q[op_id] == op_phase"),
        ("", "bcu_phase_warps", "waits_q[w] && wait_ids_q", "wait_ids_q"),
        ("", "bcu_phase_update", "STOP == 0 && is_to_wait && !op_blocked", "STOP == 0 && is_to_wait"),
        ("", "bcu_phase", "awaits_cores || with_events_q != {(IW+1){1'b0}}", "awaits_cores"),
        ("LATENCY=3", "bcu_phase_tokens", "settled_id_q <= read_id_q;", "settled_id_q <= read_id;"),
        ("LATENCY=3", "bcu_phase_rows", "is_new_q      <= !reset && same && !clear;", "is_new_q      <= 1'b0;"),
        ("LATENCY=3", "bcu_phase_rows", "!reset && !same && written_q[read_id]", "!reset && written_q[read_id]"),
        ("", "bcu_phase_rows", "written_q[write_id] <= !clear;", "written_q[write_id] <= 1'b1;"),
        ("IW=4 GLOBAL=0", "bcu_phase_update", "!is_wait && !no_id;", "!is_wait;"),
        ("", "bcu_phase_rows", "written_q[read_id] ? word : {ROW_BITS{1'b0}};\n    end else", "word;\n    end else"),
        ("", "bcu_phase_check", "size_m1 != expected || other_cores", "size_m1 != expected"),
        ("", "bcu_phase_check", "arrives && is_full", "1'b0"),
        ("", "bcu_phase_global", "response_q && is_awaited && !hold", "response_q && is_awaited"),
        ("", "bcu_phase_global", "if (responds) awaited_q[response_id_q] <= 1'b0;", ""),
    ];
    for (at, (sizes, file, find, replace)) in faults.into_iter().enumerate() {
        let scratch = Scratch::new(&format!("fault-bcu_phase-{at}"));
        for name in FILES.iter().chain(&["tb_bcu_phase"]) {
            let text = std::fs::read_to_string(common(&[name]).trim()).unwrap();
            assert!(*name != file || text.matches(find).count() == 1, "{file}: `{find}` is not in the text once");
            let text = if *name == file { text.replace(find, replace) } else { text };
            scratch.write(&format!("{name}.v"), &text);
        }
        let parameters = parameters(sizes, "-Ptb_bcu_phase.");
        let log = run(&scratch, &format!("iverilog -g2005 {parameters} -o bench -s tb_bcu_phase *.v && vvp -n bench"));
        assert!(log.contains("FAIL: "), "`{replace}` for `{find}` in {file}:\n{log}");
    }
}

#[test]
fn verilator_has_nothing_to_say_of_the_module_and_of_its_checker() {
    let scratch = Scratch::new("lint-bcu_phase");
    let lint = |top: &str, options: &str, files: &str| {
        let log = run(&scratch, &format!("verilator --lint-only -Wall -Wpedantic {options} --top-module {top} {files}"));
        assert!(!log.contains('%'), "{top}, {options}: {log}");
    };
    for sizes in SIZES.into_iter().chain(["GLOBAL=1 DETECT=1 STOP=1", "GLOBAL=1 CHECK=0 LATENCY=3"]) {
        lint("bcu_phase", &parameters(sizes, "-G"), &common(&FILES));
    }
    lint("bcu_phase_assert", "", &common(&["bcu_phase_assert"]));
}

/// A latency that is not built is an error that names the parameter, in every tool.
#[test]
fn another_latency_is_refused_by_every_tool() {
    let scratch = Scratch::new("latency-bcu_phase");
    let files = common(&FILES);
    for (latency, expected) in [(1, true), (2, false), (3, true)] {
        let icarus = format!("iverilog -g2005 -P bcu_phase.LATENCY={latency} -o bench -s bcu_phase {files}");
        let verilator = format!("verilator --lint-only -GLATENCY={latency} --top-module bcu_phase {files}");
        let yosys = format!("yosys -q -p 'read_verilog {files}; hierarchy -check -top bcu_phase -chparam LATENCY {latency}'");
        for command in [icarus, verilator, yosys] {
            let (good, log) = attempt(&scratch, &command);
            assert_eq!(good, expected, "{command}:\n{log}");
            assert!(expected || log.contains("bcu_phase_LATENCY_must_be_1_or_3"), "{command}:\n{log}");
        }
    }
}

#[test]
fn the_module_says_what_is_wrong_around_it() {
    let scratch = Scratch::new("messages-bcu_phase");
    scratch.write("messages.v", include_str!("messages_phase.v"));
    let log = run(&scratch, &format!("iverilog -g2005 -o bench -s messages messages.v {} && vvp -n bench", common(&FILES)));
    let said: Vec<_> = log.lines().map(|line| line.splitn(4, ": ").last().unwrap_or(line)).collect();
    assert_eq!(
        said,
        [
            "the request of warp 1 is lost: it comes during reset",
            "warp 3 requests and is not live",
            "a response for barrier 2, of which no request was transferred",
            "a request of warp 1 at barrier 0 is refused, fault 14",
            "all live warps wait, 0101 at barriers",
            "end",
        ],
        "{log}"
    );
}

/// The codes are those of the fault table.
#[test]
fn the_fault_codes_are_those_of_every_export() {
    let text = std::fs::read_to_string(common(&["bcu_phase_check"]).trim()).unwrap();
    let files = export::files(&config::by_name("tiny").unwrap(), "named", PREFIX).unwrap();
    let (_, defs) = files.iter().find(|(name, _)| name == "bcu_defs.vh").unwrap();
    let (_, list) = text.split_once("localparam [5:0] ").unwrap();
    let codes: Vec<_> = list.split(';').next().unwrap().split(',').map(|code| code.trim().split_once(" = ").unwrap()).collect();
    assert_eq!(codes.len(), 10);
    for (name, value) in codes {
        let define = defs.lines().find(|line| line.starts_with(&format!("`define BCU_FAULT_{name} "))).expect(name);
        assert_eq!(define.split_whitespace().last(), Some(value), "{name}");
    }
}

/// The cases of the checker: a rule, and the cycles that break it, each a list of assignments to ports that are otherwise 0.
const CASES: [(&str, &[&str]); 19] = [
    ("user_in_reset", &["reset = 1; req_valid = 1;"]),
    ("user_req_known", &["req_valid = 1; req_id = 3'bx;"]),
    ("user_stalled", &["req_valid = 1; req_warp = 2; req_arrive = 1; req_sync = 1;", "req_valid = 1; req_warp = 2;"]),
    ("user_not_live", &["live = 8'hfb; req_valid = 1; req_warp = 2;"]),
    ("user_lead", &["read_id = 1;", "req_valid = 1; req_id = 2;"]),
    ("user_ended", &["live = 8'hff; req_valid = 1; req_warp = 2;", "live = 8'hff;", "live = 8'hfb;"]),
    ("user_rsp_held", &["gbar_rsp_valid = 1;", ""]),
    ("user_rsp_stable", &["gbar_rsp_valid = 1;", "gbar_rsp_valid = 1; gbar_rsp_id = 1;"]),
    ("user_rsp_unrequested", &["gbar_rsp_valid = 1; gbar_rsp_ready = 1;"]),
    ("unit_mask_idle", &["unlock_mask = 1;"]),
    ("unit_unlock_of_stalled", &["unlock_valid = 1; unlock_mask = 1;"]),
    ("unit_unlock_when", &["unlock_valid = 1;"]),
    ("unit_unlock_barrier", &["req_valid = 1; req_id = 1; live = 8'hff;", "unlock_valid = 1; unlock_id = 2;"]),
    ("unit_fault_when", &["req_valid = 1; req_id = 1; live = 8'hff;", "fault_valid = 1; fault_code = 2;"]),
    ("unit_fault_code_idle", &["fault_code = 2;"]),
    ("unit_phase_toggles", &["", "", "read_phase = 1;"]),
    ("unit_req_held", &["gbar_req_valid = 1; gbar_req_id = 1;", "gbar_req_valid = 1;"]),
    ("unit_req_again", &["", "gbar_req_valid = 1; gbar_req_ready = 1;", "gbar_req_valid = 1;"]),
    ("unit_outputs_known", &["hang = 1'bx;"]),
];

#[test]
fn each_rule_of_the_checker_has_a_case_that_breaks_it_and_a_message() {
    let text = std::fs::read_to_string(common(&["bcu_phase_assert"]).trim()).unwrap();
    let (_, connected) = text.split_once("`define BCU_CHECK_PHASE(").unwrap();
    let connected = connected.split_once(");\n").unwrap().0.split('.');
    let ports: Vec<&str> =
        connected.filter_map(|pin| Some(pin.split_once("(unit")?.0)).filter(|name| *name != "clock").collect();
    assert_eq!(ports.len(), 29, "{ports:?}");
    let width = |name: &str| match name {
        "live" | "unlock_mask" => 8,
        "fault_code" => 6,
        _ if ["_id", "_warp", "_size_m1"].iter().any(|end| name.ends_with(end)) => 3,
        _ => 1,
    };
    let mut bench = "module cases;\n  reg clock;\n  wire [18:0] broken;\n  reg fired;\n  integer rule;\n".to_string();
    ports.iter().for_each(|name| bench += &format!("  reg [{}:0] {name};\n", width(name) - 1));
    let zero: String = ports.iter().map(|name| format!("{name} = 0; ")).collect();
    let connections: String = ports.iter().map(|name| format!(", .{name}({name})")).collect();
    bench += &format!("  bcu_phase_assert #(.RAM(1)) checker_ (.clock(clock){connections}, .broken(broken));\n");
    bench += "  task step; begin #4 if (broken[rule]) fired = 1; #1 clock = 1; #5 clock = 0; end endtask\n";
    bench += &format!("  task zero; begin {zero}end endtask\n  initial begin\n    clock = 0;\n");
    for (at, (rule, cycles)) in CASES.iter().enumerate() {
        assert!(at == 0 || text.contains(&format!("`BCU_RULE({rule}, {at},")), "{rule} is not rule {at}");
        bench += &format!("    rule = {at}; fired = 0; zero; reset = 1; step; reset = 0; step;\n");
        cycles.iter().for_each(|cycle| bench += &format!("    zero; {cycle} step;\n"));
        bench += &format!("    if (!fired) $display(\"quiet: {rule}\");\n");
    }
    bench += "    $display(\"end\");\n  end\nendmodule\n";
    let scratch = Scratch::new("assert-bcu_phase");
    scratch.write("cases.v", &bench);
    let files = common(&["bcu_phase_assert"]);
    let log = run(&scratch, &format!("iverilog -g2005 -o cases -s cases cases.v {files} && vvp -n cases"));
    assert!(log.trim_end().ends_with("end") && !log.contains("quiet: "), "{log}");
    let messages = text.lines().filter_map(|line| line.split_once("(\"%m: %0d: ")).map(|(_, rest)| rest);
    let begins: Vec<&str> = messages.map(|rest| rest.split(['%', '"']).next().unwrap()).collect();
    assert_eq!(begins.len(), 19);
    assert!(begins.iter().all(|begin| log.contains(begin)), "{log}");
}

/// The requests of the bench with CHECK = 0 keep every rule; with CHECK = 1 some are of stalled warps.
#[test]
fn the_checker_is_silent_for_a_user_who_keeps_the_contract() {
    for (sizes, legal) in [("CHECK=0", true), ("CHECK=0 LATENCY=3 RAM=1", true), ("CHECK=0 RAM=1 STOP=1", true), ("", false)] {
        let log = bench(sizes, 1, "-DBCU_CHECK");
        assert!(log.contains("PASS"), "{sizes}:\n{log}");
        assert_eq!(log.contains("while it is stalled"), !legal, "{sizes}:\n{log}");
        let other: Vec<_> = log.lines().filter(|l| l.contains(".promises: ") && !l.contains("while it is stalled")).collect();
        assert!(other.is_empty(), "{sizes}: {other:?}");
    }
}

/// The page names every file.
#[test]
fn the_page_for_integrators_has_the_files_of_the_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/guide/integrate.md")).unwrap();
    let core = std::fs::read_to_string(root.join("verilog-out/common/bcu_common.core")).unwrap();
    for file in FILES.iter().chain(&["tb_bcu_phase", "bcu_phase_assert"]) {
        assert!(page.contains(&format!("`{file}.v`")), "integrate.md does not name {file}.v");
        assert!(core.contains(&format!("- {file}.v\n")), "bcu_common.core does not name {file}.v");
    }
}
