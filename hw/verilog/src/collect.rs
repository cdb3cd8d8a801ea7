// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block as a tree of modules: every signal, every child, and the statement tree of every `update`.
//!
//! rust-hdl shows a block to a `Probe`; this is the one place that looks through it. Nothing is checked here.

use super::outline::Outline;
use crate::marks::{ABSENT, BLOCK, DOC, RESETS};
use num_bigint::{BigInt, BigUint};
use rust_hdl::core::ast::{Verilog, VerilogLiteral};
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One signal or constant of a module, with the name rust-hdl gives it (`bus$data`, `x$3`).
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    /// Fields of a payload, the lowest bits first; empty for plain values.
    pub fields: Vec<Field>,
    /// Payloads inside it: their names in Rust, and which of the fields they are.
    pub groups: Vec<(String, Range<usize>)>,
    pub kind: AtomKind,
    /// Bits, at least 1 in a printable module.
    pub width: usize,
    pub signed: bool,
    /// Some `connect` claims to drive it.
    pub connected: bool,
    /// Value of a constant; meaningless for signals.
    pub value: BigUint,
}

/// A field of a payload, which is a net of its own.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the net: `op$kind`.
    pub name: String,
    pub width: usize,
    pub signed: bool,
}

impl Signal {
    pub fn new(name: String, atom: &dyn Atom) -> Signal {
        let descriptor = atom.descriptor();
        // A constant is a number, whatever it is made of.
        let fields = if atom.kind() == AtomKind::Constant { vec![] } else { fields_of(&name, &descriptor) };
        Signal {
            name,
            groups: if fields.is_empty() { vec![] } else { groups_of(&descriptor, 0) },
            fields,
            kind: atom.kind(),
            width: atom.bits(),
            signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            connected: atom.connected(),
            value: literal_value(&atom.verilog()).to_biguint().unwrap_or_default(),
        }
    }

    /// The nets that the signal is, the lowest bits first.
    pub fn nets(&self) -> Vec<Field> {
        match self.fields.as_slice() {
            [] => vec![Field { name: self.name.clone(), width: self.width, signed: self.signed }],
            fields => fields.to_vec(),
        }
    }

    /// The lowest bit of the field whose net has this name; 0 for a plain value.
    pub fn low(&self, net: &str) -> usize {
        self.fields.iter().take_while(|field| field.name != net).map(|field| field.width).sum()
    }
}

/// The field of a bundle that is its payload: its name is left out of the names of nets.
const PAYLOAD: &str = "payload";

/// The plain values inside a payload as (name, type), the lowest bits first; a payload inside another gives its own. A plain value is
/// itself. `$` stands between the parts of a name.
pub fn leaves(name: &str, descriptor: &TypeDescriptor) -> Vec<(String, TypeDescriptor)> {
    let TypeKind::Composite(fields) = &descriptor.kind else { return vec![(name.to_string(), descriptor.clone())] };
    let base = name.strip_suffix(PAYLOAD).and_then(|bundle| bundle.strip_suffix('$')).unwrap_or(name);
    let inner = |field: &TypeField| match field.kind.kind {
        TypeKind::Composite(_) => leaves(base, &field.kind),
        _ => vec![(format!("{base}${}", field.fieldname), field.kind.clone())],
    };
    fields.iter().flat_map(|field| inner(field)).collect()
}

/// The payloads inside a payload, with the positions of their fields from `first` on.
fn groups_of(descriptor: &TypeDescriptor, first: usize) -> Vec<(String, Range<usize>)> {
    let TypeKind::Composite(fields) = &descriptor.kind else { return vec![] };
    let (mut at, mut found) = (first, vec![]);
    for field in fields {
        let count = leaves("", &field.kind).len();
        if matches!(field.kind.kind, TypeKind::Composite(_)) {
            found.push((field.fieldname.clone(), at..at + count));
            found.extend(groups_of(&field.kind, at));
        }
        at += count;
    }
    found
}

/// The fields of a payload; none if the type is a plain value.
fn fields_of(name: &str, descriptor: &TypeDescriptor) -> Vec<Field> {
    if !matches!(descriptor.kind, TypeKind::Composite(_)) {
        return vec![];
    }
    let field = |(name, kind): (String, TypeDescriptor)| {
        let (width, signed) = match &kind.kind {
            TypeKind::Bits(width) => (*width, false),
            TypeKind::Signed(width) => (*width, true),
            TypeKind::Enum(names) => (clog2(names.len()), false),
            TypeKind::Composite(_) => (0, false),
        };
        Field { name, width, signed }
    };
    leaves(name, descriptor).into_iter().map(field).collect()
}

/// A flip-flop leaf: it becomes a `reg` of its parent instead of a module.
#[derive(Clone, Debug)]
pub struct Register {
    pub clock: String,
    pub d: String,
    pub q: String,
    /// Value at power-up.
    pub initial: BigUint,
}

/// Values and widths of each `Type$Variant`.
pub type Variants = BTreeMap<String, BTreeSet<(usize, usize)>>;

/// One instance of a block.
#[derive(Debug)]
pub struct Module {
    /// Name of the instance in its parent, array elements as `entries$3`.
    pub instance: String,
    /// Path from the top, for messages: `bcu_named.entries[3]`.
    pub path: String,
    pub signals: Vec<Signal>,
    /// Positions in [`Tree::modules`].
    pub children: Vec<usize>,
    pub code: Verilog,
    pub register: Option<Register>,
    /// The name of its type if it is a `#[block]`: then clock and reset of its parts, and registers that hold, need no statement.
    pub block: Option<String>,
    /// Registers, and arrays of them, that are 0 after reset without a statement.
    pub resets: Vec<String>,
    /// The doc comments of fields, and under an empty name that of the block: a line for each paragraph.
    pub docs: BTreeMap<String, String>,
    /// Own ports that are not built; ports of parts that are not, under the names that they have here.
    pub absent_ports: Vec<Signal>,
    pub absent_parts: Vec<Signal>,
    /// Values and widths each `Type$Variant` has in the types of this module's own ports, locals and children's ports.
    pub variants: Variants,
}

/// All instances; the first is the top.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    stack: Vec<usize>,
    namespaces: Vec<Vec<String>>,
}

impl Tree {
    /// The position of the module that each is a part of.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.modules.len()];
        for (at, module) in self.modules.iter().enumerate() {
            module.children.iter().for_each(|&child| parents[child] = Some(at));
        }
        parents
    }
}

/// Looks through `block`; `top` is the first part of every path in messages.
pub fn collect(block: &dyn Block, top: &str) -> Tree {
    let mut tree = Tree::default();
    block.accept(top, &mut tree);
    tree
}

/// `entries$3` as a reader knows it: `entries[3]`; `bus$data` as `bus.data`.
pub fn readable(name: &str) -> String {
    let mut out = String::new();
    for part in name.split('$') {
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            out.push_str(&format!("[{part}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(part);
        }
    }
    out
}

/// Value of a rust-hdl literal, which it shows only as text: `8'h1f`, `32'h-5`.
pub fn literal_value(literal: &VerilogLiteral) -> BigInt {
    let text = format!("{literal:x}");
    let digits = text.split_once("'h").map_or("0", |(_, d)| d);
    BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default()
}

pub(super) fn variants_of(descriptor: &TypeDescriptor, into: &mut Variants) {
    match &descriptor.kind {
        TypeKind::Enum(names) => {
            for (value, name) in names.iter().enumerate() {
                into.entry(name.replace("::", "$")).or_default().insert((value, clog2(names.len())));
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|f| variants_of(&f.kind, into)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// The power-up value stands only in the leaf's own text: `q = 8'ha5;`.
fn register_of(node: &dyn Block) -> Option<Register> {
    let timing = node.timing();
    let [t] = timing.as_slice() else { return None };
    if !matches!(t.name.as_str(), "dff" | "edge_ff") {
        return None;
    }
    let (d, q) = (t.inputs.first()?.clone(), t.outputs.first()?.clone());
    let Verilog::Custom(text) = node.hdl() else { return None };
    let (_, rest) = text.split_once(&format!("{q} ="))?;
    let (_, rest) = rest.split_once("'h")?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_hexdigit()).collect();
    Some(Register { clock: t.clock.clone(), d, q, initial: BigUint::parse_bytes(digits.as_bytes(), 16)? })
}

/// Hand-written text has one vector for a payload, and all other modules a net for each field.
fn pack(module: &mut Module) {
    if module.register.is_none() && !matches!(module.code, Verilog::Combinatorial(_) | Verilog::Empty) {
        for signal in &mut module.signals {
            signal.fields.clear();
            signal.groups.clear();
        }
    }
}

impl Probe for Tree {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let id = self.modules.len();
        let mut path = readable(name);
        if let Some(&parent) = self.stack.last() {
            self.modules[parent].children.push(id);
            path = format!("{}.{path}", self.modules[parent].path);
        }
        self.modules.push(Module {
            instance: name.to_string(),
            path,
            signals: vec![],
            children: vec![],
            code: node.hdl(),
            register: register_of(node),
            block: None,
            resets: vec![],
            docs: BTreeMap::new(),
            absent_ports: vec![],
            absent_parts: vec![],
            variants: BTreeMap::new(),
        });
        self.stack.push(id);
        self.namespaces.push(vec![]);
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        if let Some(module) = self.stack.pop().and_then(|id| self.modules.get_mut(id)) {
            pack(module);
        }
        self.namespaces.pop();
    }

    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        if let Some(module) = self.stack.last().and_then(|&id| self.modules.get_mut(id)) {
            if let Some(field) = name.strip_prefix(ABSENT) {
                let mut outline = Outline::new(&mut module.variants);
                node.accept(field, &mut outline);
                let Outline { own, of_part, .. } = outline;
                module.absent_ports.extend(own);
                module.absent_parts.extend(of_part);
            } else if let Some(register) = name.strip_prefix(RESETS) {
                module.resets.push(register.to_string());
            } else if let Some((field, text)) = name.strip_prefix(DOC).and_then(|doc| doc.split_once('\n')) {
                module.docs.insert(field.to_string(), text.to_string());
            } else if let Some(type_name) = name.strip_prefix(BLOCK) {
                module.block = Some(type_name.to_string());
            }
        }
        if let Some(names) = self.namespaces.last_mut() {
            names.push(name.to_string());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let mut parts = self.namespaces.last().cloned().unwrap_or_default();
        parts.push(name.to_string());
        let descriptor = atom.descriptor();
        for &id in self.stack.iter().rev().take(2) {
            variants_of(&descriptor, &mut self.modules[id].variants);
        }
        if let Some(&id) = self.stack.last() {
            self.modules[id].signals.push(Signal::new(parts.join("$"), atom));
        }
    }
}
