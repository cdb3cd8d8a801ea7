// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One of the two sides of a comparison: a unit's text as gates, with its memories cut out.

use super::cut::{cut, wire, Memory, Ports};
use crate::circuit::aig::Gates;
use crate::circuit::yosys;
use anyhow::{ensure, Context, Result};
use bcu_hw::verilog::PREFIX;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// A step in the evaluation of a cycle. Steps are ordered such that each follows the steps that it depends on.
#[derive(Clone, Copy, Debug)]
pub enum EvaluationStep {
    /// The AND with this number.
    And(usize),
    /// The memory with this number is read, at all of its read ports.
    Read(usize),
}

/// The connections between a unit and one of its memories.
#[derive(Debug, Default)]
pub struct Pins {
    /// Literals of the read addresses.
    pub address: Vec<u32>,
    /// Variables of the read data.
    pub data: Vec<usize>,
    /// Literals of the write enables.
    pub enable: Vec<u32>,
    /// Literals of the write addresses.
    pub place: Vec<u32>,
    /// Literals of the written values.
    pub value: Vec<u32>,
}

impl Pins {
    /// The write addresses of a column, one slice of literals for each write port.
    pub fn places(&self) -> impl Iterator<Item = &[u32]> {
        self.place.chunks((self.place.len() / self.value.len().max(1)).max(1))
    }
}

/// One bit of all words of a memory. Comparing single columns makes the comparison independent of the grouping of bits into words, and of
/// bits that are never read.
#[derive(Debug)]
pub struct Column {
    /// The number of the column's memory.
    pub memory: usize,
    /// The number of the column's bit in a word of the memory.
    pub bit: usize,
    /// The pins of the column: one literal or variable for each port. `address` and `place` have the bits of one port after the bits of the
    /// previous port.
    pub pins: Pins,
}

#[derive(Debug)]
pub struct Side {
    pub gates: Gates,
    pub ports: Ports,
    pub memories: Vec<Memory>,
    pub pins: Vec<Pins>,
    pub columns: Vec<Column>,
    pub steps: Vec<EvaluationStep>,
    /// The number of the AND that drives each variable.
    drivers: Vec<Option<usize>>,
}

/// Shortens the names of the ports that lead to a cut-out part in RTLIL text:
/// `\\backend.cluster.op_valid` becomes `\\cluster.op_valid`, so that a part may move within its unit. If two instances have the same
/// short name, their ports keep their paths.
fn without_paths(text: &str) -> String {
    let mut ports: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(&"wire"), Some(&name)) = (words.first(), words.last()) else { continue };
        let mut parts = name.trim_start_matches('\\').rsplit('.');
        if let (Some(port), Some(part), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            if ["input", "output"].iter().any(|direction| words.contains(direction)) {
                ports.entry(format!("\\{part}.{port}")).or_default().push(name);
            }
        }
    }
    let unique = ports.iter().filter_map(|(short, names)| Some((*names.first()?, short)).filter(|_| names.len() == 1));
    let short: HashMap<&str, &String> = unique.collect();
    let line = |line: &str| {
        let words = line.split(' ').map(|word| short.get(word).map_or(word, |short| short.as_str()));
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    text.lines().map(line).collect()
}

impl Side {
    /// Reads the module `top` of a Verilog file, without the modules `parts`, whose pins become ports of `top`. The text of a part is in
    /// the same file or in a file next to it, as are the primitives and the package of SystemVerilog. Intermediate files are written into
    /// `folder` under `name`.
    pub fn read(file: &Path, top: &str, parts: &[String], folder: &Path, name: &str) -> Result<Side> {
        let file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
        let flat = "proc\nflatten\nopt_expr -keepdc\nopt_clean\ncheck -assert\nmemory_collect\nopt_clean";
        let boxes: String = parts.iter().map(|part| format!("blackbox {part}\n")).collect();
        let pins: String = parts.iter().map(|part| format!("expose -evert t:{part}\ndelete ={part}\n")).collect();
        let beside = |names: Vec<String>| names.into_iter().map(|name| file.with_file_name(name)).filter(|path| path.is_file());
        let read = if file.extension().is_some_and(|ending| ending == "sv") { "read_verilog -sv" } else { "read_verilog" };
        let package: String =
            beside(vec![format!("{PREFIX}_pkg.sv")]).map(|path| format!("{read} \"{}\"\n", path.display())).collect();
        let primitives = format!("{PREFIX}_prim");
        let names = parts.iter().chain([&primitives]).flat_map(|part| [format!("{part}.v"), format!("{part}.sv")]);
        let part_files: String =
            beside(names.collect()).map(|path| format!("{read} -nooverwrite \"{}\"\n", path.display())).collect();
        let script = format!(
            "{package}{read} \"{}\"\n{part_files}hierarchy -check -top {top}\n{boxes}{flat}\n{pins}write_rtlil {name}.il\n",
            file.display()
        );
        yosys(folder, &format!("{name}-flat"), &script)?;
        let path = folder.join(format!("{name}.il"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let cut = cut(&without_paths(&text)).with_context(|| format!("in {}", file.display()))?;
        fs::write(folder.join(format!("{name}-cut.il")), &cut.text)?;
        Side::gates(folder, &format!("{name}-cut"), "", cut.ports, cut.memories)
            .with_context(|| format!("in {}", file.display()))
    }

    /// The side with its memories as registers that all power up with 0.
    pub fn whole(&self, folder: &Path, name: &str) -> Result<Side> {
        Side::gates(folder, name, "memory_map\n", self.ports.clone(), vec![])
    }

    /// Reads the gates of the netlist `name.il` that Yosys has written; `before` is a Yosys script
    /// that is run before the mapping to gates.
    fn gates(folder: &Path, name: &str, before: &str, ports: Ports, memories: Vec<Memory>) -> Result<Side> {
        // A bit that Verilog leaves unknown is 0 on both sides.
        let known = "chtype -set $shift t:$shiftx\nsetundef -undriven -zero";
        let gates = "opt_expr\ndffunmap\ntechmap\nsimplemap\nopt_expr\naigmap\nopt_clean";
        let write = format!("write_aiger -ascii -symbols {name}.aag");
        let script = format!("read_rtlil {name}.il\n{before}{known}\n{gates}\n{write}\n");
        yosys(folder, &format!("{name}-gates"), &script)?;
        let path = folder.join(format!("{name}.aag"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Side::new(Gates::read(&text)?, ports, memories)
    }

    fn new(gates: Gates, ports: Ports, memories: Vec<Memory>) -> Result<Side> {
        let mut pins: Vec<Pins> = vec![];
        for (at, memory) in memories.iter().enumerate() {
            let Memory { width, address_bits, reads, writes, .. } = *memory;
            let outputs = |what: &str, bits: usize| {
                let mine = gates.outputs.iter().filter(|o| o.name == wire(at, what)).map(|o| (o.bit, o.literal));
                ordered(mine, bits).with_context(|| format!("memory {}: `{what}` lacks bits", memory.name))
            };
            let data = gates.inputs.iter().filter(|i| i.name == wire(at, "data")).map(|i| (i.bit, i.variable));
            pins.push(Pins {
                address: outputs("address", reads * address_bits)?,
                data: ordered(data, reads * width).with_context(|| format!("memory {} lacks data bits", memory.name))?,
                enable: outputs("enable", writes * width)?,
                place: outputs("place", writes * address_bits)?,
                value: outputs("value", writes * width)?,
            });
        }
        let steps = steps(&gates, &pins)?;
        let mut drivers = vec![None; gates.variables];
        for (at, (variable, ..)) in gates.ands.iter().enumerate() {
            drivers[*variable] = Some(at);
        }
        let columns =
            memories.iter().zip(&pins).enumerate().flat_map(|(at, (memory, pins))| columns(at, memory, pins)).collect();
        Ok(Side { gates, ports, memories, pins, columns, steps, drivers })
    }

    /// The shape of a column's memory: the numbers of words, address bits, read ports and write
    /// ports. Only columns of equal shape are compared.
    pub fn shape(&self, column: &Column) -> [usize; 4] {
        let Memory { words, address_bits, reads, writes, .. } = self.memories[column.memory];
        [words, address_bits, reads, writes]
    }

    /// The number of bits of all memories of the side.
    pub fn memory_bits(&self) -> usize {
        self.memories.iter().map(|m| m.words * m.width).sum()
    }

    /// The number of the AND that drives a variable, if there is one.
    pub fn driver(&self, variable: usize) -> Option<usize> {
        self.drivers[variable]
    }
}

/// The elements with the numbers 0 to `bits - 1` in order; `None` if one is missing.
fn ordered<T>(numbered: impl Iterator<Item = (usize, T)>, bits: usize) -> Option<Vec<T>> {
    let by_bit: BTreeMap<usize, T> = numbered.collect();
    by_bit.keys().copied().eq(0..bits).then(|| by_bit.into_values().collect())
}

/// The columns of a memory.
fn columns(number: usize, memory: &Memory, pins: &Pins) -> Vec<Column> {
    let column_of = |bit: usize| Column {
        memory: number,
        bit,
        pins: Pins {
            address: pins.address.clone(),
            data: pins.data.iter().copied().skip(bit).step_by(memory.width).collect(),
            enable: pins.enable.iter().copied().skip(bit).step_by(memory.width).collect(),
            place: pins.place.clone(),
            value: pins.value.iter().copied().skip(bit).step_by(memory.width).collect(),
        },
    };
    (0..memory.width).map(column_of).collect()
}

/// The order in which the ANDs and memory reads of a cycle are evaluated.
fn steps(gates: &Gates, pins: &[Pins]) -> Result<Vec<EvaluationStep>> {
    let mut makers: HashMap<usize, EvaluationStep> =
        gates.ands.iter().enumerate().map(|(at, (v, ..))| (*v, EvaluationStep::And(at))).collect();
    makers.extend(pins.iter().enumerate().flat_map(|(at, p)| p.data.iter().map(move |v| (*v, EvaluationStep::Read(at)))));
    let mut steps = vec![];
    // The state of each AND and read in the depth-first search. 0: not visited; 1: its inputs are
    // being visited; 2: done.
    let (mut ands, mut reads) = (vec![0u8; gates.ands.len()], vec![0u8; pins.len()]);
    let nodes = (0..gates.ands.len()).map(EvaluationStep::And).chain((0..pins.len()).map(EvaluationStep::Read));
    for root in nodes {
        let mut open_nodes = vec![root];
        while let Some(node) = open_nodes.last().copied() {
            let (state, needs) = match node {
                EvaluationStep::And(at) => (&mut ands[at], vec![gates.ands[at].1, gates.ands[at].2]),
                EvaluationStep::Read(at) => (&mut reads[at], pins[at].address.clone()),
            };
            let before = *state;
            *state = (before + 1).min(2);
            match before {
                0 => {
                    for need in needs {
                        let Some(maker) = makers.get(&(need as usize / 2)).copied() else { continue };
                        let state = match maker {
                            EvaluationStep::And(at) => ands[at],
                            EvaluationStep::Read(at) => reads[at],
                        };
                        ensure!(state != 1, "the circuit has a combinational loop");
                        if state == 0 {
                            open_nodes.push(maker);
                        }
                    }
                }
                1 => {
                    steps.push(node);
                    open_nodes.pop();
                }
                _ => {
                    open_nodes.pop();
                }
            }
        }
    }
    Ok(steps)
}
