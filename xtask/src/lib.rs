// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What chores and the experiments of `lab` have in common.

pub mod pool;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Exit code of a chore: whether all is good, or why it could not run.
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
