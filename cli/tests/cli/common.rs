// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the command in a temporary folder.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Path of a file of `examples/`.
pub fn example(name: &str) -> String {
    format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A program of two warps, each of which waits at a barrier where the other never arrives.
pub const HANG: &str = ".cta_warps 2\n.warps 0 worker\nBAR.SYNC 0x1\n.warps 1 straggler\nBAR.SYNC 0x2\n";

pub struct Bench {
    folder: TempDir,
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
        // Compiled simulators are kept between tests, outside the user's own cache.
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        // If `CARGO` is set, `bcu` has cargo rebuild an outdated `bcu-rtl` or `bcu-tb`. In tests both are up to date.
        command.env_remove("CARGO");
        command
    }

    /// The command with arguments separated by spaces, which a shell starts after the commands `before`.
    pub fn after(&self, before: &str, arguments: &str) -> Command {
        let mut shell = Command::new("sh");
        let command = self.command();
        shell.arg("-c").arg(format!("{before}; exec \"$@\"")).arg("sh").arg(command.get_program());
        shell.args(arguments.split_whitespace()).current_dir(self.folder.path());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }

    /// Runs with arguments separated by spaces.
    pub fn run(&self, arguments: &str) -> Done {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, stdin: &str) -> Done {
        let mut command = self.command();
        command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its input closes the pipe early.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Puts a stand-in for nvcc, whose result for `k.cu` is the file `k.ptx` beside it, into the folder `bin`, and returns the command with
    /// this folder on `PATH`.
    pub fn with_nvcc(&self) -> Command {
        let bin = self.path("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let fake = format!("{}/src/cmd/case/nvcc/fake-nvcc", env!("CARGO_MANIFEST_DIR"));
        if !bin.join("nvcc").exists() {
            std::os::unix::fs::symlink(fake, bin.join("nvcc")).unwrap();
        }
        let mut command = self.command();
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env("PATH", std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&path))).unwrap());
        command
    }

    /// Runs with nvcc, with these arguments.
    pub fn run_cuda(&self, arguments: &[&str]) -> Done {
        let output = self.with_nvcc().args(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files and folders, sorted; a folder's name ends with `/`.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        let mut folders: Vec<PathBuf> = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.folder.path()).unwrap().to_str().unwrap().to_string();
                names.push(if path.is_dir() { name + "/" } else { name });
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        names.sort();
        names
    }
}
