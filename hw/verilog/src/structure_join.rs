// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which ports are structures, and how structures are connected: directly to other structures, to outputs, or to vectors.

use super::builder::{Builder, Child};
use super::collect::Tree;
use super::ir::{self, NetId, Node};
use super::package::Language;
use super::reached::Ports;
use super::scope::{Payload, Role, Scope};
use super::structure::{paths, Link, Structure};
use std::collections::BTreeMap;

/// The structures of a module and of its children, not yet named.
pub(super) fn structures(
    tree: &Tree,
    scope: &Scope,
    children: &BTreeMap<usize, Child>,
    ports: Option<&Ports>,
    language: &Language,
) -> Vec<Structure> {
    let mut found = vec![];
    for payload in &scope.built_payloads {
        let (raw, nets) = match payload.role {
            Role::Input | Role::Output => {
                let is_structure = ports.is_some_and(|ports| ports.structures.contains(&payload.name));
                let nets = fields(scope, payload, language);
                (Some(payload.name.clone()).filter(|_| is_structure && nets.len() > 1), nets)
            }
            Role::ChildInput(child) | Role::ChildOutput(child) => {
                let inner = |name: &str| name.get(tree.modules[child].instance.len() + 1..).unwrap_or_default().to_string();
                let raw = inner(&payload.name);
                let port = children.get(&child).and_then(|child| child.text.ports.iter().find(|port| port.raw == raw));
                let fields = port.map(|port| port.fields.as_slice()).unwrap_or_default();
                let nets = payload.nets.iter().copied().filter(|&net| fields.contains(&inner(&scope.nets[net].name)));
                (Some(raw).filter(|_| !fields.is_empty()), nets.collect())
            }
            _ => (None, vec![]),
        };
        found.extend(raw.map(|raw| Structure::new(raw, &payload.name, payload.role, &nets, &payload.descriptor, scope)));
    }
    found
}

/// The fields of a structure that is a port of this module: in Verilog-2005 those without a constant value, in SystemVerilog all fields of
/// its type.
fn fields(scope: &Scope, payload: &Payload, language: &Language) -> Vec<NetId> {
    let nets = payload.nets.iter().copied();
    match language.is_system() {
        true => nets.collect(),
        false => nets.filter(|&net| !scope.is_constant_port(net)).collect(),
    }
}

impl Builder<'_> {
    /// The net whose value a net passes on.
    pub(super) fn origin(&self, net: NetId) -> Option<NetId> {
        match ir::peel(self.roots.get(&net)?).node {
            Node::Net(source) => Some(source),
            _ => None,
        }
    }

    /// Whether the net is a field of a structure that is an output of this module.
    pub(super) fn is_output_field(&self, net: NetId) -> bool {
        self.field_of.get(&net).is_some_and(|(at, _)| self.structures[*at].role == Role::Output)
    }

    /// Connects the output structures of children to outputs of this module that only pass on their values.
    pub(super) fn join_structures(&mut self) {
        for output in (0..self.structures.len()).filter(|&at| self.structures[at].role == Role::Output).collect::<Vec<_>>() {
            let nets = self.structures[output].nets.clone();
            let first = nets.iter().find_map(|&net| self.origin(net));
            let Some((source, _)) = first.and_then(|net| self.field_of.get(&net)).copied() else { continue };
            let whole = &self.structures[source];
            let passes =
                |(&net, &field): (&NetId, &NetId)| self.origin(net) == Some(field) || self.scope.passes_constant(field, net);
            let is_whole = whole.nets.len() == nets.len() && nets.iter().zip(&whole.nets).all(passes);
            if !matches!(whole.role, Role::ChildOutput(_)) || whole.link != Link::Vector || !is_whole {
                continue;
            }
            let sources = whole.nets.clone();
            self.structures[source].name = self.structures[output].name.clone();
            self.structures[source].link = Link::Port;
            let paths = paths(&self.structures[output].descriptor);
            for ((&inner, &net), path) in sources.iter().zip(&nets).zip(paths) {
                if self.language.is_system() {
                    self.text.net_names[net] = format!("{}.{path}", self.structures[output].name);
                }
                self.text.net_names[inner] = self.text.net_names[net].clone();
                self.aliased.insert(inner);
                self.driven_by_child.insert(net);
            }
        }
        for at in 0..self.structures.len() {
            if matches!(self.structures[at].role, Role::ChildOutput(_)) && self.structures[at].link == Link::Vector {
                self.join_fields(at);
            }
        }
    }

    /// Names the fields of a child's output structure by the nets of this module that only pass on their values.
    fn join_fields(&mut self, at: usize) {
        let targets: Vec<Option<NetId>> = self.structures[at].nets.iter().map(|&field| self.target(field)).collect();
        let is_output = |net: &Option<NetId>| net.is_some_and(|net| self.scope.nets[net].role == Role::Output);
        let all = targets.iter().all(is_output);
        if !all && self.language.is_system() {
            return;
        }
        if all {
            self.structures[at].link = Link::Fields;
        }
        for (field, target) in self.structures[at].nets.clone().into_iter().zip(targets) {
            if let Some(net) = target {
                self.text.net_names[field] = self.text.net_names[net].clone();
                self.aliased.insert(field);
                self.driven_by_child.insert(net);
                if !all {
                    self.unpacked.insert(net);
                }
            }
        }
    }

    /// The output or signal of this module, outside its structures, that only passes on the value of a net.
    fn target(&self, source: NetId) -> Option<NetId> {
        let passes = |net: &NetId| {
            let direct = matches!(self.scope.nets[*net].role, Role::Output | Role::Local) && !self.field_of.contains_key(net);
            direct && self.live.contains(net) && !self.driven_by_child.contains(net) && self.origin(*net) == Some(source)
        };
        let mut nets: Vec<NetId> = (0..self.scope.nets.len()).filter(passes).collect();
        nets.sort_by_key(|&net| self.scope.nets[net].role != Role::Output);
        nets.first().copied()
    }

    /// Whether an output field is written in the text of its structure, without a net of its own.
    pub(super) fn is_inside(&self, net: NetId) -> bool {
        let simple =
            |net: NetId| self.named[net] == 0 && self.roots.get(&net).is_some_and(|root| self.text.is_simple_root(root));
        self.is_output_field(net) && (self.renamed.contains(&net) || simple(net))
    }

    /// Makes structures of the registers of a payload's type, of which the text has all fields but for those with a constant value. These
    /// fields are then in the text too.
    pub(super) fn own_structures(&mut self) {
        for payload in &self.scope.built_payloads {
            let printed = |net: &NetId| {
                self.live.contains(net) && !self.driven_by_child.contains(net) && !self.field_of.contains_key(net)
            };
            let is_structure = match payload.role {
                Role::ChildOutput(child) => self.tree.modules[child].register.is_some(),
                _ => false,
            };
            let (constant, others): (Vec<NetId>, Vec<NetId>) = payload.nets.iter().partition(|&&net| self.scope.is_known(net));
            if !is_structure || others.len() < 2 || !others.iter().all(printed) {
                continue;
            }
            self.live.extend(constant);
            let mut structure = Structure::new(
                payload.name.clone(),
                &payload.name,
                payload.role,
                &payload.nets,
                &payload.descriptor,
                self.scope,
            );
            let name = match payload.role {
                Role::ChildOutput(child) => {
                    let instance = &self.tree.modules[child].instance;
                    format!("{}_q", instance.strip_suffix("_q").unwrap_or(instance))
                }
                _ => structure.name.clone(),
            };
            structure.name = self.text.names.fresh(&name);
            for (field, (&net, path)) in structure.nets.iter().zip(paths(&structure.descriptor)).enumerate() {
                self.text.net_names[net] = format!("{}.{path}", structure.name);
                self.field_of.insert(net, (self.structures.len(), field));
            }
            self.structures.push(structure);
        }
    }

    /// Gives the text the structures that it may read as vectors.
    pub(super) fn state_vectors(&mut self) {
        for structure in &self.structures {
            let is_read = matches!(structure.role, Role::Input | Role::ChildOutput(_)) && structure.link != Link::Fields;
            let nets = structure.nets.iter().filter(|_| is_read);
            let fields = nets.map(|&net| self.text.net_names[net].clone());
            self.text.vectors.add(&structure.name, fields);
        }
    }
}
