// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mapped netlist that is placed: all names of a wire, and the register at the end of a path.

use super::hierarchy::{bit_of, wires};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;

/// The netlist of the wrapper with the unit.
pub struct Netlist {
    names: BTreeMap<String, Vec<u64>>,
    /// The names of each wire, each with its bit.
    of_wire: BTreeMap<u64, Vec<String>>,
    cells: Value,
}

/// The end of a path.
pub struct End {
    /// The names of the register's output, or the name of the cell if the cell is no register, such as a memory.
    pub names: Vec<String>,
    /// Whether the path passes a LUT in the cell of the register.
    pub has_lut: bool,
}

/// What nextpnr adds to the name of a cell that it packs.
const PACKED: [&str; 4] = ["_DFFLC", "_LC", "_RAM", "_DP16KD"];

impl Netlist {
    pub fn read(json: &str) -> Result<Netlist> {
        let mut design: Value = serde_json::from_str(json).context("Yosys wrote no JSON")?;
        let wrapper = &mut design["modules"]["wrap"];
        let nets = wrapper["netnames"].as_object().context("Yosys wrote no netlist of the wrapper")?;
        let names: BTreeMap<String, Vec<u64>> = nets.iter().map(|(name, net)| (name.clone(), wires(&net["bits"]))).collect();
        let mut of_wire: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (name, bits) in &names {
            for (bit, wire) in bits.iter().enumerate() {
                of_wire.entry(*wire).or_default().push(format!("{name}[{bit}]"));
            }
        }
        Ok(Netlist { names, of_wire, cells: wrapper["cells"].take() })
    }

    /// All names of the wire with this name.
    pub fn names(&self, net: &str) -> Vec<String> {
        let (name, bit) = bit_of(net);
        let wire = self.names.get(name).and_then(|bits| bits.get(bit));
        wire.map_or(vec![net.to_string()], |wire| self.names_of_wire(*wire))
    }

    fn names_of_wire(&self, wire: u64) -> Vec<String> {
        self.of_wire.get(&wire).cloned().unwrap_or_default()
    }

    /// The end of a path that enters `cell` at the pin `pin`.
    pub fn end(&self, cell: &str, pin: &str) -> End {
        let unpacked = PACKED.iter().find_map(|packed| cell.strip_suffix(packed)).unwrap_or(cell);
        let wire = |cell: &Value, pin: &str| wires(&cell["connections"][pin]).first().copied();
        let found = &self.cells[unpacked];
        if let Some(held) = wire(found, "Q") {
            return End { names: self.names_of_wire(held), has_lut: false };
        }
        let all_cells = self.cells.as_object().into_iter().flat_map(|cells| cells.values());
        let value = wire(found, "O");
        let register = value
            .and_then(|value| all_cells.filter(|cell| wire(cell, "D") == Some(value)).find_map(|register| wire(register, "Q")));
        match register {
            Some(held) => End { names: self.names_of_wire(held), has_lut: pin.starts_with('I') },
            None => End { names: vec![unpacked.to_string()], has_lut: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: &str = r#"{"modules": {"wrap": {
        "netnames": {"unit.a": {"bits": [7, 8]}, "unit.b.in": {"bits": [8]}, "unit.b.held_q": {"bits": [9]}},
        "cells": {
            "unit.x_LUT": {"connections": {"I0": [7], "O": [4]}},
            "unit.held": {"connections": {"D": [4], "Q": [9]}},
            "unit.b.words": {"connections": {"WDATA": [4]}}}}}}"#;

    #[test]
    fn a_wire_has_all_its_names() {
        let netlist = Netlist::read(DESIGN).unwrap();
        assert_eq!(netlist.names("unit.a[1]"), ["unit.a[1]", "unit.b.in[0]"]);
        assert_eq!(netlist.names("unit.unknown[3]"), ["unit.unknown[3]"]);
    }

    #[test]
    fn a_path_ends_at_the_register_that_is_packed_with_a_lut() {
        let netlist = Netlist::read(DESIGN).unwrap();
        let end = |cell: &str, pin: &str| {
            let end = netlist.end(cell, pin);
            (end.names, end.has_lut)
        };
        assert_eq!(end("unit.x_LUT_LC", "I0"), (vec!["unit.b.held_q[0]".to_string()], true));
        assert_eq!(end("unit.x_LUT_LC", "CEN"), (vec!["unit.b.held_q[0]".to_string()], false));
        assert_eq!(end("unit.held_DFFLC", "I0"), (vec!["unit.b.held_q[0]".to_string()], false));
        assert_eq!(end("unit.b.words_RAM", "WDATA_3"), (vec!["unit.b.words".to_string()], false));
    }
}
