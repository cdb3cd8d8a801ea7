// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/guide/reset.md`: the tests that it names exist, and its synchroniser holds an asynchronous export in reset to an edge of the clock.

use super::printer::tools::{run, Scratch};
use bcu_hw::export::{files_with, Style};
use bcu_hw::verilog::{Reset, PREFIX};
use bcu_isa::config::named;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/guide/reset.md")).unwrap()
}

#[test]
fn the_tests_that_the_page_names_exist() {
    let page = page();
    let notes = &page[page.find("\n1: `").expect("the notes")..];
    let named: Vec<&str> = notes.split('`').skip(1).step_by(2).collect();
    let (files, tests): (Vec<&str>, Vec<&str>) = named.into_iter().partition(|name| name.ends_with(".rs"));
    let text: String = files.iter().map(|file| std::fs::read_to_string(root().join(file)).expect(file)).collect();
    assert!(tests.len() > 5 && files.len() > 5, "{tests:?} {files:?}");
    for test in tests {
        assert!(text.contains(&format!("fn {test}()")), "{test} is in none of {files:?}");
    }
}

/// The reset begins and ends at times that are no edges, once while the unit clears its rows after another one; the unit leaves it after two edges, and is ready as long after that as the export says.
#[test]
fn the_synchroniser_ends_the_reset_at_an_edge_of_the_clock() {
    let (_, rest) = page().split_once("```verilog\n").map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
    let synchroniser = rest.split("```").next().unwrap().to_string();
    let bench = "`include \"bcu_defs.vh\"\n`timescale 1ns / 1ps\nmodule bench;\n\
        reg clock = 0, reset_in = 1;\n  wire reset_n, ready;\n  integer edges = 0, cycles = -1;\n\
        reset_synchroniser synchroniser (.clock(clock), .reset_n_in(!reset_in), .reset_n(reset_n));\n\
        bcu_named named (.clock(clock), .reset_n(reset_n), .op_valid(1'b0), .fault_ready(1'b1), .op_ready(ready));\n\
        always #5 clock = !clock;\n\
        always @(posedge clock) begin\n\
          edges <= reset_in ? 0 : edges + 1;\n\
          cycles <= !reset_n ? 0 : ready ? cycles : cycles + 1;\n\
        end\n\
        always @(posedge reset_n) $display(\"ends %0d at %0d\", clock, $time % 10);\n\
        initial begin\n\
          #42 reset_in = 0; #38 if (!reset_n || ready) $display(\"too late\");\n\
          #3 reset_in = 1; #17 reset_in = 0;\n\
          #3000 $display(\"ready %b after %0d\", ready, cycles - `BCU_CYCLES_NAMED_READY + 1);\n\
          #3 reset_in = 1; #1 if (reset_n || ready) $display(\"not in reset\");\n\
          #17 reset_in = 0; #3000 $display(\"ready %b after %0d\", ready, cycles - `BCU_CYCLES_NAMED_READY + 1);\n\
          $finish;\n\
        end\nendmodule\n";
    let reset = Reset { is_async_low: true, of_all: false };
    let files = files_with(&named("tiny").unwrap(), "named", PREFIX, Style { reset, ..Style::default() }).unwrap();
    let built = |name: &str, synchroniser: &str| {
        let scratch = Scratch::new(name);
        files.iter().for_each(|(file, text)| scratch.write(file, text));
        scratch.write("bench.v", &format!("{synchroniser}\n{bench}"));
        run(&scratch, "iverilog -g2005 -I. -o bench -s bench bench.v bcu_prim.v bcu_named.v && vvp -n bench")
    };
    let log = built("reset-page", &synchroniser);
    println!("{log}");
    assert_eq!(log.matches("ready 1 after 0").count(), 2, "{log}");
    assert_eq!(log.matches("ends 1 at 5").count(), 3, "{log}");
    assert!(!log.contains("too late") && !log.contains("not in reset"), "{log}");
    let wrong = synchroniser.replace("assign reset_n = stages_q[1];", "assign reset_n = reset_n_in;");
    assert!(wrong != synchroniser && !built("reset-page-wrong", &wrong).contains("ends 1 at 5"));
}
