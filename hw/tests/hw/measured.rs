// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands `cargo xtask synth --verilog` of the pages: each names files that exist, and Yosys finds the module and its parameters in them.
//! They are not measured here.

use super::printer::tools::{attempt, run, Scratch};
use std::path::{Path, PathBuf};

const PAGES: [&str; 2] = ["docs/guide/integrate.md", "docs/evidence/quality.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The commands of a page's console blocks that measure Verilog files, each in one line.
fn commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap().replace("\\\n", " ");
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.filter(|line| line.contains("cargo xtask synth") && line.contains("--verilog")).map(str::to_string).collect()
}

/// The command of Yosys that reads what `command` measures. The shell expands the names of files.
fn reading(scratch: &Scratch, command: &str) -> String {
    let arguments = command.replace("cargo xtask synth", "printf '%s\\n' \"$PWD\"");
    scratch.write("arguments.sh", &format!("cd {}\n{arguments}\n", root().display()));
    let printed = run(scratch, "bash -e arguments.sh");
    let mut lines = printed.lines();
    let folder = lines.next().unwrap();
    let (mut option, mut files, mut include, mut top, mut set) = ("", String::new(), String::new(), "", String::new());
    for line in lines {
        match (line.starts_with("--"), option) {
            (true, _) => option = line,
            (_, "--verilog") => files += &format!(" {folder}/{line}"),
            (_, "--include") => include += &format!(" -I{folder}/{line}"),
            (_, "--top") => top = line,
            (_, "--set") => set += &format!(" -chparam {}", line.replace('=', " ")),
            (_, "--define") => include += &format!(" -D{line}"),
            (_, "--device" | "--seeds" | "--clock") => {}
            (_, other) => panic!("{command}: `{line}` of `{other}`"),
        }
    }
    format!("yosys -q -p 'read_verilog -sv{include}{files}; hierarchy -check -top {top}{set}'")
}

#[test]
fn the_commands_of_the_pages_measure_modules_that_exist() {
    for page in PAGES {
        let commands = commands(page);
        assert!(commands.len() > 2, "{page} measures {commands:?}");
        for (at, command) in commands.iter().enumerate() {
            let scratch = Scratch::new(&format!("measured-{}-{at}", page.replace('/', "-")));
            let (good, log) = attempt(&scratch, &reading(&scratch, command));
            assert!(good, "{page}: `{command}`:\n{log}");
        }
    }
}

#[test]
fn a_command_of_another_module_or_parameter_is_found() {
    let scratch = Scratch::new("measured-wrong");
    let command = |rest: &str| format!("cargo xtask synth --verilog xtask/designs/counted_masks.v {rest}");
    for (rest, expected) in
        [("--top counted_masks --set WARPS=8", true), ("--top masks", false), ("--top counted_masks --set W=8", false)]
    {
        let (good, log) = attempt(&scratch, &reading(&scratch, &command(rest)));
        assert_eq!(good, expected, "{rest}:\n{log}");
    }
}
