// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commands for the solver ABC, which Yosys includes as `yosys-abc`, and its verdicts.

use anyhow::{bail, Context, Result};
use std::path::Path;
use std::process::Command;
use xtask::pool;

/// ABC commands that merge equivalent nodes, including registers.
pub const MERGE: &str = "&get; &scorr -C 10000; &put";

/// A verdict of ABC on a circuit whose outputs should all be constantly 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No output can be 1.
    Proved,
    /// The output `output` is 1 in the cycle `cycle`, counted from 0.
    Found {
        output: usize,
        cycle: usize,
    },
    Open,
}

/// Runs commands of ABC in `folder`. Returns what ABC printed; `None` if the commands take longer than `seconds`.
pub fn abc(folder: &Path, script: &str, seconds: Option<u64>) -> Result<Option<String>> {
    let mut run = Command::new("timeout");
    // The time limit 0 means no limit.
    run.args(["-k", "5", &seconds.unwrap_or(0).to_string(), "yosys-abc", "-c", script]).current_dir(folder);
    let done = pool::output(&mut run)?;
    let said = String::from_utf8_lossy(&done.stdout);
    match done.status.code() {
        Some(124 | 137) => return Ok(None),
        Some(127) => bail!("yosys-abc is missing: apt-get install yosys"),
        Some(0) => (),
        _ => bail!("yosys-abc failed in {}: {script}: {said}", folder.display()),
    }
    if said.contains("cannot open") || said.contains("has failed") || said.contains("Reading network from file has failed") {
        bail!("yosys-abc failed in {}: {script}: {said}", folder.display());
    }
    Ok(Some(said.into_owned()))
}

/// The verdict, from what `bmc3` or `pdr` printed.
pub fn verdict(said: &str) -> Result<Verdict> {
    let Some(line) = said.lines().find(|l| l.contains("was asserted in frame")) else {
        return Ok(if said.contains("Property proved.") { Verdict::Proved } else { Verdict::Open });
    };
    let number = |before: &str| -> Option<usize> {
        let (_, rest) = line.split_once(before)?;
        rest.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let cycle = number("was asserted in frame").with_context(|| format!("unexpected output of yosys-abc: {line}"))?;
    Ok(Verdict::Found { output: number("Output ").unwrap_or(0), cycle })
}

/// The numbers of the outputs that can be 1, from what `bmc3 -ax` printed.
pub fn outputs(said: &str) -> Vec<usize> {
    let number = |line: &str| {
        let (_, rest) = line.split_once("Output ")?;
        rest.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    said.lines().filter(|l| l.contains("was asserted in frame")).filter_map(number).collect()
}
