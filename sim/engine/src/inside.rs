// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The waveform of a unit with its internal signals: declared block by block, then sampled in the same order in every cycle.

use bcu_hw::ports::Unit;
use bcu_hw::verilog::{leaves, mangle};
use bcu_machine::trace::text::Text;
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::trace::Wire;
use rust_hdl::core::atom::AtomKind;
use rust_hdl::core::prelude::{Atom, Block, Probe, TypeDescriptor, TypeKind, VCDValue};
use std::io::{self, Write};

/// A VCD file with the ports of a unit and all signals of all blocks inside it.
pub struct UnitVcd<W: Write> {
    pub vcd: Vcd<W>,
    inside: Inside,
}

impl<W: Write> UnitVcd<W> {
    /// Declares the signals of the unit, and the text variables `texts`, each in the scope that it names.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn new(out: W, unit: &dyn Unit, texts: &[Text]) -> io::Result<Self> {
        let declare = |header: &mut vcd::Writer<&mut W>, clock| Inside::declare(header, unit.block(), clock);
        let (vcd, inside) = Vcd::start(out, (unit.name(), &unit.ports()), texts, declare)?;
        Ok(UnitVcd { vcd, inside })
    }

    /// Samples the signals inside the unit. `block` is the block of the unit that was passed to [`UnitVcd::new`]. The call comes before
    /// [`Vcd::cycle`] of the same cycle.
    pub fn capture(&mut self, block: &dyn Block) {
        let inside = &mut self.inside;
        self.vcd.add(|line| inside.capture(block, line));
    }
}

impl<W: Write> From<Vcd<W>> for UnitVcd<W> {
    /// A file with the ports only, without signals inside the unit.
    fn from(vcd: Vcd<W>) -> Self {
        UnitVcd { vcd, inside: Inside::default() }
    }
}

/// The signals in the order in which a probe visits them.
#[derive(Default)]
pub struct Inside {
    slots: Vec<Slot>,
    wires: Vec<Wire>,
    /// Buffer for one value as 64-bit words. It is reused, so a cycle allocates nothing.
    words: Vec<u64>,
}

enum Slot {
    /// A port of the unit, or a clock: [`Vcd`] writes these.
    Skip,
    /// A constant: written once.
    Constant { first: usize },
    /// Wires from `first` on, one per leaf of a struct.
    Wires { first: usize },
}

impl Inside {
    /// Declares everything inside `block` in the open scope, which is the scope of the unit.
    pub fn declare<W: Write>(header: &mut vcd::Writer<W>, block: &dyn Block, clock: vcd::IdCode) -> io::Result<Self> {
        let mut declare = Declare { header, clock, depth: 0, bundles: vec![], inside: Inside::default(), result: Ok(()) };
        block.accept("", &mut declare);
        declare.result?;
        Ok(declare.inside)
    }

    /// Appends to `line` the signals that have changed.
    pub fn capture(&mut self, block: &dyn Block, line: &mut Vec<u8>) {
        block.accept("", &mut Capture { inside: self, at: 0, line });
    }
}

/// The name of a signal as in the exported Verilog, which has `_` where rust-hdl has `$`.
fn plain(name: &str) -> String {
    name.replace('$', "_")
}

struct Declare<'a, W: Write> {
    header: &'a mut vcd::Writer<W>,
    clock: vcd::IdCode,
    depth: usize,
    /// The bundles of ports that enclose the visited signal.
    bundles: Vec<String>,
    inside: Inside,
    result: io::Result<()>,
}

impl<W: Write> Declare<'_, W> {
    fn attempt(&mut self, action: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = action(self);
        }
    }

    fn open(&mut self, name: &str) {
        if self.depth > 0 {
            self.attempt(|s| s.header.add_module(&plain(name)));
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        if self.depth > 0 {
            self.attempt(|s| s.header.upscope());
        }
    }

    /// Declares a wire for each field of a payload, under its Verilog name.
    fn wires(&mut self, name: &str, kind: &TypeDescriptor) -> io::Result<()> {
        for (name, kind) in leaves(name, kind) {
            let (width, names) = match &kind.kind {
                TypeKind::Enum(names) => {
                    let names: Vec<_> = names.iter().map(|n| n.rsplit("::").next().unwrap_or(n).to_string()).collect();
                    ((names.len().max(2) - 1).ilog2() as usize + 1, names)
                }
                TypeKind::Bits(width) | TypeKind::Signed(width) => (*width, vec![]),
                TypeKind::Composite(_) => continue,
            };
            let wire = Wire::declare(self.header, &mangle(&name), width, &names)?;
            self.inside.wires.push(wire);
        }
        Ok(())
    }
}

impl<W: Write> Probe for Declare<'_, W> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.open(name);
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.bundles.push(name.to_string());
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let parts: Vec<&str> = self.bundles.iter().map(String::as_str).chain([name]).collect();
        let name = &parts.join("$");
        let first = self.inside.wires.len();
        let descriptor = signal.descriptor();
        let slot = if self.depth == 1 && signal.kind().is_parameter() {
            Slot::Skip
        } else if descriptor.name == "clock" {
            let clock = self.clock;
            self.attempt(|s| s.header.var_def(vcd::VarType::Wire, 1, clock, &plain(name), None));
            Slot::Skip
        } else {
            self.attempt(|s| s.wires(name, &descriptor));
            match signal.kind() {
                AtomKind::Constant => Slot::Constant { first },
                _ => Slot::Wires { first },
            }
        };
        self.inside.slots.push(slot);
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.bundles.pop();
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.close();
    }
}

struct Capture<'a> {
    inside: &'a mut Inside,
    at: usize,
    line: &'a mut Vec<u8>,
}

impl Probe for Capture<'_> {
    fn visit_atom(&mut self, _: &str, signal: &dyn Atom) {
        let at = self.at;
        self.at += 1;
        match self.inside.slots.get(at) {
            Some(&Slot::Wires { first }) => {
                self.inside.put(first, &signal.vcd(), self.line);
            }
            Some(&Slot::Constant { first }) => {
                self.inside.put(first, &signal.vcd(), self.line);
                self.inside.slots[at] = Slot::Skip;
            }
            Some(Slot::Skip) | None => {}
        }
    }
}

impl Inside {
    /// Writes the leaves of a value to the wires from `at` on; returns the number of the next wire.
    fn put(&mut self, at: usize, value: &VCDValue, line: &mut Vec<u8>) -> usize {
        if let VCDValue::Composite(fields) = value {
            return fields.iter().fold(at, |at, field| self.put(at, field, line));
        }
        if let Some(wire) = self.wires.get_mut(at) {
            words(value, wire, &mut self.words);
            wire.put(line, &self.words);
        }
        at + 1
    }
}

/// Stores a leaf in `words` as 64-bit words, low word first.
fn words(value: &VCDValue, wire: &Wire, words: &mut Vec<u64>) {
    words.clear();
    match value {
        VCDValue::Single(bit) => words.push((*bit == vcd::Value::V1) as u64),
        VCDValue::Vector(bits) => {
            let word = |chunk: &[vcd::Value]| chunk.iter().fold(0, |word, bit| word << 1 | (*bit == vcd::Value::V1) as u64);
            words.extend(bits.rchunks(64).map(word));
        }
        VCDValue::String(name) => words.push(wire.value_of(name)),
        VCDValue::Composite(_) => {}
    }
}
