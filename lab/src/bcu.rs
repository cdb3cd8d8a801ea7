// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The build of `bcu` with which an experiment runs.

use anyhow::{bail, Context, Result};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `bcu`, which builds its companions itself, and returns its path. The development build is used: it runs programs as fast as a
/// release, which takes ten minutes more to build.
pub fn build(root: &Path) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "--package", "bcu-cli"]).current_dir(root).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("bcu cannot be built; see cargo's messages above");
    }
    Ok(root.join("target/debug/bcu"))
}
