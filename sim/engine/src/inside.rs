// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The signals inside a unit in its waveform: declared block by block, and sampled in the same order in every cycle, from the block or from
//! the netlist that was made of it.

use bcu_hw::netlist::gates;
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{is_clock, leaves, mangle, width_of};
use bcu_isa::ports::Port;
use bcu_machine::trace::signals::Signals;
use bcu_machine::trace::text::Text;
use bcu_machine::trace::vcd::Vcd;
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
        let inside = Inside::new(unit.block());
        Ok(UnitVcd { vcd: inside.start(out, (unit.name(), &unit.ports()), texts)?, inside })
    }

    /// Samples the signals inside the unit. `block` is the block of the unit that was passed to [`UnitVcd::new`]. The call comes before
    /// [`Vcd::cycle`] of the same cycle.
    pub fn capture(&mut self, block: &dyn Block) {
        self.inside.capture(block, self.vcd.inside());
    }
}

impl<W: Write> From<Vcd<W>> for UnitVcd<W> {
    /// A file with the ports only, without signals inside the unit.
    fn from(vcd: Vcd<W>) -> Self {
        UnitVcd { vcd, inside: Inside::default() }
    }
}

/// The signals and scopes inside a unit, in the order in which a probe visits them.
#[derive(Default)]
pub struct Inside {
    declarations: Vec<Declaration>,
    /// For each atom, its place among the words of the declared signals.
    slots: Vec<Slot>,
}

enum Declaration {
    Scope(String),
    EndOfScope,
    /// A clock, which has the identifier of the clock of the unit.
    Clock(String),
    Signal {
        name: String,
        width: usize,
        /// The names of the values of an enum.
        names: Vec<String>,
    },
}

#[derive(Clone, Copy)]
enum Slot {
    /// A port of the unit, or a clock: [`Vcd`] writes these.
    Skip,
    /// A constant: sampled once. `first` is the first word of its value.
    Constant { first: usize },
    /// The words of a value from `first` on, a payload leaf by leaf.
    Words { first: usize },
}

impl Inside {
    /// The signals inside the block of a unit.
    pub fn new(block: &dyn Block) -> Self {
        let mut visit = Visit { depth: 0, bundles: vec![], words: 0, inside: Inside::default() };
        block.accept("", &mut visit);
        visit.inside
    }

    /// Starts a VCD file with the ports of the unit and these signals; `unit` is the name and the ports of the unit.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn start<W: Write>(&self, out: W, unit: (&str, &[Port]), texts: &[Text]) -> io::Result<Vcd<W>> {
        Vcd::start(out, unit, texts, |header, clock, signals| {
            self.declarations.iter().try_for_each(|declaration| match declaration {
                Declaration::Scope(name) => header.add_module(name),
                Declaration::EndOfScope => header.upscope(),
                Declaration::Clock(name) => header.var_def(vcd::VarType::Wire, 1, clock, name, None),
                Declaration::Signal { name, width, names } => signals.declare(header, name, *width, names),
            })
        })
    }

    /// Sets `signals`, the signals of the file that was started with this, to the values in the block.
    pub fn capture(&mut self, block: &dyn Block, signals: &mut Signals) {
        block.accept("", &mut Capture { slots: self.slots.iter_mut(), signals });
    }

    /// The wires of the netlist that have the values of the declared signals, in the order of their declaration. `atoms` are the wires of all
    /// atoms of the same block, from [`build_with_atoms`](bcu_hw::netlist::build_with_atoms).
    pub fn wires(&self, atoms: &[Vec<gates::Wire>]) -> Vec<gates::Wire> {
        assert_eq!(self.slots.len(), atoms.len(), "the netlist and the waveform are of the same block");
        let inside = self.slots.iter().zip(atoms).filter(|(slot, _)| !matches!(slot, Slot::Skip));
        inside.flat_map(|(_, wires)| wires).copied().collect()
    }
}

/// The name of a signal as in the exported Verilog, which has `_` where rust-hdl has `$`.
fn plain(name: &str) -> String {
    name.replace('$', "_")
}

struct Visit {
    depth: usize,
    /// The bundles of ports that enclose the visited signal.
    bundles: Vec<String>,
    /// The words of the signals declared so far.
    words: usize,
    inside: Inside,
}

impl Visit {
    fn declare(&mut self, declaration: Declaration) {
        self.inside.declarations.push(declaration);
    }

    /// Declares a signal for each field of a payload, under its Verilog name.
    fn signals(&mut self, name: &str, kind: &TypeDescriptor) {
        for (name, kind) in leaves(name, kind) {
            let names = match &kind.kind {
                TypeKind::Enum(names) => names.iter().map(|n| n.rsplit("::").next().unwrap_or(n).to_string()).collect(),
                _ => vec![],
            };
            let width = width_of(&kind);
            self.words += width.div_ceil(64);
            self.declare(Declaration::Signal { name: mangle(&name), width, names });
        }
    }
}

impl Probe for Visit {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        if self.depth > 0 {
            self.declare(Declaration::Scope(plain(name)));
        }
        self.depth += 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.bundles.push(name.to_string());
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let parts: Vec<&str> = self.bundles.iter().map(String::as_str).chain([name]).collect();
        let (name, first, descriptor) = (parts.join("$"), self.words, signal.descriptor());
        let slot = if self.depth == 1 && signal.kind().is_parameter() {
            Slot::Skip
        } else if is_clock(&descriptor) {
            self.declare(Declaration::Clock(plain(&name)));
            Slot::Skip
        } else {
            self.signals(&name, &descriptor);
            match signal.kind() {
                AtomKind::Constant => Slot::Constant { first },
                _ => Slot::Words { first },
            }
        };
        self.inside.slots.push(slot);
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.bundles.pop();
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
        if self.depth > 0 {
            self.declare(Declaration::EndOfScope);
        }
    }
}

struct Capture<'a> {
    /// The slots of the atoms that are not visited yet.
    slots: std::slice::IterMut<'a, Slot>,
    signals: &'a mut Signals,
}

impl Probe for Capture<'_> {
    fn visit_atom(&mut self, _: &str, signal: &dyn Atom) {
        let Some(slot) = self.slots.next() else { return };
        match *slot {
            Slot::Skip => {}
            Slot::Words { first } => {
                put(self.signals, first, &signal.vcd());
            }
            Slot::Constant { first } => {
                put(self.signals, first, &signal.vcd());
                *slot = Slot::Skip;
            }
        }
    }
}

/// Stores a value from the word `at` on, a payload leaf by leaf, low word first; returns the index of the word after it.
fn put(signals: &mut Signals, at: usize, value: &VCDValue) -> usize {
    let bit = |bit: &vcd::Value| (*bit == vcd::Value::V1) as u64;
    match value {
        VCDValue::Composite(fields) => return fields.iter().fold(at, |at, field| put(signals, at, field)),
        VCDValue::Single(single) => signals.values()[at] = bit(single),
        VCDValue::String(name) => signals.values()[at] = signals.value_of(at, name),
        VCDValue::Vector(bits) => {
            let chunks = bits.rchunks(64);
            let end = at + chunks.len();
            for (word, chunk) in signals.values()[at..end].iter_mut().zip(chunks) {
                *word = chunk.iter().fold(0, |word, digit| word << 1 | bit(digit));
            }
            return end;
        }
    }
    at + 1
}
