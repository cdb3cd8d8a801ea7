// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies of `bcu` and its companions outside of a checkout.

use crate::common::Bench;
use std::path::Path;
use std::process::Command;

/// A size that is not compiled in cannot be built there.
#[test]
fn a_copy_names_the_command_that_builds_a_missing_size() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_bcu")).parent().unwrap();
    std::fs::create_dir(bench.path("copy")).unwrap();
    for name in ["bcu", "bcu-tb"] {
        std::fs::copy(folder.join(name), bench.path("copy").join(name)).unwrap();
    }
    bench.file("size.toml", bench.run("configs tiny").stdout.replace("warps = 4", "warps = 5")).file("exit.bcu", "EXIT\n");
    let mut copy = Command::new(bench.path("copy/bcu"));
    let run = ["run", "exit.bcu", "--config", "size.toml", "--engine", "jit"];
    let done = copy.current_dir(bench.path("")).args(run).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        done.status.code() == Some(2) && said.contains("bcu-tb was built without the sizes of the configuration size"),
        "{said}"
    );
    let command = "run `BCU_CONFIGS=FILE.toml cargo build --package bcu-tb-cli` there, and copy target/debug/bcu-tb to ";
    assert!(said.contains(command) && said.contains("/copy\n"), "{said}");
}
