// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `Bender.yml`: an export as a Bender package.

use super::example;
use super::set::{generated, Export, LICENCE};
use crate::verilog::PREFIX;
use bcu_isa::units;

/// Name of the file. For the prefix `bcu` the name is `Bender.yml`, the only name that Bender reads. For another prefix the name contains
/// the prefix, so that packages of several prefixes can be in one folder; the user must rename such a file to `Bender.yml`.
pub fn file_name(prefix: &str) -> String {
    match prefix {
        PREFIX => "Bender.yml".to_string(),
        prefix => format!("{prefix}_Bender.yml"),
    }
}

/// A package with all files of the unit, in the order in which tools read them, and the bench for the target `test`.
pub fn package(export: &Export, unit: &str) -> String {
    let one = if unit == units::SEVERAL { units::WHOLE } else { unit };
    // The package has the name of the FuseSoC core.
    let (package, name) = (export.module(one), &export.config.name);
    let files: String = export.sources(unit).iter().map(|file| format!("  - {file}\n")).collect();
    let bench = example::named(export, &export.made_of(one));
    let test = bench.map(|(file, _)| format!("  - target: test\n    files:\n      - {file}\n")).unwrap_or_default();
    format!(
        "# SPDX-License-Identifier: {LICENCE}
# {}
package:
  name: {package}_{name}

# Where {} is, for designs that depend on the package.
export_include_dirs:
  - .

sources:
{files}{test}",
        generated(),
        export.defs(),
    )
}
