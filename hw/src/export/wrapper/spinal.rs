// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrappers for SpinalHDL: a `BlackBox` for each unit.

use super::super::set::Export;
use super::parts::{class, head, quoted_files};
use crate::ports::Unit;
use bcu_isa::ports::{Dir, Port};

pub fn text<'a>(export: &Export, units: impl Iterator<Item = &'a dyn Unit>) -> String {
    let mut text = head(export, "//", "Black boxes for SpinalHDL");
    text += "//\n// `folder` of a class is the folder of the export. Clock and reset are those of the clock domain around the instance;\n\
             // its reset must be synchronous.\n\
             package bcu\n\nimport spinal.core._\n";
    units.for_each(|unit| text += &black_box(export, unit));
    text
}

fn black_box(export: &Export, unit: &dyn Unit) -> String {
    let module = export.module(unit.name());
    let mut text = format!("\nclass {}(folder: String) extends BlackBox {{\n", class(&module));
    for (name, value) in export.sizes() {
        text += &format!("  addGeneric(\"{name}\", {value})\n");
    }
    text += "  val io = new Bundle {\n    val clock = in Bool()  // Rising edge.\n";
    for Port { name, dir, width, doc, .. } in unit.ports() {
        let direction = if dir == Dir::In { "in" } else { "out" };
        let kind = if width == 1 { "Bool()".to_string() } else { format!("Bits({width} bits)") };
        text += &format!("    val {name} = {direction} {kind}  // {doc}\n");
    }
    text + &format!(
        "  }}
  noIoPrefix()
  setBlackBoxName(\"{module}\")
  mapClockDomain(clock = io.clock, reset = io.reset, resetActiveLevel = HIGH)
  Seq({}).foreach(file => addRTLPath(s\"$folder/$file\"))
}}
",
        quoted_files(export, unit)
    )
}
