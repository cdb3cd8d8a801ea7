// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu.core`: an export as a FuseSoC core.

use super::set::{generated, Export, LICENCE};
use super::{assert, example};
use bcu_isa::units;

/// A FuseSoC core (CAPI2). One multiprocessor, or an exported part of it, has targets for use, lint, and place and route. Several
/// multiprocessors have targets for use and lint. The unit with the barriers has separate targets for synthesis by Yosys, because it fits
/// on devices that are too small for the whole unit. The targets for use include the lint waivers, so the lint of a design that depends on
/// the core is clean as well.
pub fn core(export: &Export, unit: &str) -> String {
    let (name, version) = (&export.config.name, env!("CARGO_PKG_VERSION"));
    let several = unit == units::SEVERAL;
    let one = if several { units::WHOLE } else { unit };
    let set = |set: &str, unit| {
        let files: String = export.sources(unit).iter().map(|file| format!("      - {file}\n")).collect();
        let kind = if export.language.is_system() { "systemVerilogSource" } else { "verilogSource" };
        format!("  {set}:\n    files:\n{files}    file_type: {kind}\n")
    };
    let sets = set("rtl", one) + &if several { set("rtl_gpu", unit) } else { String::new() };
    let of_one = targets("default", "rtl", &export.module(one), "lint");
    let parts = export.made_of(one);
    // The unit with the barriers, or the exported unit if it has none.
    let barriers = parts.iter().find(|part| ["named", "gateway"].contains(part)).copied().unwrap_or(one);
    let of_barriers: String = ["ice40", "ecp5"].map(|arch| synth(arch, &export.module(barriers))).concat();
    let of_several = if several { targets("gpu", "rtl_gpu", &export.module(unit), "gpu_lint") } else { String::new() };
    let (bench_files, sim) = match example::named(export, &parts) {
        Some((file, _)) => (
            format!("  bench:\n    files:\n      - {file}\n    file_type: verilogSource\n"),
            format!(
                "  sim:\n    default_tool: icarus\n    filesets:\n      - macros\n      - rtl\n      - bench\n    toplevel: {}\n",
                file.trim_end_matches(".v")
            ),
        ),
        None => (String::new(), String::new()),
    };
    let checker =
        |unit: &&str| format!("      - {}.v:\n          is_include_file: true\n", assert::module(export.prefix, unit));
    let checkers: String = export.units().map(|unit| unit.name()).collect::<Vec<_>>().iter().map(checker).collect();
    // Every unit's core has a separate name, so several exports can be in one library.
    let core = export.module(one);
    format!(
        "CAPI=2:
# SPDX-License-Identifier: {LICENCE}
# {}
name: \"bcu:bcu:{core}_{name}:{version}\"
description: \"GPU barrier unit, configuration {name}\"

filesets:
{sets}{bench_files}  macros:
    files:
      - {}:
          is_include_file: true
{checkers}    file_type: verilogSource
  waivers:
    files:
      - {}
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
    parameters: [BCU_BLOCK_RAM]
{of_barriers}{sim}{of_several}
parameters:
  BCU_BLOCK_RAM:
    datatype: bool
    default: true
    paramtype: vlogdefine
    description: \"All memories are block RAM: for devices without distributed RAM\"
",
        generated(),
        export.defs(),
        export.waivers(),
    )
}

/// The target with the name in `name`, by which a design uses the unit `top`, and the target with the name in `lint`, which lints `top`.
fn targets(name: &str, files: &str, top: &str, lint: &str) -> String {
    format!(
        "  {name}: &{name}
    filesets:
      - tool_verilator ? (waivers)
      - macros
      - {files}
    toplevel: {top}
  {lint}:
    <<: *{name}
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options:
          - \"-Wall\"
"
    )
}

/// A target for synthesis of the unit `top`, a unit of one multiprocessor, by Yosys alone.
fn synth(arch: &str, top: &str) -> String {
    let define = if arch == "ice40" { "    parameters: [BCU_BLOCK_RAM]\n" } else { "" };
    format!(
        "  synth_{arch}:
    <<: *default
    default_tool: yosys
    tools:
      yosys:
        arch: {arch}
        output_format: json
    toplevel: {top}
{define}"
    )
}
