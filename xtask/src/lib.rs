// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Code that the commands of `cargo xtask` share with the experiments of `lab`.

pub mod pool;
pub mod shards;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The exit code of a command: 0, success; 1, a check failed; 2, the command could not run, for the printed reason.
pub fn end(done: anyhow::Result<bool>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
