// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs every command of the README and of the guide's pages about programs as written, in a folder with the tree's files. Compares the
//! output with the output that a page prints under the command. Two commands are not run: `./test.sh`, because it runs this test, and
//! `cargo xtask`, because `./test.sh` runs it.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const CARGO_RUN: &str = "cargo run -- ";
const TESTS: &str = "./test.sh";
const CHORE: &str = "cargo xtask ";

/// A command of a page, and the output that the page prints under it.
struct Example {
    command: String,
    shown: String,
}

impl Example {
    /// The expected exit code: 1 for a program that hangs or is wrong on purpose, unless the page shows that its check passes; otherwise
    /// 0.
    fn code(&self) -> i32 {
        let is_wrong = ["hang.bcu", "examples/check/", "/wrong/"].iter().any(|part| self.command.contains(part));
        i32::from(is_wrong && !self.shown.starts_with("pass: "))
    }

    /// Runs the command, and compares its exit code and, where the page shows it, its output.
    fn run(&self, folder: &Path) {
        let bcu = Path::new(env!("CARGO_BIN_EXE_bcu")).parent().unwrap().to_path_buf();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(bcu).chain(std::env::split_paths(&others))).unwrap();
        let line = self.command.replace(CARGO_RUN, "bcu ");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&line).current_dir(folder).env("PATH", path).env_remove("CARGO");
        let done = shell.output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert_eq!(done.status.code(), Some(self.code()), "`{}` printed:\n{stdout}{stderr}", self.command);
        assert!(
            self.shown.is_empty() || self.shown == stdout,
            "the page shows another output of `{}`:\n{stdout}",
            self.command
        );
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The commands of a page's console blocks, in order.
fn examples(page: &str) -> Vec<Example> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut examples: Vec<Example> = vec![];
    let mut is_console = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => is_console = line == "```console",
            Some(command) => {
                assert!(is_console, "{page}: `{line}` is not in a console block");
                let stays = command.starts_with("cd ") && command.contains("&&");
                assert!(!stays, "{page}: `{line}` leaves the next command in another folder: write `(cd … && …)`");
                examples.push(Example { command: command.to_string(), shown: String::new() });
            }
            None if is_console => {
                let example = examples.last_mut().unwrap_or_else(|| panic!("{page}: `{line}` has no command before it"));
                example.shown += &format!("{line}\n");
            }
            None => {}
        }
    }
    examples
}

/// A temporary folder with links to folders of the tree, in which the commands of a page find the files that they name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["cli", "examples", "hw", "verilog-out"] {
        std::os::unix::fs::symlink(root().join(name).canonicalize().unwrap(), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn every_command_of_the_readme_works() {
    let (chores, examples): (Vec<_>, Vec<_>) =
        examples("README.md").into_iter().partition(|example| example.command.starts_with(CHORE));
    let tests = std::fs::read_to_string(root().join(TESTS)).unwrap();
    for Example { command, .. } in chores {
        assert!(tests.lines().any(|line| line == command), "{TESTS} does not run `{command}`");
    }
    assert!(examples.iter().any(|example| example.command == TESTS) && examples.len() > 5);
    let checks = examples.iter().filter(|example| example.command.contains(" check ") && example.shown.contains("error["));
    assert_eq!(checks.count(), 1, "the README shows the findings of one kernel");
    let folder = folder();
    examples.iter().filter(|example| example.command != TESTS).for_each(|example| example.run(folder.path()));
    assert!(folder.path().join("out.vcd").is_file() && folder.path().join("rtl/bcu_named.v").is_file());
    let area = std::fs::read_to_string(folder.path().join("area.txt")).unwrap();
    assert!(area.contains("SB_LUT4"), "{area}");
}

#[test]
fn the_readme_shows_the_kernel_that_it_checks() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let kernel = read("examples/cuda/wrong/count.cu");
    let (_, code) = kernel.split_once("\n\n").unwrap();
    assert!(read("README.md").contains(&format!("```cuda\n{code}```")), "the README shows another text than count.cu");
}

#[test]
fn every_command_of_the_guide_works() {
    for page in ["start", "launch", "compilers", "ptx", "programs", "visa", "races", "reset"] {
        let examples = examples(&format!("docs/guide/{page}.md"));
        assert!(page == "races" || examples.iter().any(|example| !example.shown.is_empty()), "{page}");
        let folder = folder();
        examples.iter().for_each(|example| example.run(folder.path()));
        assert!(page != "start" || folder.path().join("run.svg").is_file() && folder.path().join("my-bcu/bcu.v").is_file());
    }
}

#[test]
fn every_output_of_the_page_of_hangs_is_real() {
    let examples = examples("docs/guide/hangs.md");
    let hangs = examples.iter().filter(|example| example.shown.contains("; the run hung after "));
    assert_eq!(hangs.count(), 3);
    assert!(examples.iter().all(|example| !example.shown.is_empty()));
    let folder = folder();
    examples.iter().for_each(|example| example.run(folder.path()));
}

#[test]
fn every_chore_that_the_documents_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (package, command) in [("xtask", "cargo xtask "), ("lab", "cargo lab ")] {
        let chores = std::fs::read_to_string(root.join(package).join("src/main.rs")).unwrap().to_lowercase();
        for document in
            ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/evidence/verification.md", "docs/evidence/silicon.md"]
        {
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
        assert!(
            page.contains(&format!("```toml\n{file}```")),
            "docs/guide/scenarios.md shows another text than {scenario}.toml"
        );
    }
}
