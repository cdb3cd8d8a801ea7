// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds, for each module inside a unit, the outputs that other modules read. An output that no module reads is not a port in the text,
//! and the logic that only this output needs is omitted.
//!
//! Also finds the structures: ports of a payload's type that are one vector in the text. A port is a structure if at least half of its
//! fields that have no constant value, and at least two, are used; its other fields are then in the text too. The fields of any other port
//! are ports of their own.

use super::check;
use super::collect::{Module, Tree};
use super::constant::is_walked;
use super::ir::NetId;
use super::scope::{Role, Scope};
use std::collections::{BTreeSet, HashMap};

/// The nets that a text must contain, over the whole tree.
struct Reach<'a> {
    tree: &'a Tree,
    scopes: &'a [Scope<'a>],
    parents: Vec<Option<usize>>,
    /// For each block type with its ports, the instances of it. An output that is read on one instance is a port of all instances, so that
    /// the text has one module for all of them.
    alike: HashMap<String, Vec<usize>>,
    owners: Vec<HashMap<usize, NetId>>,
    found: Vec<BTreeSet<NetId>>,
    open: Vec<(usize, NetId)>,
    /// For each module, the names of its ports that are structures.
    structures: Vec<BTreeSet<String>>,
}

/// The ports of one module.
#[derive(Default)]
pub struct Ports {
    /// The outputs that are read.
    pub outputs: BTreeSet<String>,
    /// The payloads that are structures.
    pub structures: BTreeSet<String>,
}

/// The ports of each module, with or without structures. Modules that are `complete` keep all their ports, and have no structures.
pub fn ports(tree: &Tree, scopes: &[Scope], with_structures: bool, complete: impl Fn(usize) -> bool) -> Vec<Ports> {
    let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, module) in tree.modules.iter().enumerate() {
        alike.entry(likeness(at, module)).or_default().push(at);
    }
    let found = vec![BTreeSet::new(); tree.modules.len()];
    let owners = scopes.iter().map(check::owners).collect();
    let structures = vec![BTreeSet::new(); tree.modules.len()];
    let mut reach = Reach { tree, scopes, parents: tree.parents(), alike, owners, found, open: vec![], structures };
    for (at, scope) in scopes.iter().enumerate() {
        for (net, known) in scope.nets.iter().enumerate() {
            let start = match known.role {
                Role::Output => complete(at),
                // A hand-written leaf keeps all its inputs, as does a module for which `complete` holds.
                Role::Input => complete(at) || !is_walked(tree, at) && tree.modules[at].register.is_none(),
                _ => must_show(tree, scope, net),
            };
            if start {
                reach.add(at, net);
            }
        }
    }
    loop {
        while let Some((at, net)) = reach.open.pop() {
            reach.follow(at, net);
        }
        for at in 1..tree.modules.len() {
            if with_structures && !complete(at) && is_walked(tree, at) {
                reach.find_structures(at);
            }
        }
        if reach.open.is_empty() {
            break;
        }
    }
    let names = |(at, (nets, structures)): (usize, (&BTreeSet<NetId>, &BTreeSet<String>))| {
        let outputs = nets.iter().map(|&net| &scopes[at].nets[net]).filter(|net| net.role == Role::Output);
        Ports { outputs: outputs.map(|net| net.name.clone()).collect(), structures: structures.clone() }
    };
    reach.found.iter().zip(&reach.structures).enumerate().map(names).collect()
}

/// Whether the net stays in the text although no statement reads it: a signal or register stays, so that lint tools report it as unused, but
/// for a register with a constant value.
pub fn must_show(tree: &Tree, scope: &Scope, net: NetId) -> bool {
    let known = &scope.nets[net];
    let shown = match known.role {
        Role::Local => true,
        Role::ChildOutput(child) => tree.modules[child].register.is_some(),
        _ => false,
    };
    shown && !known.optional && !scope.is_known(net) && !scope.read.contains(&net)
}

/// If the net is the value of a register, or a field of that value: the nets of the register's next value and clock. Else empty.
pub fn register_inputs(tree: &Tree, scope: &Scope, net: NetId) -> Vec<NetId> {
    let Role::ChildOutput(child) = scope.nets[net].role else { return vec![] };
    let module = &tree.modules[child];
    let Some(register) = &module.register else { return vec![] };
    let port = scope.nets[net].name.get(module.instance.len() + 1..).unwrap_or_default();
    let Some(field) = port.strip_prefix(&register.q) else { return vec![] };
    let names = [format!("{}${}{field}", module.instance, register.d), format!("{}${}", module.instance, register.clock)];
    names.iter().filter_map(|name| scope.net(name)).collect()
}

/// A key that is equal for instances that share a module: the type of the block, with the names and widths of its ports. The key of an
/// instance that is not a `#[block]` is unique.
fn likeness(at: usize, module: &Module) -> String {
    match &module.block {
        Some(block) => {
            module.signals.iter().fold(block.clone(), |key, signal| format!("{key} {} {}", signal.name, signal.width))
        }
        None => at.to_string(),
    }
}

impl Reach<'_> {
    fn add(&mut self, at: usize, net: NetId) {
        if self.found[at].insert(net) {
            self.open.push((at, net));
        }
    }

    /// Marks a net as needed, and the nets that its value is computed from.
    fn follow(&mut self, at: usize, net: NetId) {
        let scope = &self.scopes[at];
        let assigned = scope.assigned.get(&net).map(|assigned| check::nets_of(&assigned.value, &self.owners[at]));
        let sources = assigned.into_iter().flatten().chain(register_inputs(self.tree, scope, net));
        sources.collect::<Vec<_>>().into_iter().for_each(|source| self.add(at, source));
        match scope.nets[net].role {
            Role::ChildOutput(child) if self.tree.modules[child].register.is_none() => {
                let port = scope.nets[net].name.get(self.tree.modules[child].instance.len() + 1..).unwrap_or_default();
                let key = likeness(child, &self.tree.modules[child]);
                for twin in self.alike.get(&key).cloned().unwrap_or_default() {
                    self.add_port(twin, port);
                }
            }
            Role::Input => {
                let Some(parent) = self.parents[at] else { return };
                let name = format!("{}${}", self.tree.modules[at].instance, scope.nets[net].name);
                self.add_port(parent, &name);
            }
            _ => {}
        }
    }

    /// Makes structures of the payloads of the module of which enough fields are used, for all instances that share its text.
    fn find_structures(&mut self, at: usize) {
        let scopes = self.scopes;
        for payload in &scopes[at].built_payloads {
            let is_port = matches!(payload.role, Role::Input | Role::Output);
            let scope = &scopes[at];
            let fields = payload.nets.iter().filter(|net| !scope.is_constant_port(**net));
            let count = fields.clone().filter(|net| self.found[at].contains(*net)).count();
            let is_primitive = self.tree.modules[at].primitive.is_some();
            if !is_port
                || is_primitive
                || self.structures[at].contains(&payload.name)
                || count < 2
                || count * 2 < fields.count()
            {
                continue;
            }
            for twin in self.alike.get(&likeness(at, &self.tree.modules[at])).cloned().unwrap_or_default() {
                self.structures[twin].insert(payload.name.clone());
                payload.nets.iter().for_each(|net| self.add_port(twin, &scope.nets[*net].name));
            }
        }
    }

    fn add_port(&mut self, at: usize, name: &str) {
        if let Some(net) = self.scopes[at].net(name) {
            self.add(at, net);
        }
    }
}
