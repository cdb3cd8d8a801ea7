// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrappers of an export in other hardware description languages: one file per language with a class for each unit. The ports of a
//! class have the names and widths of the Verilog.

mod amaranth;
mod chisel;
mod parts;
mod spinal;

use super::set::Export;

/// A language of wrappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    /// Scala: a `BlackBox` of Chisel.
    Chisel,
    /// Scala: a `BlackBox` of SpinalHDL.
    Spinal,
    /// Python: a `Component` of Amaranth around an `Instance`.
    Amaranth,
}

impl HostLanguage {
    pub const ALL: [HostLanguage; 3] = [HostLanguage::Chisel, HostLanguage::Spinal, HostLanguage::Amaranth];
}

/// Name and text of the file with the wrappers of all units of an export; the exported unit is the first.
pub(super) fn file(export: &Export, language: HostLanguage) -> (String, String) {
    let (prefix, units) = (export.prefix, export.units().rev());
    match language {
        HostLanguage::Chisel => (format!("{prefix}_chisel.scala"), chisel::text(export, units)),
        HostLanguage::Spinal => (format!("{prefix}_spinal.scala"), spinal::text(export, units)),
        HostLanguage::Amaranth => (format!("{prefix}_amaranth.py"), amaranth::text(export, units)),
    }
}
