// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrappers for Amaranth: a `Component` around an `Instance` for each unit.

use super::super::set::Export;
use super::parts::{class, head, ports_without_reset, quoted_files};
use crate::ports::Unit;
use bcu_isa::ports::{Dir, Port};

pub fn text<'a>(export: &Export, units: impl Iterator<Item = &'a dyn Unit>) -> String {
    let mut text = head(export, "#", "Components for Amaranth");
    text += "\n\"\"\"Clock and reset of a component are those of its domain, which is `sync` unless `DomainRenamer` changes it; the reset must be\n\
             synchronous. With `folder`, the folder of the export, a platform gets the files `FILES`.\"\"\"\n\n\
             from pathlib import Path\n\n\
             from amaranth import ClockSignal, Instance, Module, ResetSignal\n\
             from amaranth.lib import wiring\n\
             from amaranth.lib.wiring import In, Out\n";
    units.for_each(|unit| text += &component(export, unit));
    text
}

fn component(export: &Export, unit: &dyn Unit) -> String {
    let module = export.module(unit.name());
    let mut text = format!(
        "\n
class {}(wiring.Component):
    FILES = [{}]

    def __init__(self, folder=None):
        self.folder = folder
        super().__init__({{
",
        class(&module),
        quoted_files(export, unit)
    );
    for Port { name, dir, width, doc, .. } in ports_without_reset(unit) {
        let direction = if dir == Dir::In { "In" } else { "Out" };
        text += &format!("            \"{name}\": {direction}({width}),  # {doc}\n");
    }
    text += &format!(
        "        }})

    def elaborate(self, platform):
        m = Module()
        if platform is not None and self.folder is not None:
            for file in self.FILES:
                platform.add_file(file, (Path(self.folder) / file).read_text())
        m.submodules.unit = Instance(
            \"{module}\",
"
    );
    for (name, value) in export.sizes() {
        text += &format!("            p_{name}={value},\n");
    }
    text += "            i_clock=ClockSignal(),\n            i_reset=ResetSignal(),\n";
    for Port { name, dir, .. } in ports_without_reset(unit) {
        let kind = if dir == Dir::In { "i" } else { "o" };
        text += &format!("            {kind}_{name}=self.{name},\n");
    }
    text + "        )\n        return m\n"
}
