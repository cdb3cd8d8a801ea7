// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The meaning of the names in one `update` (nets, constants, enum variants, loop indexes), and the value that each net holds so far.

use super::collect::{readable, Module, Tree};
use super::ir::{self, LabelId, NetId, Node, Value};
use super::names::index_value;
use super::print_error::PrintError;
use super::signal::{Field, Signal};
use num_bigint::BigUint;
use rust_hdl::prelude::{AtomKind, TypeDescriptor};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The kind of a net, as the module that is printed sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    Local,
    /// Input of the child at this index of [`Tree::modules`], driven here.
    ChildInput(usize),
    ChildOutput(usize),
    /// A port that is not built: it reads as 0, and writes to it have no effect.
    Absent,
}

#[derive(Clone, Debug)]
pub struct Net {
    /// Name as rust-hdl writes it: `entries$3$hit`.
    pub name: String,
    pub width: usize,
    pub signed: bool,
    pub role: Role,
    /// The net is a field of a payload, or an output that is not built: the text omits the net if no statement of the module reads it.
    pub optional: bool,
}

impl Net {
    /// Whether the statements of this module must drive the net.
    pub fn driven_here(&self) -> bool {
        matches!(self.role, Role::Output | Role::Local | Role::ChildInput(_))
    }
}

/// A named constant: a `Constant` field or an enum variant.
#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub width: usize,
    pub signed: bool,
    pub value: BigUint,
}

/// A signal of a payload's type.
#[derive(Clone, Debug)]
pub struct Payload {
    /// Name as rust-hdl writes it: `entry$op$payload`.
    pub name: String,
    /// The nets of its fields, lowest bits first.
    pub nets: Vec<NetId>,
    pub role: Role,
    pub descriptor: TypeDescriptor,
}

/// The value of a net at one point of `update`.
#[derive(Clone, Debug)]
pub struct Assigned {
    pub value: Value,
    /// Whether every path up to this point assigns the net.
    pub always: bool,
}

/// The state of a walk through one `update`.
pub struct Scope<'a> {
    pub module: &'a Module,
    pub nets: Vec<Net>,
    pub labels: Vec<Label>,
    pub assigned: BTreeMap<NetId, Assigned>,
    /// Nets that some statement reads.
    pub read: BTreeSet<NetId>,
    /// Inputs, outputs of parts, and registers, that have a constant value in the whole tree.
    known: BTreeMap<NetId, BigUint>,
    /// Comments above an assignment of the net.
    pub comments: BTreeMap<NetId, Vec<String>>,
    pub errors: Vec<PrintError>,
    pub(super) loops: Vec<(String, i64)>,
    pub(super) pending_comments: Vec<String>,
    net_names: HashMap<String, NetId>,
    /// The nets of each payload, lowest bits first, by the payload's name in Rust.
    payloads: HashMap<String, Vec<NetId>>,
    label_names: HashMap<String, LabelId>,
    /// Signals of a payload's type that are built: ports, locals, and ports of children and registers.
    pub built_payloads: Vec<Payload>,
}

impl<'a> Scope<'a> {
    /// The scope before the first statement of `update`: the nets and constants of the module, and the ports of its children.
    pub fn new(tree: &Tree, module: &'a Module) -> Self {
        let mut scope = Scope {
            module,
            nets: vec![],
            labels: vec![],
            assigned: BTreeMap::new(),
            read: BTreeSet::new(),
            known: BTreeMap::new(),
            comments: BTreeMap::new(),
            errors: vec![],
            loops: vec![],
            pending_comments: vec![],
            net_names: HashMap::new(),
            payloads: HashMap::new(),
            label_names: HashMap::new(),
            built_payloads: vec![],
        };
        for signal in &module.signals {
            let role = match signal.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter | AtomKind::OutputPassthrough => Role::Output,
                AtomKind::Constant => {
                    scope.add_label(signal.name.clone(), signal.width, signal.signed, signal.value.clone());
                    continue;
                }
                AtomKind::LocalSignal => Role::Local,
                AtomKind::InOutParameter | AtomKind::StubInputSignal | AtomKind::StubOutputSignal => continue,
            };
            scope.add_signal("", signal, role, false);
        }
        for signal in &module.absent_ports {
            // An absent output is a local net: as in rust-hdl, a read of it returns the value that was assigned.
            let role = if signal.kind == AtomKind::InputParameter { Role::Absent } else { Role::Local };
            scope.add_signal("", signal, role, true);
        }
        for signal in &module.absent_parts {
            scope.add_signal("", signal, Role::Absent, true);
        }
        for &child in &module.children {
            let Some(inner) = tree.modules.get(child) else { continue };
            for signal in &inner.signals {
                let role = match signal.kind {
                    AtomKind::InputParameter => Role::ChildInput(child),
                    AtomKind::OutputParameter | AtomKind::OutputPassthrough => Role::ChildOutput(child),
                    _ => continue,
                };
                scope.add_signal(&format!("{}$", inner.instance), signal, role, false);
            }
            for signal in &inner.absent_ports {
                scope.add_signal(&format!("{}$", inner.instance), signal, Role::Absent, true);
            }
        }
        if module.block.is_some() {
            scope.feed(tree);
        }
        scope
    }

    /// Adds the nets of a signal; `prefix` is the instance whose port the signal is.
    fn add_signal(&mut self, prefix: &str, signal: &Signal, role: Role, absent: bool) {
        let (mut ids, optional) = (vec![], absent || !signal.fields.is_empty());
        for Field { name, width, signed } in signal.nets() {
            ids.push(self.nets.len());
            self.add_net(Net { name: format!("{prefix}{name}"), width, signed, role, optional });
        }
        for (group, fields) in &signal.groups {
            self.payloads.insert(format!("{prefix}{}${group}", signal.name), ids[fields.clone()].to_vec());
        }
        if !signal.fields.is_empty() {
            if !absent {
                let (name, descriptor) = (format!("{prefix}{}", signal.name), signal.descriptor.clone());
                self.built_payloads.push(Payload { name, nets: ids.clone(), role, descriptor });
            }
            self.payloads.insert(format!("{prefix}{}", signal.name), ids);
        }
    }

    /// Adds the implicit drivers of a `#[block]`: clock and reset of its parts, and for each register its present value.
    fn feed(&mut self, tree: &Tree) {
        for &child in &self.module.children {
            let Some(inner) = tree.modules.get(child) else { continue };
            for name in ["clock", "reset"] {
                let ends = (self.net(&format!("{}${name}", inner.instance)), self.net(name));
                if let (Some(inside), Some(outside)) = ends {
                    self.hold(inside, ir::expr(1, Node::Net(outside)));
                }
            }
            let Some(register) = &inner.register else { continue };
            let side = |port: &str| self.leaves(&format!("{}${port}", inner.instance));
            for (d, q) in side(&register.d).into_iter().zip(side(&register.q)) {
                self.hold(d, ir::expr(self.nets[q].width, Node::Net(q)));
            }
        }
    }

    /// Adds the implicit resets of a `#[block]` after all statements: a register with `#[reset]` becomes 0.
    pub fn reset(&mut self, tree: &Tree) {
        let Some(reset) = self.net("reset").filter(|_| !self.module.resets.is_empty()) else { return };
        self.read.insert(reset);
        let reset = ir::expr(1, Node::Net(reset));
        for &child in &self.module.children {
            let Some((inner, register)) = tree.modules.get(child).and_then(|m| Some((m, m.register.as_ref()?))) else {
                continue;
            };
            let name = inner.instance.split_once('$').map_or(inner.instance.as_str(), |(array, _)| array);
            if self.module.resets.iter().any(|r| r == name) {
                for d in self.leaves(&format!("{}${}", inner.instance, register.d)) {
                    let Some(value) = self.assigned.get(&d).map(|assigned| assigned.value.clone()) else { continue };
                    self.hold(d, ir::mux(&reset, &ir::constant(value.width, 0u8), &value));
                }
            }
        }
    }

    /// This scope, in which the inputs of the module, outputs of parts and registers that `known` names have the values in `known`.
    pub fn knowing(mut self, known: &BTreeMap<String, BigUint>) -> Self {
        self.known = known.iter().filter_map(|(name, value)| Some((self.net(name)?, value.clone()))).collect();
        self
    }

    /// Whether the net is an input of the module, an output of a part or a register with a constant value.
    pub fn is_known(&self, net: NetId) -> bool {
        self.known.contains_key(&net)
    }

    /// The constant value of a net, if all paths through the statements assign it that constant.
    pub fn constant(&self, net: NetId) -> Option<&BigUint> {
        ir::as_constant(ir::peel(&self.assigned.get(&net).filter(|assigned| assigned.always)?.value))
    }

    /// Whether the net is an input of the module, or one of its outputs, with a constant value.
    pub fn is_constant_port(&self, net: NetId) -> bool {
        match self.nets[net].role {
            Role::Output => self.constant(net).is_some(),
            _ => self.is_known(net),
        }
    }

    /// Whether `source`, an output of a part or a register, has a constant value, and `target` is equally wide and is assigned this value.
    pub fn passes_constant(&self, source: NetId, target: NetId) -> bool {
        let value = self.known.get(&source);
        value.is_some() && self.constant(target) == value && self.nets[source].width == self.nets[target].width
    }

    /// Gives a net a value before or after all statements.
    pub(super) fn hold(&mut self, net: NetId, value: Value) {
        self.assigned.insert(net, Assigned { value: assigned_value(net, value), always: true });
    }

    /// The nets of a name in Rust, lowest bits first: those of a payload, or a single net; empty for an unknown name.
    pub fn leaves(&self, name: &str) -> Vec<NetId> {
        match self.payloads.get(name) {
            Some(ids) => ids.clone(),
            None => self.net(name).into_iter().collect(),
        }
    }

    fn add_net(&mut self, net: Net) {
        self.net_names.insert(net.name.clone(), self.nets.len());
        self.nets.push(net);
    }

    fn add_label(&mut self, name: String, width: usize, signed: bool, value: BigUint) -> LabelId {
        self.label_names.insert(name.clone(), self.labels.len());
        self.labels.push(Label { name, width, signed, value });
        self.labels.len() - 1
    }

    /// Reports an error, once per signal and reason, because an unrolled loop would repeat it.
    pub fn error(&mut self, signal: &str, reason: impl Into<String>, help: impl Into<String>) {
        let error =
            PrintError { block: self.module.path.clone(), signal: readable(signal), reason: reason.into(), help: help.into() };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub fn net(&self, name: &str) -> Option<NetId> {
        self.net_names.get(name).copied()
    }

    /// The name with its indexes computed: `s[2*i+1]$x` inside a loop becomes `s$7$x`. `None` if an index cannot be computed.
    pub fn resolved(&self, raw: &str) -> Option<String> {
        let mut name = raw.strip_suffix("$next").unwrap_or(raw).to_string();
        while let Some(open) = name.find('[') {
            let close = open + name.get(open..)?.find(']')?;
            let index = index_value(name.get(open + 1..close)?, &self.loops)?;
            name = format!("{}${index}{}", name.get(..open)?, name.get(close + 1..)?);
        }
        Some(self.inner_field(&name).unwrap_or(name))
    }

    /// The net name for a field of a nested payload, or for the nested payload, which rust-hdl writes `op$val()$request$kind` or
    /// `op$next$request$kind`.
    fn inner_field(&self, name: &str) -> Option<String> {
        let (base, path) = name.split_once("$val()$").or_else(|| name.split_once("$next$"))?;
        let field = path.rsplit('$').next()?;
        let of = |id: &NetId| self.nets[*id].name.rsplit('$').next() == Some(field);
        match self.payloads.get(base)?.iter().copied().find(of) {
            Some(id) => Some(self.nets[id].name.clone()),
            None => Some(format!("{base}${field}")).filter(|group| self.payloads.contains_key(group)),
        }
    }

    /// As [`Scope::resolved`], and reports an error if an index cannot be computed.
    pub fn resolve(&mut self, raw: &str) -> Option<String> {
        let name = self.resolved(raw);
        if name.is_none() {
            self.error(
                raw,
                "an index of this name is not known before simulation",
                "index arrays with loop indexes and literals only; select at run time with `for i in 0..N { if n == i.to_bits() { .. } }`",
            );
        }
        name
    }

    /// The constant field or enum variant of this name, if it has exactly one value.
    pub fn label(&mut self, name: &str) -> Option<LabelId> {
        if let Some(&id) = self.label_names.get(name) {
            return Some(id);
        }
        let key = variant_key(name)?;
        if let Some(&id) = self.label_names.get(&key) {
            return Some(id);
        }
        let values = self.module.variants.get(&key)?;
        if values.len() > 1 {
            self.error(name, "two enums of this block give this variant different values", "rename one of the two enums");
        }
        let &(value, width) = values.iter().next()?;
        Some(self.add_label(key, width, false, BigUint::from(value)))
    }

    /// Width and signedness of a name, without reporting errors.
    pub fn shape(&self, raw: &str) -> Option<(usize, bool)> {
        let name = self.resolved(raw)?;
        if let Some(net) = self.net(&name).and_then(|id| self.nets.get(id)) {
            return Some((net.width, net.signed));
        }
        if let Some(ids) = self.payloads.get(&name) {
            return Some((ids.iter().map(|&id| self.nets[id].width).sum(), false));
        }
        if let Some(label) = self.label_names.get(&name).and_then(|&id| self.labels.get(id)) {
            return Some((label.width, label.signed));
        }
        let values = self.module.variants.get(&variant_key(&name)?)?;
        values.iter().next().map(|&(_, width)| (width, false))
    }

    /// The value of a name at the present point of `update`.
    pub fn value_of(&mut self, raw: &str) -> Option<Value> {
        let name = self.resolve(raw)?;
        let leaves = self.leaves(&name);
        if !leaves.is_empty() {
            let values: Vec<Value> = leaves.iter().rev().map(|&id| self.net_value(id)).collect();
            return Some(ir::concat(values));
        }
        if let Some(label) = self.label(&name).and_then(|id| Some((id, self.labels.get(id)?))) {
            let (id, Label { width, value, .. }) = label;
            return Some(ir::expr(*width, Node::Const(value.clone(), Some(id))));
        }
        self.error(
            &name,
            "the block has no signal, constant field or enum variant of this name",
            "use a `Constant` field for a Rust constant, or bind it with a one-trip loop: `for n in N..N + 1 { .. n.to_bits() .. }`",
        );
        None
    }

    /// The value of `width` bits of the payload `raw` from bit `low` on. `None`: the bits are not whole fields.
    pub fn field_value(&mut self, raw: &str, low: usize, width: usize) -> Option<Value> {
        let name = self.resolved(raw)?;
        let leaves = self.leaves_of_bits(&name, low, width)?;
        let values: Vec<Value> = leaves.iter().rev().map(|&id| self.net_value(id)).collect();
        Some(ir::concat(values))
    }

    /// The nets of `width` bits of the payload `name` from bit `low` on, lowest first. `None`: the bits are not whole fields.
    pub fn leaves_of_bits(&self, name: &str, low: usize, width: usize) -> Option<Vec<NetId>> {
        let (mut at, mut found, mut bits) = (0, vec![], 0);
        for &id in self.payloads.get(name)? {
            if at >= low && at < low + width {
                found.push(id);
                bits += self.nets[id].width;
            }
            at += self.nets[id].width;
        }
        (bits == width).then_some(found)
    }

    /// The value of a net at the present point of `update`. A local or output of this module has the value that it was last assigned, any
    /// other net its settled value.
    fn net_value(&mut self, id: NetId) -> Value {
        let Net { name, width, role, .. } = self.nets[id].clone();
        if role == Role::Absent {
            return ir::constant(width, 0u8);
        }
        if let Some(value) = self.known.get(&id) {
            return ir::constant(width, value.clone());
        }
        self.read.insert(id);
        if matches!(role, Role::Output | Role::Local) {
            match self.assigned.get(&id) {
                Some(assigned) if assigned.always => return assigned.value.clone(),
                Some(_) => self.error(
                    &name,
                    "read where only some paths have assigned it",
                    "give it a default at the top of `update`, above every `if` and `match`",
                ),
                None => {
                    self.error(&name, "read before it is assigned", "move its assignment above the statement that reads it")
                }
            }
        }
        ir::expr(width, Node::Net(id))
    }
}

/// The key of a variant: `ma$State$Busy` becomes `State$Busy`, because a type does not record its path.
fn variant_key(name: &str) -> Option<String> {
    let mut parts = name.rsplit('$');
    let (variant, type_name) = (parts.next()?, parts.next()?);
    Some(format!("{type_name}${variant}"))
}

/// `value` in an `Assigned` node that names the net `net`, so that the text can use the net's name. A literal is returned unchanged.
pub(super) fn assigned_value(net: NetId, value: Value) -> Value {
    match &value.node {
        Node::Const(..) => value,
        _ => ir::expr(value.width, Node::Assigned(net, value)),
    }
}
