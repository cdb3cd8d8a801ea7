// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels that only seem to hang, and kernels whose hang has one cause: each says in its first lines how it is checked, and what is found.

use crate::common::Bench;
use serde_json::Value;
use std::path::Path;

#[test]
fn each_kernel_has_its_verdict_and_its_cause() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/hangs");
    let mut kernels = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_else(|| panic!("{file:?}"));
        let options = line("// check: ").replace("--machine ", &format!("--machine {}/", folder.display()));
        let wanted = line("// finds: ");
        let done = Bench::new().run(&format!("check {} {options} --format json", file.display()));
        let found: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{file:?}: {e}\n{done:?}"));
        let all = found["findings"].as_array().unwrap();
        let errors: Vec<&str> = all.iter().filter(|f| f["severity"] == "error").map(|f| f["code"].as_str().unwrap()).collect();
        let (verdict, expected) = if wanted == "pass" { ("pass", vec![]) } else { ("fail", vec![wanted]) };
        assert_eq!((found["verdict"].as_str().unwrap(), errors), (verdict, expected), "{file:?}: {found:#}");
        assert_eq!(done.code, i32::from(verdict == "fail"), "{file:?}");
        kernels += 1;
    }
    assert!(kernels >= 20, "{kernels}");
}
