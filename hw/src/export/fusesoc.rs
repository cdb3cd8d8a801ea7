// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu.core`: an export as FuseSoC takes it.

use super::{generated, sources, ExportError, LICENCE};
use crate::catalog;
use crate::config::Config;
use crate::verilog::Options;

/// A FuseSoC core (CAPI2) with a target each for use, lint and synthesis of one multiprocessor, or of what there is of it, and for use
/// and lint of several of them.
pub fn core(config: &Config, unit: &str) -> Result<String, ExportError> {
    let (name, version) = (&config.name, env!("CARGO_PKG_VERSION"));
    let several = unit == catalog::SEVERAL;
    let one = if several { catalog::WHOLE } else { unit };
    let set = |set: &str, unit| -> Result<String, ExportError> {
        let files: String = sources(config, unit)?.iter().map(|file| format!("      - {file}\n")).collect();
        Ok(format!("  {set}:\n    files:\n{files}    file_type: verilogSource\n"))
    };
    let sets = set("rtl", one)? + &if several { set("rtl_gpu", unit)? } else { String::new() };
    let of_one = targets("default", "rtl", &Options::new(one).top, "lint");
    let of_several = if several { targets("gpu", "rtl_gpu", "bcu_gpu", "gpu_lint") } else { String::new() };
    // Every unit's core has a name of its own, so that several exports can be in one library.
    let core = Options::new(one).top;
    Ok(format!(
        "CAPI=2:
# SPDX-License-Identifier: {LICENCE}
# {}
name: \"bcu:bcu:{core}_{name}:{version}\"
description: \"GPU barrier unit, configuration {name}\"

filesets:
{sets}  waivers:
    files:
      - bcu.vlt
    file_type: vlt

targets:
{of_one}  synth:
    <<: *default
    default_tool: icestorm
    tools:
      icestorm:
        pnr: next
        nextpnr_options:
          - \"--hx8k\"
          - \"--package\"
          - \"ct256\"
{of_several}",
        generated()
    ))
}

/// A target for use and one for lint.
fn targets(name: &str, files: &str, top: &str, lint: &str) -> String {
    format!(
        "  {name}: &{name}
    filesets:
      - {files}
    toplevel: {top}
  {lint}:
    <<: *{name}
    default_tool: verilator
    filesets:
      - waivers
      - {files}
    tools:
      verilator:
        mode: lint-only
        verilator_options:
          - \"-Wall\"
"
    )
}
