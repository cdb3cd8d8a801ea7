// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The help texts, word by word in `tests/cli/help/`; `SNAPSHOTS=overwrite cargo test -p bcu-cli help` rewrites them.

use crate::common::Bench;
use bcu_cli::cmd::Cli;
use clap::CommandFactory;
use snapbox::{assert_data_eq, Data};

const COMMANDS: [&str; 14] = [
    "run",
    "check",
    "kernels",
    "export",
    "asm",
    "disasm",
    "configs",
    "regress",
    "merge",
    "coverage",
    "replay",
    "testbench",
    "completions",
    "man",
];

#[test]
fn every_command_has_its_help() {
    let bench = Bench::new();
    for command in COMMANDS.iter().chain(&[""]) {
        let done = bench.run(&format!("{command} --help"));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{command}");
        let name = if command.is_empty() { "bcu" } else { command };
        let file = format!("{}/tests/cli/help/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        assert_data_eq!(done.stdout, Data::read_from(file.as_ref(), None).raw());
    }
}

#[test]
fn help_says_what_a_newcomer_needs() {
    let bench = Bench::new();
    let overview = bench.run("--help").stdout;
    let listed = block(&overview, "Commands:\n").lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let listed: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(listed.iter().all(|name| COMMANDS.contains(name)), "{listed:?}");
    for command in COMMANDS {
        assert!(overview.contains(&format!("  {command} ")), "{command}");
        let help = bench.run(&format!("{command} --help")).stdout;
        assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{command}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
}

/// A longer line is broken at a width of 100, and the rest of it is a line of its own in the paragraph.
#[test]
fn no_line_below_the_options_is_broken() {
    for command in Cli::command().get_subcommands() {
        for text in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten() {
            let text = text.to_string();
            let wide = text.lines().find(|line| line.chars().count() > 100);
            assert_eq!(wide, None, "{}", command.get_name());
        }
    }
}

/// The short help of a command with many options fits on a screen.
#[test]
fn a_short_help_is_one_screen() {
    let bench = Bench::new();
    for command in ["run", "check"] {
        let help = bench.run(&format!("{command} -h")).stdout;
        let lines = help.lines().count();
        assert!(
            (24..=40).contains(&lines) && help.contains("bcu ") && help.contains("--help"),
            "{command}: {lines} lines\n{help}"
        );
        assert!(help.lines().all(|line| line.chars().count() <= 90), "{help}");
        for heading in ["Program:", "Launch:", "Machine:", "Output:"] {
            assert!(help.contains(&format!("\n{heading}\n")), "{command} {heading}");
            assert!(bench.run(&format!("{command} --help")).stdout.contains(&format!("\n{heading}\n")), "{command} {heading}");
        }
    }
}

/// The lines between a heading and the next empty line.
pub fn block<'a>(help: &'a str, heading: &str) -> &'a str {
    let (_, text) = help.split_once(heading).unwrap();
    text.split_once("\n\n").unwrap().0
}

#[test]
fn the_program_and_the_machine_in_the_help_are_read_as_they_stand() {
    let bench = Bench::new();
    let help = bench.run("run --help").stdout;
    let program = block(&help, "BCU assembly, one instruction per line:\n");
    bench.file("help.bcu", program).file("help.toml", block(&help, "every key may be left out):\n"));
    let done = bench.run("run help.bcu --format json");
    // Two of the four warps arrive at barriers that expect all four.
    assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
    assert!(done.stdout.contains("\"hung\""), "{}", done.stdout);
    let roles = program.replace(".warps 0-1", ".warps 0") + "\n.warps 1-3 consumer\nEXIT\n";
    bench.file("roles.bcu", roles);
    let done = bench.run("run roles.bcu --machine help.toml");
    assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
}

#[test]
fn a_wrong_command_line_is_refused_with_its_usage() {
    let bench = Bench::new();
    for (line, part) in [("", "Usage: bcu"), ("ruin", "'run'"), ("run --wav x", "'--wave'"), ("run --format xml", "json")] {
        let done = bench.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}");
        assert!(done.stderr.contains(part), "{line}: {}", done.stderr);
    }
}
