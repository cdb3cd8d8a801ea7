// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every command of the README is run as it stands there, in a folder with the tree's files; only the tests' own command is not, since
//! it runs this test, and chores, which that command runs itself.

use std::path::Path;
use std::process::Command;

const CARGO_RUN: &str = "cargo run -- ";
const TESTS: &str = "./test.sh";
const CHORE: &str = "cargo xtask ";

/// Exit code that the README announces: a program that hangs, or that is wrong on purpose, is a failed check.
fn expected_code(command: &str) -> i32 {
    i32::from(command.contains("hang.bcu") || command.contains("examples/check/"))
}

#[test]
fn every_command_of_the_readme_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let commands: Vec<_> = readme.lines().filter_map(|l| l.strip_prefix("$ ")).collect();
    assert!(commands.contains(&TESTS) && commands.len() > 8, "{commands:?}");
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "hw", "verilog-out"] {
        std::os::unix::fs::symlink(root.join(name).canonicalize().unwrap(), folder.path().join(name)).unwrap();
    }
    let tests = std::fs::read_to_string(root.join(TESTS)).unwrap();
    let (chores, commands): (Vec<_>, Vec<_>) = commands.into_iter().partition(|c| c.starts_with(CHORE));
    for chore in chores {
        assert!(tests.lines().any(|l| l == chore), "{TESTS} does not run `{chore}`");
    }
    for command in commands.into_iter().filter(|c| *c != TESTS) {
        let line = command.replace(CARGO_RUN, concat!(env!("CARGO_BIN_EXE_bcu"), " "));
        let done = Command::new("sh").arg("-c").arg(&line).current_dir(folder.path()).env_remove("CARGO").output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert_eq!(done.status.code(), Some(expected_code(command)), "`{command}` said:\n{said}");
    }
    assert!(
        folder.path().join("out.vcd").is_file()
            && folder.path().join("run.svg").is_file()
            && folder.path().join("my-bcu").join("bcu.v").is_file()
    );
}

#[test]
fn every_chore_that_the_documents_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (of, command) in [("xtask", "cargo xtask "), ("lab", "cargo lab ")] {
        let chores = std::fs::read_to_string(root.join(of).join("src/main.rs")).unwrap().to_lowercase();
        for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/evidence/verification.md", "docs/evidence/silicon.md"] {
            let text = std::fs::read_to_string(root.join(document)).unwrap();
            for after in text.split(command).skip(1) {
                let chore: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
                assert!(chores.contains(&format!("    {chore}")), "{document} names `{command}{chore}`");
            }
        }
    }
}

#[test]
fn the_scenarios_of_the_documents_are_the_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/guide/scenarios.md")).unwrap();
    for scenario in ["exit/completes", "mbarrier/tx_bytes"] {
        let file = std::fs::read_to_string(root.join(format!("tb/scenarios/{scenario}.toml"))).unwrap();
        assert!(page.contains(&format!("```toml\n{file}```")), "docs/guide/scenarios.md shows another text than {scenario}.toml");
    }
}
