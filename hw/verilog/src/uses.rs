// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the text of a module must contain: the nets that are needed, how often each value occurs, and which outputs of children need no
//! separate net.

use super::builder::Builder;
use super::interim_names::BitName;
use super::ir::{self, NetId, Node, Value};
use super::reached::{must_show, register_inputs};
use super::scope::Role;
use super::text::Text;
use super::value::{id, Id};
use std::collections::HashSet;

impl Builder<'_> {
    /// Marks as live the nets that must be in the text and the nets that they read, and counts how often each value occurs. A field of a
    /// payload that nothing reads is not in the text.
    pub(super) fn count_uses(&mut self) {
        let mut open: Vec<NetId> = (0..self.scope.nets.len()).filter(|&net| self.must_be(net)).collect();
        while let Some(net) = open.pop() {
            if self.live.insert(net) {
                if let Some(&root) = self.roots.get(&net) {
                    self.count_operands(root, &mut open);
                }
                open.extend(register_inputs(self.tree, self.scope, net));
            }
        }
    }

    fn must_be(&self, net: NetId) -> bool {
        let known = &self.scope.nets[net];
        match known.role {
            Role::Output => self.ports.is_none_or(|ports| {
                self.is_output_field(net) || ports.outputs.contains(&known.name) && self.scope.constant(net).is_none()
            }),
            Role::ChildInput(child) => self.tree.modules[child].register.is_none() && self.has_port(child, net),
            _ => must_show(self.tree, self.scope, net),
        }
    }

    /// Whether the printed text of a child has the port of this net.
    pub(super) fn has_port(&self, child: usize, net: NetId) -> bool {
        let raw = self.port_of(child, net);
        self.children.get(&child).is_some_and(|printed| printed.text.ports.iter().any(|port| port.has(raw)))
    }

    /// The name, in the child, of the port to which `net` is connected.
    pub(super) fn port_of(&self, child: usize, net: NetId) -> &str {
        self.scope.nets[net].name.get(self.tree.modules[child].instance.len() + 1..).unwrap_or_default()
    }

    fn count(&mut self, value: &Value, open: &mut Vec<NetId>) {
        if let Some(&net) = self.text.owners.get(&id(value)) {
            self.named[net] += 1;
            open.push(net);
            return;
        }
        let uses = self.text.uses.entry(id(value)).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            self.count_operands(value, open);
        }
    }

    fn count_operands(&mut self, value: &Value, open: &mut Vec<NetId>) {
        if let Node::Net(net) = value.node {
            self.named[net] += 1;
            open.push(net);
        }
        let bits = match &value.node {
            Node::Slice(_, low) => Some(ir::mask(value.width) << low),
            _ => None,
        };
        for inner in ir::operands(&value.node) {
            let read = bits.clone().unwrap_or_else(|| ir::mask(inner.width));
            *self.text.used_bits.entry(id(inner)).or_default() |= read;
            self.count(inner, open);
        }
    }

    /// Names the parts of each concatenation that is assigned to a net, by the net and the bits.
    pub(super) fn name_bits(&mut self) {
        let live = || self.roots.iter().filter(|(net, _)| self.live.contains(net));
        for (&net, root) in live() {
            self.text.name_parts(net, root, ir::peel(root));
        }
        let mut done = HashSet::new();
        for (&net, root) in live() {
            self.text.name_bits(net, root, root, &mut done);
        }
    }

    /// Connects an output of a child directly to a signal of this module, if that signal only passes on the value of the output.
    pub(super) fn join_child_outputs(&mut self) {
        for net in self.nets(|net| matches!(net.role, Role::Output | Role::Local)) {
            let Some(&root) = self.roots.get(&net).filter(|_| self.live.contains(&net)) else { continue };
            if self.field_of.contains_key(&net) {
                continue;
            }
            let Node::Net(source) = ir::peel(root).node else { continue };
            let direct = match &root.node {
                Node::Assigned(_, inner) => matches!(inner.node, Node::Net(_)),
                _ => true,
            };
            let Role::ChildOutput(child) = self.scope.nets[source].role else { continue };
            if direct
                && !self.field_of.contains_key(&source)
                && self.tree.modules[child].register.is_none()
                && self.aliased.insert(source)
            {
                self.text.net_names[source] = self.text.net_names[net].clone();
                self.driven_by_child.insert(net);
            }
        }
        for net in self.nets(|net| matches!(net.role, Role::ChildOutput(_))) {
            if self.named[net] == 0 && !self.field_of.contains_key(&net) {
                self.text.net_names[net] = self.text.names.fresh(&format!("{}_unused", self.text.net_names[net]));
            }
        }
    }
}

impl Text<'_> {
    /// Names the parts of the concatenations in `value`, which is in the value `whole` of `net`. Each part is named by the innermost such
    /// value that contains its concatenation.
    fn name_bits(&mut self, net: NetId, whole: &Value, value: &Value, done: &mut HashSet<Id>) {
        if !done.insert(id(value)) {
            return;
        }
        let (net, whole) = match &value.node {
            Node::Assigned(assigned, _) => (*assigned, value),
            _ => (net, whole),
        };
        self.name_parts(net, whole, value);
        for inner in ir::operands(&value.node) {
            self.name_bits(net, whole, inner, done);
        }
    }

    /// If `value` is a concatenation, gives each part a name made of the name of `whole` and the bits of the part. A part that has a name
    /// keeps it.
    fn name_parts(&mut self, net: NetId, whole: &Value, value: &Value) {
        let Node::Concat(parts) = &value.node else { return };
        let is_interim = matches!(whole.node, Node::Assigned(..)) && !self.owners.contains_key(&id(whole));
        let interim = is_interim.then(|| id(whole));
        let mut low = 0;
        for part in parts.iter().rev() {
            let bits = match part.width {
                1 => low.to_string(),
                width => format!("{}_{low}", low + width - 1),
            };
            low += part.width;
            self.bit_names.entry(id(part)).or_insert(BitName { net, interim, bits });
        }
    }
}
