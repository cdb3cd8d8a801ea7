// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block as a tree of modules: every signal, every child, and the statement tree of every `update`.
//!
//! rust-hdl passes a block to a `Probe`; this file has the only probe over whole blocks. The probe performs no checks.

use super::outline::Outline;
use super::primitive::Primitive;
use super::signal::{is_clock, leaves, variants_of, width_of, Signal, Variants};
use crate::marks::{ABSENT, BLOCK, DOC, PRIMITIVE, RESETS};
use num_bigint::BigUint;
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// A flip-flop leaf: it becomes a `reg` of its parent instead of a module.
#[derive(Clone, Debug)]
pub struct Register {
    pub clock: String,
    pub d: String,
    pub q: String,
    /// Value at power-up.
    pub initial: BigUint,
}

/// One instance of a block.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the instance in its parent, array elements as `entries$3`.
    pub instance: String,
    /// Path from the top, for messages: `bcu_named.entries[3]`.
    pub path: String,
    pub signals: Vec<Signal>,
    /// Indexes into [`Tree::modules`].
    pub children: Vec<usize>,
    pub code: Verilog,
    pub register: Option<Register>,
    /// The name of the module's Rust type; `None` if the type does not have the attribute `#[block]`. The attribute connects clock and
    /// reset to all parts and lets registers hold their value, so `update` need not have statements for this.
    pub block: Option<String>,
    /// The parameterised module that the block is, if it is one.
    pub primitive: Option<Primitive>,
    /// Names of registers, and of arrays of registers, that are 0 after reset although `update` has no statement for it.
    pub resets: Vec<String>,
    /// The doc comments by the name of their field; the doc comment of the block has an empty name. Each paragraph is one line.
    pub docs: BTreeMap<String, String>,
    /// Ports of this module that are not built.
    pub absent_ports: Vec<Signal>,
    /// Ports of parts that are not built, under their names in this module.
    pub absent_parts: Vec<Signal>,
    /// Values and widths of each `Type$Variant` in the types of this module's ports and locals and of its children's ports.
    pub variants: Variants,
}

/// A signal or constant as the probe visits it.
#[derive(Clone, Debug)]
pub struct VisitedAtom {
    /// Index into [`Tree::modules`].
    pub module: usize,
    /// Index into [`Module::signals`].
    pub signal: usize,
    /// Widths of the plain values in the atom, lowest bits first; empty for a clock.
    pub widths: Vec<usize>,
}

/// All instances; the first is the top.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    /// All signals and constants of all modules, in the order in which a probe visits them.
    pub atoms: Vec<VisitedAtom>,
    stack: Vec<usize>,
    namespaces: Vec<Vec<String>>,
}

impl Tree {
    /// For each module, the index of its parent.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.modules.len()];
        for (at, module) in self.modules.iter().enumerate() {
            module.children.iter().for_each(|&child| parents[child] = Some(at));
        }
        parents
    }
}

impl Tree {
    /// The module `at` and all modules inside it, as a tree. Modules are in the order of visits, so these are adjacent.
    pub fn part(&self, at: usize) -> Tree {
        let mut end = at + 1;
        let mut modules = vec![];
        while modules.len() < end - at {
            let mut module = self.modules[at + modules.len()].clone();
            end += module.children.len();
            module.children.iter_mut().for_each(|child| *child -= at);
            modules.push(module);
        }
        Tree { modules, ..Tree::default() }
    }
}

/// Collects the modules of `block`; `top` is the first part of every path in messages.
pub fn collect(block: &dyn Block, top: &str) -> Tree {
    let mut tree = Tree::default();
    block.accept(top, &mut tree);
    tree
}

/// A rust-hdl name in readable form: `entries$3` as `entries[3]`, `bus$data` as `bus.data`.
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

/// The register of a flip-flop leaf; `None` for another block. Only the leaf's Verilog text contains the power-up value: `q = 8'ha5;`.
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

/// Makes each payload of a hand-written leaf one vector; all other modules have a net for each field.
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
            primitive: None,
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
                let Outline { block_ports, part_ports, .. } = outline;
                module.absent_ports.extend(block_ports);
                module.absent_parts.extend(part_ports);
            } else if let Some(register) = name.strip_prefix(RESETS) {
                module.resets.push(register.to_string());
            } else if let Some(text) = name.strip_prefix(PRIMITIVE) {
                module.primitive = Some(Primitive::parse(text));
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
            let plain_values = if is_clock(&descriptor) { vec![] } else { leaves("", &descriptor) };
            let widths = plain_values.iter().map(|(_, kind)| width_of(kind)).collect();
            let signals = &mut self.modules[id].signals;
            self.atoms.push(VisitedAtom { module: id, signal: signals.len(), widths });
            signals.push(Signal::new(parts.join("$"), atom));
        }
    }
}
