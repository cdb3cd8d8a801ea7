// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Flattens the values of all modules into one list: names are resolved through the hierarchy, and equal gates are merged.

use super::gates::{Access, Function, Gate, Memory, Netlist, Output, Port, Register, Wire};
use super::leaf::{leaf, select, Leaf};
use crate::collect::{collect, Tree};
use crate::ir::{self, mask, NetId, Node, Value};
use crate::names::mangle;
use crate::print_error::PrintError;
use crate::scope::{Role, Scope};
use crate::{fault, walk, Fault, FaultError};
use rust_hdl::prelude::{AtomKind, Block};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The gates of `block`, on which `connect_all` has been called; or all reasons why it cannot be flattened, as in [`crate::export`]. `top`
/// is the first part of the paths in messages.
pub fn build(block: &dyn Block, top: &str) -> Result<Netlist, Vec<PrintError>> {
    Ok(built(block, top, |_, _| Ok::<_, Vec<_>>(()), |_| Ok(()))?.0)
}

/// As [`build`], with gates for the values of all signals and constants of all blocks. The second result has for each of them, in the order
/// in which a probe visits them, the wires of its plain values, lowest bits first; none for a clock.
pub fn build_with_atoms(block: &dyn Block, top: &str) -> Result<(Netlist, Vec<Vec<Wire>>), Vec<PrintError>> {
    built(block, top, |_, _| Ok(()), |builder| builder.atoms())
}

/// As [`build`], for the block with this fault.
pub fn build_faulty(block: &dyn Block, top: &str, fault: &Fault) -> Result<Netlist, FaultError> {
    Ok(built(block, top, |tree, scopes| fault::apply(fault, tree, scopes), |_| Ok(()))?.0)
}

/// Builds the netlist of the changed block. `add` adds gates that no output needs.
fn built<E: From<Vec<PrintError>>, T>(
    block: &dyn Block,
    top: &str,
    change: impl FnOnce(&Tree, &mut [Scope]) -> Result<(), E>,
    add: impl FnOnce(&mut Builder) -> Result<T, PrintError>,
) -> Result<(Netlist, T), E> {
    let mut tree = collect(block, top);
    tree.modules[0].register = None;
    let mut scopes = walk(&tree)?;
    change(&tree, &mut scopes)?;
    let parents = tree.parents();
    let mut builder = Builder {
        tree: &tree,
        scopes: &scopes,
        parents,
        netlist: Netlist::default(),
        known: HashMap::new(),
        nets: HashMap::new(),
        values: HashMap::new(),
        created: vec![],
        registers: BTreeMap::new(),
        leaves: BTreeMap::new(),
    };
    let added = builder.outputs().and_then(|()| add(&mut builder)).map_err(|error| vec![error])?;
    builder.complete().map_err(|error| vec![error])?;
    Ok((builder.netlist, added))
}

pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) scopes: &'a [Scope<'a>],
    pub(super) parents: Vec<Option<usize>>,
    netlist: Netlist,
    known: HashMap<Gate, Wire>,
    /// Wires of nets, by module and net; `None` while the net is being resolved.
    nets: HashMap<(usize, NetId), Option<Wire>>,
    /// Wires of values, by module and address.
    values: HashMap<(usize, *const ()), Wire>,
    /// Values created here, kept so that their addresses are not reused.
    created: Vec<Value>,
    /// Indexes of registers, by module and field (`$kind`, or empty).
    registers: BTreeMap<(usize, String), usize>,
    /// Indexes and ports of memories, by module. A memory is completed after all registers that are known at that time.
    leaves: BTreeMap<usize, (usize, Leaf)>,
}

impl Builder<'_> {
    /// Builds the gates that the outputs of the top need.
    fn outputs(&mut self) -> Result<(), PrintError> {
        let top = &self.scopes[0];
        for net in top.nets.iter().filter(|net| net.role == Role::Input && net.name != "clock") {
            self.netlist.inputs.push(Port { name: mangle(&net.name), width: net.width });
        }
        for (at, net) in top.nets.iter().enumerate().filter(|(_, net)| net.role == Role::Output) {
            let value = self.net(0, at)?;
            self.netlist.outputs.push(Output { port: Port { name: mangle(&net.name), width: net.width }, value });
        }
        Ok(())
    }

    /// Builds the gates that the inputs of registers and memories need; they may need further registers and memories.
    fn complete(&mut self) -> Result<(), PrintError> {
        let (mut registers, mut memories) = (0, 0);
        while registers < self.registers.len() || memories < self.leaves.len() {
            while let Some((module, field)) = self.registers.iter().find(|(_, &at)| at == registers).map(|(of, _)| of.clone()) {
                let d = self.tree.modules[module].register.as_ref().map(|r| r.d.clone()).unwrap_or_default();
                let next = self.input(module, &(d + &field))?;
                self.netlist.registers[registers].next = next;
                registers += 1;
            }
            while let Some(&module) = self.leaves.iter().find(|(_, (at, _))| *at == memories).map(|(module, _)| module) {
                self.memory(module, memories)?;
                memories += 1;
            }
        }
        Ok(())
    }

    fn memory(&mut self, module: usize, at: usize) -> Result<(), PrintError> {
        let Some((_, Leaf { words, fields, marked, holds_read_word })) = self.leaves.get(&module).cloned() else {
            return Ok(());
        };
        let mut written = vec![];
        for (width, write, _) in &fields {
            written.push((*width, self.input(module, write)?));
        }
        let write = self.input(module, "write")?;
        let access = if marked {
            let ports = fields.iter().filter_map(|(_, write, _)| select(write));
            Access::Marked { write, selects: ports.map(|port| self.input(module, &port)).collect::<Result<_, _>>()? }
        } else {
            let (write_address, read_address) = (self.input(module, "write_address")?, self.input(module, "read_address")?);
            let read = if holds_read_word { Some(self.input(module, "read")?) } else { None };
            Access::Indexed { write, write_address, read, read_address }
        };
        self.netlist.memories[at] = Memory { words, fields: written, access };
        Ok(())
    }

    pub(super) fn complaint(&self, module: usize, signal: &str, reason: &str, help: &str) -> PrintError {
        let block = self.tree.modules[module].path.clone();
        PrintError { block, signal: signal.to_string(), reason: reason.to_string(), help: help.to_string() }
    }

    /// The wire of this gate; an equal gate is reused.
    pub(super) fn gate(&mut self, width: usize, function: Function) -> Wire {
        let gate = Gate { width, function };
        if let Some(&wire) = self.known.get(&gate) {
            return wire;
        }
        let wire = self.netlist.gates.len();
        self.netlist.gates.push(gate.clone());
        self.known.insert(gate, wire);
        wire
    }

    /// The wire that the parent of `module` connects to its input `name`. For the top module it is
    /// an input of the netlist.
    pub(super) fn input(&mut self, module: usize, name: &str) -> Result<Wire, PrintError> {
        let Some(parent) = self.parents[module] else {
            let at = self.netlist.inputs.iter().position(|port| port.name == mangle(name));
            let at = at.ok_or_else(|| self.complaint(module, name, "is the clock, read as a value", "use registers"))?;
            let width = self.netlist.inputs[at].width;
            return Ok(self.gate(width, Function::Input(at)));
        };
        let outside = format!("{}${name}", self.tree.modules[module].instance);
        match self.scopes[parent].net(&outside) {
            Some(net) => self.net(parent, net),
            None => Err(self.complaint(module, name, "it is not connected", "assign it in the parent's `update`")),
        }
    }

    pub(super) fn net(&mut self, module: usize, net: NetId) -> Result<Wire, PrintError> {
        let scopes = self.scopes;
        let known = &scopes[module].nets[net];
        match self.nets.get(&(module, net)) {
            Some(Some(wire)) => return Ok(*wire),
            Some(None) => {
                let help = "put a register into the loop";
                return Err(self.complaint(module, &known.name, "depends on itself without a register between", help));
            }
            None => {}
        }
        self.nets.insert((module, net), None);
        let wire = match known.role {
            Role::Input => self.input(module, &known.name)?,
            Role::Output | Role::Local | Role::ChildInput(_) => match scopes[module].assigned.get(&net) {
                Some(assigned) => self.value(module, &assigned.value)?,
                None => return Err(self.complaint(module, &known.name, "it is not driven", "assign it in `update`")),
            },
            Role::ChildOutput(child) => self.output(child, &known.name, known.width)?,
            Role::Absent => self.gate(known.width, Function::Const(0u8.into())),
        };
        self.nets.insert((module, net), Some(wire));
        Ok(wire)
    }

    /// The value that the child `module` drives on its output `outside`; that name is the output's name in the parent.
    fn output(&mut self, module: usize, outside: &str, width: usize) -> Result<Wire, PrintError> {
        let inner = &self.tree.modules[module];
        let name = outside.strip_prefix(&inner.instance).and_then(|rest| rest.strip_prefix('$')).unwrap_or(outside);
        if let Some(register) = &inner.register {
            let field = name.strip_prefix(&register.q).unwrap_or_default().to_string();
            let low: usize = inner.signals.iter().filter(|s| s.name == register.q).map(|s| s.low(name)).sum();
            let at = *self.registers.entry((module, field)).or_insert_with(|| {
                let initial = (&register.initial >> low) & mask(width);
                self.netlist.registers.push(Register { width, initial, next: 0 });
                self.netlist.registers.len() - 1
            });
            return Ok(self.gate(width, Function::Register(at)));
        }
        if inner.signals.iter().any(|s| s.kind == AtomKind::OutputParameter && s.nets().iter().any(|net| net.name == name)) {
            if let Some(net) = self.scopes[module].net(name).filter(|net| self.scopes[module].assigned.contains_key(net)) {
                return self.net(module, net);
            }
        }
        if !self.leaves.contains_key(&module) {
            let Some(found) = leaf(inner) else {
                return Err(self.complaint(
                    module,
                    name,
                    "only the memories of `prim` may have hand-written text",
                    "use one of these memories",
                ));
            };
            let access = Access::Marked { write: 0, selects: vec![0; found.fields.len()] };
            self.netlist.memories.push(Memory { words: found.words, fields: vec![], access });
            self.leaves.insert(module, (self.netlist.memories.len() - 1, found));
        }
        let Some((memory, found)) = self.leaves.get(&module).cloned() else {
            return Err(self.complaint(module, name, "is not a port of this memory", "read one of its ports"));
        };
        let field = found.fields.iter().position(|(_, _, read)| read == name).unwrap_or_default();
        // The output of a memory with select bits depends on these bits in the same cycle, so the gates of the bits
        // must precede the gate of the output.
        if let Some(port) = select(&found.fields[field].1).filter(|_| found.marked) {
            let wire = self.input(module, &port)?;
            if let Access::Marked { selects, .. } = &mut self.netlist.memories[memory].access {
                selects[field] = wire;
            }
        }
        Ok(self.gate(width, Function::Word { memory, field }))
    }

    fn value(&mut self, module: usize, value: &Value) -> Result<Wire, PrintError> {
        let address = (module, Rc::as_ptr(value).cast::<()>());
        if let Some(&wire) = self.values.get(&address) {
            return Ok(wire);
        }
        let width = value.width;
        let mut wire_of = |v: &Value| self.value(module, v);
        let function = match &value.node {
            Node::Const(number, _) => Function::Const(number.clone()),
            Node::Net(net) => return self.net(module, *net),
            Node::Assigned(_, inner) => return wire_of(inner),
            Node::Not(a) => Function::Not(wire_of(a)?),
            Node::Neg(a) => Function::Neg(wire_of(a)?),
            Node::Reduce(how, a) => Function::Reduce(*how, wire_of(a)?),
            Node::Binary(op, a, b) => Function::Binary(*op, wire_of(a)?, wire_of(b)?),
            Node::Compare(how, signed, a, b) => Function::Compare(*how, *signed, wire_of(a)?, wire_of(b)?),
            Node::Logic(both, a, b) => {
                Function::Binary(if *both { super::Op::And } else { super::Op::Or }, wire_of(a)?, wire_of(b)?)
            }
            Node::Shift(left, a, amount) => Function::Shift(*left, wire_of(a)?, wire_of(amount)?),
            Node::Mux(c, a, b) => Function::Mux(wire_of(c)?, wire_of(a)?, wire_of(b)?),
            Node::Concat(parts) => Function::Concat(parts.iter().map(wire_of).collect::<Result<_, _>>()?),
            Node::Repeat(_, bit) => Function::Repeat(wire_of(bit)?),
            Node::Slice(a, low) => Function::Slice(wire_of(a)?, *low),
            Node::Select(a, at) => Function::Select(wire_of(a)?, wire_of(at)?),
            Node::Write(..) | Node::Marked(..) => {
                let gates = ir::by_gates(value).unwrap_or_else(|| value.clone());
                self.created.push(gates.clone());
                return self.value(module, &gates);
            }
        };
        let wire = self.gate(width, function);
        self.values.insert(address, wire);
        Ok(wire)
    }
}
