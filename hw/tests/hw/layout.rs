// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The layout of Verilog text: the length of lines, one connection per line, and the form of clocked processes.

use crate::every_file::every_file;
use bcu_hw::export::set::is_design;
use bcu_hw::verilog::WIDTH;
use std::path::{Path, PathBuf};

/// The lines that are too long, with their numbers. A string is not broken, so its line may be as long as one written by hand.
fn long_lines(text: &str, limit: usize) -> Vec<(usize, &str)> {
    let limit = |line: &str| if line.contains('"') { BY_HAND_WIDTH } else { limit };
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| line.chars().count() > limit(line)).collect()
}

#[test]
fn no_line_is_longer_than_the_limit() {
    every_file(|config, _, name, text| {
        let long = long_lines(text, WIDTH);
        assert!(long.is_empty(), "{}/{name}: {long:#?}", config.name);
    });
    let planted = format!("module m (\n  input wire x  // {}\n);\n", "y".repeat(WIDTH));
    assert_eq!(long_lines(&planted, WIDTH).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [2]);
}

/// The longest line of Verilog that is written by hand.
const BY_HAND_WIDTH: usize = 120;

/// The Verilog that is written by hand: a file, or the files of a folder with the end after `*`.
const BY_HAND: [&str; 9] = [
    "verilog-out/common/*.v",
    "examples/integration/amaranth/*.v",
    "examples/integration/simt/*.v",
    "examples/integration/simt/*.vh",
    "examples/integration/soft/*.v",
    "xtask/designs/*.v",
    "hw/src/export/*.v",
    "tb/proofs/bcu_bar.sv",
    "tb/proofs/bcu_phase.sv",
];

/// The files of a pattern of `BY_HAND`.
fn files_of(pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(pattern);
    let name = path.file_name().unwrap().to_str().unwrap();
    let Some(end) = name.strip_prefix('*') else { return vec![path.clone()] };
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|file| file.file_name().unwrap().to_str().unwrap().ends_with(end)).collect()
}

#[test]
fn no_line_written_by_hand_is_longer_than_the_limit() {
    let mut found = vec![];
    for pattern in BY_HAND {
        let files = files_of(pattern);
        assert!(!files.is_empty(), "no file is {pattern}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let length = |line: &str| line.chars().count();
            found.extend(
                long_lines(&text, BY_HAND_WIDTH)
                    .iter()
                    .map(|(at, line)| format!("{}:{at}: {} columns", file.display(), length(line))),
            );
        }
    }
    assert!(found.is_empty(), "longer than {BY_HAND_WIDTH} columns:\n{}", found.join("\n"));
}

/// What is wrong in the clocked processes and the connections of a text, with the numbers of the lines.
fn misplaced(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut process: Option<usize> = None;
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        let code = line.trim_start();
        if code.starts_with('.') && code.contains("), .") {
            found.push(format!("{at}: several connections in a line"));
        }
        if code.starts_with("always") {
            process = Some(at);
        } else if line == "  end" {
            process = None;
        }
        let Some(start) = process else { continue };
        if code.starts_with("if (reset) begin") && at != start + 1 {
            found.push(format!("{at}: a reset after other statements"));
        }
        if code.contains("_q <= ") && !code.ends_with(';') {
            found.push(format!("{at}: a next value of several lines: {code}"));
        }
        if code == "end else begin" && text.lines().nth(at).is_some_and(|next| next.trim_start().starts_with("if ")) {
            let indent = line.len() - code.len();
            let end = text.lines().skip(at + 1).position(|line| line.len() - line.trim_start().len() <= indent);
            let body = text.lines().skip(at).take(end.unwrap_or(0) + 1);
            let of_body =
                |line: &&str| line.len() - line.trim_start().len() == indent + 2 && !line.trim_start().starts_with("end");
            if body.filter(of_body).count() == 1 {
                found.push(format!("{at}: an `else` whose only statement is an `if`"));
            }
        }
    }
    found
}

#[test]
fn processes_begin_with_their_reset_and_every_connection_has_a_line() {
    every_file(|config, _, name, text| {
        if name.split('.').next().is_some_and(is_design) {
            let found = misplaced(text);
            assert!(found.is_empty(), "{}/{name}: {found:#?}", config.name);
        }
    });
    for wrong in [
        "  one one (\n    .a(a), .b(b)\n  );",
        "  always @(posedge clock) begin\n    a_q <= a;\n    if (reset) begin\n      a_q <= 1'b0;\n    end\n  end",
        "  always @(posedge clock) begin\n    a_q <= a &&\n        b;\n  end",
        "  always @(posedge clock) begin\n    if (a) begin\n      a_q <= b;\n    end else begin\n      if (b) a_q <= c;\n    end\n  end",
    ] {
        assert_eq!(misplaced(wrong).len(), 1, "{wrong}");
    }
}
