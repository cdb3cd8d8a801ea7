// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits as and-inverter graphs: Yosys reads them from Verilog text, this code builds proof questions from them, and ABC answers the
//! questions.

pub mod abc;
pub mod aig;
pub mod builder;

use anyhow::{bail, Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use xtask::pool;

/// Runs a script of Yosys in `folder`; `name` is the name of the script and of its log.
pub fn yosys(folder: &Path, name: &str, script: &str) -> Result<()> {
    let (file, log) = (format!("{name}.ys"), format!("{name}.log"));
    fs::write(folder.join(&file), script).with_context(|| format!("cannot write into {}", folder.display()))?;
    let done = pool::output(Command::new("yosys").args(["-q", "-l", &log, "-s", &file]).current_dir(folder));
    let done = done.context("yosys is needed: apt-get install yosys")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("yosys failed in {}, script {file}: {}", folder.display(), said.trim());
    }
    Ok(())
}
