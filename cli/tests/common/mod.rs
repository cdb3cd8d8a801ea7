// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the command in a folder of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Bench {
    pub folder: TempDir,
}

#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    pub fn new() -> Bench {
        Bench { folder: TempDir::new().unwrap() }
    }

    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.folder.path().join(name), contents).unwrap();
        self
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bcu"));
        command.current_dir(self.folder.path());
        command
    }

    /// Runs with arguments separated by blanks.
    pub fn run(&self, arguments: &str) -> Done {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, stdin: &str) -> Done {
        let mut command = self.command();
        command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its input closes it early.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        let mut folders: Vec<PathBuf> = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => names.push(path.strip_prefix(self.folder.path()).unwrap().to_string_lossy().into_owned()),
                }
            }
        }
        names.sort();
        names
    }
}
