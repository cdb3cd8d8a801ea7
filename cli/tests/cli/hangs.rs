// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels that only seem to hang, kernels whose hang has one cause, and kernels with one mistake each, written without reference to the
//! messages. The first lines of each give the arguments of its check and the error that must be reported first.

use crate::common::Bench;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A kernel, and the result of checking it.
struct Checked {
    file: PathBuf,
    text: String,
    found: Value,
}

impl Checked {
    /// The rest of the line that begins with `start`.
    fn header(&self, start: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(start))
    }

    fn errors(&self) -> Vec<&Value> {
        self.found["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == "error").collect()
    }
}

/// Runs `bcu check` on every kernel of a folder, and asserts that each gets the verdict and the first error that its first lines expect.
/// Returns the kernels with the results.
fn checked(name: &str) -> Vec<Checked> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli").join(name);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut checks = vec![];
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "ptx")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut check = Checked { file, text, found: Value::Null };
        let options = check.header("// check: ").unwrap_or_else(|| panic!("{:?}", check.file));
        let options = options.replace("--machine ", &format!("--machine {}/", folder.display()));
        let done = Bench::new().run(&format!("check {} {options} --format json", check.file.display()));
        check.found = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{:?}: {e}\n{done:?}", check.file));
        let passes = check.header("// finds: ") == Some("pass");
        let expected = if passes { ("pass", 0) } else { ("fail", 1) };
        assert_eq!((check.found["verdict"].as_str().unwrap(), done.code), expected, "{:?}: {:#}", check.file, check.found);
        let first = check.errors().first().map(|finding| finding["code"].as_str().unwrap());
        assert_eq!(first, check.header("// finds: ").filter(|_| !passes), "{:?}: {:#}", check.file, check.found);
        checks.push(check);
    }
    checks
}

#[test]
fn a_hang_has_one_cause_and_a_kernel_that_goes_on_has_none() {
    let checks = checked("hangs");
    assert!(checks.len() >= 20, "{}", checks.len());
    for check in checks {
        assert!(check.errors().len() <= 1, "{:?}: {:#}", check.file, check.found);
    }
}

#[test]
fn a_mistake_is_found_at_its_place() {
    let checks = checked("wrong");
    assert_eq!(checks.len(), 20);
    for check in checks {
        let Some(line) = check.header("// line: ") else { continue };
        let line: u64 = line.parse().unwrap();
        assert_eq!(check.errors()[0]["place"]["line"].as_u64(), Some(line), "{:?}: {:#}", check.file, check.found);
    }
}
