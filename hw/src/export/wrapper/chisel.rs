// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrappers for Chisel: a `BlackBox` for each unit.

use super::super::set::Export;
use super::parts::{class, head, quoted_files};
use crate::ports::Unit;
use bcu_isa::ports::{Dir, Port};

pub fn text<'a>(export: &Export, units: impl Iterator<Item = &'a dyn Unit>) -> String {
    let mut text = head(export, "//", "Black boxes for Chisel");
    let exported = export.units().next_back().map(|unit| class(&export.module(unit.name()))).unwrap_or_default();
    text += &format!(
        "//\n// `folder` of a class is the folder of the export. A black box has no implicit clock and reset:\n\
         //   val unit = Module(new {exported}(\"rtl\")); unit.io.clock := clock; unit.io.reset := reset.asBool\n\
         package bcu\n\nimport chisel3._\nimport chisel3.util.HasBlackBoxPath\n"
    );
    units.for_each(|unit| text += &black_box(export, unit));
    text
}

fn black_box(export: &Export, unit: &dyn Unit) -> String {
    let module = export.module(unit.name());
    let mut text = format!(
        "\nclass {}(folder: String) extends BlackBox with HasBlackBoxPath {{
  override def desiredName: String = \"{module}\"
  val io = IO(new Bundle {{
    val clock = Input(Clock())  // Rising edge.
",
        class(&module)
    );
    for Port { name, dir, width, doc, .. } in unit.ports() {
        let direction = if dir == Dir::In { "Input" } else { "Output" };
        let kind = if width == 1 { "Bool()".to_string() } else { format!("UInt({width}.W)") };
        text += &format!("    val {name} = {direction}({kind})  // {doc}\n");
    }
    text + &format!("  }})\n  Seq({}).foreach(file => addPath(s\"$folder/$file\"))\n}}\n", quoted_files(export, unit))
}
