// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_cta` of `verilog-out/common`: its bench, its messages, lint, and its fault codes. It needs no export.

use super::common::common;
use super::printer::tools::{run, Scratch};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{config, export};
use std::path::Path;

const SIZES: [&str; 5] = ["", "WARPS=2 CTA_BITS=1", "WARPS=12 CTA_BITS=2", "WARPS=32 CTA_BITS=5", "WARPS=64 CTA_BITS=6"];

/// Options that set the parameters of a top module.
fn parameters(sizes: &str, prefix: &str) -> String {
    sizes.split_whitespace().map(|size| format!("{prefix}{size} ")).collect()
}

#[test]
fn every_unlock_and_fault_is_that_of_the_reference_in_its_cycle() {
    for (sizes, seed) in SIZES.into_iter().zip(1..) {
        let scratch = Scratch::new(&format!("tb_bcu_cta-{seed}"));
        let (files, parameters) = (common(&["tb_bcu_cta", "bcu_cta"]), parameters(sizes, "-Ptb_bcu_cta."));
        let log =
            run(&scratch, &format!("iverilog -g2005 {parameters} -o bench -s tb_bcu_cta {files} && vvp -n bench +seed={seed}"));
        assert!(log.lines().any(|line| line.starts_with("PASS")) && !log.contains("FAIL"), "{sizes}:\n{log}");
    }
}

#[test]
fn the_bench_finds_planted_faults() {
    let text = std::fs::read_to_string(common(&["bcu_cta"]).trim()).unwrap();
    for (at, (find, replace)) in [
        ("warp_cta[m*CTA_BITS +: CTA_BITS] == cta", "1'b1"),
        ("live & ~ended_q & ~waits_q;", "live & ~waits_q;"),
        ("(ended_q | ends) & live", "ended_q | ends"),
        ("(waits_q | arrives) & live", "(waits_q | arrives)"),
        ("mates & running & ~of_request", "mates & running & ~arrives"),
        ("accepted && !req_exit ? of_request", "req_valid && !req_exit ? of_request"),
        ("? WARP_BLOCKED : NOT_RESIDENT", "? NOT_RESIDENT : NOT_RESIDENT"),
        ("reset ? NONE : (waits_q", "(waits_q"),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(text.matches(find).count() == 1, "`{find}` is not in the text once");
        let scratch = Scratch::new(&format!("fault-bcu_cta-{at}"));
        scratch.write("bcu_cta.v", &text.replace(find, replace));
        let bench = common(&["tb_bcu_cta"]);
        let log = run(&scratch, &format!("iverilog -g2005 -o bench -s tb_bcu_cta {bench} bcu_cta.v && vvp -n bench"));
        assert!(log.contains("FAIL: "), "`{replace}` for `{find}`:\n{log}");
    }
}

#[test]
fn verilator_has_nothing_to_say_of_the_module_and_of_its_bench() {
    let scratch = Scratch::new("lint-bcu_cta");
    for sizes in SIZES {
        for (top, files) in [("bcu_cta", common(&["bcu_cta"])), ("tb_bcu_cta", common(&["tb_bcu_cta", "bcu_cta"]))] {
            let options = format!("--lint-only --timing -Wall -Wpedantic {} --top-module {top}", parameters(sizes, "-G"));
            let log = run(&scratch, &format!("verilator {options} {files}"));
            assert!(!log.contains('%'), "{top}, {sizes}: {log}");
        }
    }
}

/// The messages of the bench's misuse, and of a request during reset.
#[test]
fn the_module_says_what_is_wrong_around_it() {
    let scratch = Scratch::new("messages-bcu_cta");
    let user = "module messages;\n  reg clock = 0, reset = 1, valid = 1;\n  \
                bcu_cta cta (.clock(clock), .reset(reset), .live(8'hff), .warp_cta(24'd0), .req_valid(valid), .req_exit(1'b0), .req_warp(3'd5));\n  \
                always #5 clock = !clock;\n  \
                initial begin #10 reset = 0; #20 valid = 0; #20 $finish; end\nendmodule\n";
    scratch.write("messages.v", user);
    let log =
        run(&scratch, &format!("iverilog -g2005 -o bench -s messages messages.v {} && vvp -n bench", common(&["bcu_cta"])));
    let said: Vec<_> = log.lines().filter_map(|line| line.splitn(4, ": ").nth(3)).collect();
    let refused = "a request of warp 5 is refused, fault 2";
    assert_eq!(said, ["the request of warp 5 is lost: it comes during reset", refused], "{log}");
}

/// The codes are those of the fault table.
#[test]
fn the_fault_codes_are_those_of_every_export() {
    let text = std::fs::read_to_string(common(&["bcu_cta"]).trim()).unwrap();
    let files = export::files(&config::by_name("tiny").unwrap(), "named", PREFIX).unwrap();
    let (_, defs) = files.iter().find(|(name, _)| name == "bcu_defs.vh").unwrap();
    for (name, value) in [("NOT_RESIDENT", "6'd1"), ("WARP_BLOCKED", "6'd2")] {
        let define = defs.lines().find(|line| line.starts_with(&format!("`define BCU_FAULT_{name} "))).expect(name);
        assert_eq!(define.split_whitespace().last(), Some(value), "{name}");
        assert!(text.contains(&format!("{name} = {value}")), "{name}");
    }
}

/// The page and the core name every file.
#[test]
fn the_page_for_integrators_has_the_files_of_the_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/guide/integrate.md")).unwrap();
    let core = std::fs::read_to_string(root.join("verilog-out/common/bcu_common.core")).unwrap();
    for file in ["bcu_cta", "tb_bcu_cta"] {
        assert!(page.contains(&format!("`{file}.v`")), "integrate.md does not name {file}.v");
        assert!(core.contains(&format!("- {file}.v\n")), "bcu_common.core does not name {file}.v");
    }
}

/// The configuration with one barrier is a valid one, and has as many CTA slots as warps.
#[test]
fn the_configuration_with_one_barrier_is_as_the_page_says() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/integration/one_barrier.toml"))
        .unwrap();
    let config = bcu_isa::config::read("one_barrier", &text).unwrap();
    assert_eq!((config.warps, config.cta_slots, config.barriers), (8, 8, 1));
    assert!(config.has_named() && !config.faults && !config.reductions && !config.state_words);
}
