// SPDX-License-Identifier: Apache-2.0 OR MIT
//! External programs and their working folders.

use std::path::PathBuf;
use std::process::Command;

/// Fails unless `program` can be started; the message names the package that contains it.
pub fn need(program: &str, package: &str) {
    let found = Command::new("sh").arg("-c").arg(format!("command -v {program}")).output().is_ok_and(|o| o.status.success());
    assert!(found, "`{program}` is not installed: apt-get install {package}");
}

/// A separate folder for a test. It is removed when the test passes and kept when it fails.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("printer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch { path }
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path.join(file), text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Runs a shell command in the folder; returns the text that it prints. Fails with that text if the command fails.
pub fn run(scratch: &Scratch, command: &str) -> String {
    let (ok, text) = attempt(scratch, command);
    assert!(ok, "{command}\nin {}\n{text}", scratch.path.display());
    text
}

/// Runs a shell command in the folder; returns whether it succeeded, and the text that it printed.
pub fn attempt(scratch: &Scratch, command: &str) -> (bool, String) {
    let output = Command::new("sh").arg("-c").arg(format!("exec 2>&1; {command}")).current_dir(&scratch.path).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}
