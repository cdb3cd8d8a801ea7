// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A flat unit in Yosys' RTLIL with its memories cut out. The inputs of a memory become outputs of the unit, and the memory's read data
//! become inputs of the unit.

use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeMap;

/// The clock of every unit.
const CLOCK: &str = r"\clock";

/// A memory that was cut out.
#[derive(Clone, Debug)]
pub struct Memory {
    pub name: String,
    pub words: usize,
    pub width: usize,
    pub address_bits: usize,
    pub reads: usize,
    pub writes: usize,
}

/// Direction and width of a port.
pub type Ports = BTreeMap<String, (&'static str, usize)>;

/// A unit without its memories: its text, its ports, and the memories that were cut out.
#[derive(Debug)]
pub struct Cut {
    pub text: String,
    pub ports: Ports,
    pub memories: Vec<Memory>,
}

/// The name of the port that replaces a connection of memory number `memory`. `what` is `address`
/// or `data` for reads; `enable`, `place` (the address) or `value` for writes.
pub fn wire(memory: usize, what: &str) -> String {
    format!("memory:{memory}:{what}")
}

/// Cuts the memories out of the text that Yosys wrote.
pub fn cut(text: &str) -> Result<Cut> {
    let mut cut = Cut { text: String::new(), ports: Ports::new(), memories: vec![] };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["wire", .., name] => {
                port(&mut cut.ports, &words, name)?;
                cut.text += &format!("{line}\n");
            }
            ["cell", kind, name] => {
                let body: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != "end").collect();
                let cell = Cell { kind, name, fields: body.iter().filter_map(|l| field(l)).collect() };
                cell.clocked()?;
                if kind == "$mem_v2" {
                    let wires = cell.wires(cut.memories.len(), cut.ports.len())?;
                    cut.memories.push(cell.memory()?);
                    cut.text += &wires;
                } else {
                    cut.text += &format!("{line}\n{}\n  end\n", body.join("\n"));
                }
            }
            ["memory" | "process", .., name] => bail!("`{name}` should have become a cell"),
            _ => cut.text += &format!("{line}\n"),
        }
    }
    Ok(cut)
}

/// Adds a wire to `ports` if it is a port of the unit.
fn port(ports: &mut Ports, words: &[&str], name: &str) -> Result<()> {
    let after = |word: &str| words.iter().skip_while(|w| **w != word).nth(1);
    let width = after("width").map_or(Ok(1), |w| w.parse::<usize>()).with_context(|| format!("the width of `{name}`"))?;
    for direction in ["input", "output", "inout"] {
        if words.contains(&direction) {
            ports.insert(name.trim_start_matches('\\').to_string(), (direction, width));
        }
    }
    Ok(())
}

/// Splits a line `parameter \NAME VALUE` or `connect \NAME SIGNAL` into name and value.
fn field(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.trim().split_once(' ')?;
    let (name, value) = rest.split_once(' ')?;
    ["parameter", "connect"].contains(&word).then(|| (name.trim_start_matches('\\'), value.trim()))
}

/// A cell of the netlist, with its parameters and connections.
struct Cell<'a> {
    kind: &'a str,
    name: &'a str,
    fields: BTreeMap<&'a str, &'a str>,
}

impl Cell<'_> {
    fn get(&self, field: &str) -> Result<&str> {
        self.fields.get(field).copied().with_context(|| format!("cell `{}` ({}) has no {field}", self.name, self.kind))
    }

    fn number(&self, field: &str) -> Result<usize> {
        self.get(field)?.parse().with_context(|| format!("{field} of cell `{}`", self.name))
    }

    /// Fails if the cell is clocked by a signal other than `clock`, or by its falling edge. An
    /// and-inverter graph has no clocks, so all registers must change at the same edge.
    fn clocked(&self) -> Result<()> {
        for (clock, polarity) in [("CLK", "CLK_POLARITY"), ("WR_CLK", "WR_CLK_POLARITY")] {
            let Some(by) = self.fields.get(clock) else { continue };
            let only_clock = by.trim_matches(['{', '}']).split_whitespace().all(|c| c == CLOCK);
            let rising = self.get(polarity)?.split_once('\'').is_some_and(|(_, bits)| bits.bytes().all(|b| b == b'1'));
            ensure!(only_clock && rising, "`{}` is not clocked by the rising edge of `clock`", self.name);
        }
        Ok(())
    }

    fn memory(&self) -> Result<Memory> {
        let zero = |field: &str| {
            Ok::<bool, anyhow::Error>(self.get(field)?.trim_start_matches(|c| c != '\'').bytes().skip(1).all(|b| b == b'0'))
        };
        ensure!(zero("RD_CLK_ENABLE")? && self.number("OFFSET")? == 0, "memory `{}` has an unsupported form", self.name);
        let unknown = self.get("INIT")?.split_once('\'').is_some_and(|(_, bits)| bits.bytes().all(|b| b == b'x'));
        ensure!(unknown, "memory `{}` has contents at power-up, which is not supported", self.name);
        Ok(Memory {
            name: self.name.trim_start_matches('\\').to_string(),
            words: self.number("SIZE")?,
            width: self.number("WIDTH")?,
            address_bits: self.number("ABITS")?,
            reads: self.number("RD_PORTS")?,
            writes: self.number("WR_PORTS")?,
        })
    }

    /// The text of the ports that replace memory number `memory`. The numbers of these ports follow
    /// those of the unit's own ports, of which there are `ports`.
    fn wires(&self, memory: usize, ports: usize) -> Result<String> {
        let Memory { width, address_bits, reads: read, writes: write, .. } = self.memory()?;
        let port_rows = [
            ("address", "output", read * address_bits, "RD_ADDR"),
            ("data", "input", read * width, "RD_DATA"),
            ("enable", "output", write * width, "WR_EN"),
            ("place", "output", write * address_bits, "WR_ADDR"),
            ("value", "output", write * width, "WR_DATA"),
        ];
        let mut text = String::new();
        for (at, (what, direction, width, signal)) in (1..).zip(port_rows).filter(|(_, (_, _, width, _))| *width > 0) {
            let (name, signal) = (format!("\\{}", wire(memory, what)), self.get(signal)?);
            text += &format!("  wire width {width} {direction} {} {name}\n", ports + memory * 5 + at);
            text += &match direction {
                "input" => format!("  connect {signal} {name}\n"),
                _ => format!("  connect {name} {signal}\n"),
            };
        }
        Ok(text)
    }
}
