// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instances of a module: their names, comments and connections.

use super::builder::Builder;
use super::docs;
use super::ir::NetId;
use super::scope::Role;

impl Builder<'_> {
    /// The text for an input of a child or register, if the input needs no separate wire.
    pub(super) fn inline(&mut self, net: NetId) -> Option<String> {
        let root = *self.roots.get(&net).filter(|_| self.named[net] == 0)?;
        if self.text.is_simple_root(root) {
            return Some(self.text.right_side(root));
        }
        self.whole_structure(root)
    }

    /// The text of an input of a child: its value, or the name of a wire.
    pub(super) fn connection(&mut self, net: NetId, wires: &mut Vec<NetId>) -> String {
        self.inline(net).unwrap_or_else(|| {
            wires.push(net);
            self.text.net_names[net].clone()
        })
    }

    pub(super) fn instance(&mut self, child: usize, wires: &mut Vec<NetId>) -> Option<String> {
        let printed = self.children.get(&child)?;
        if let Some(instance) = &printed.text.primitive {
            let (head, pins) = self.primitive(child, printed, instance, wires);
            return Some(format!("{}{head} (\n{}\n);", self.child_comment(child), connections(&pins).join("\n")));
        }
        let name = self.instance_name(child);
        let mut pins = vec![];
        for net in self.nets(|net| matches!(net.role, Role::ChildInput(c) | Role::ChildOutput(c) if c == child)) {
            if !self.has_port(child, net) {
                continue;
            }
            if let Some(&(at, field)) = self.field_of.get(&net) {
                if field == 0 {
                    let value = self.structure_pin(at, wires);
                    pins.push((printed.text.port(&self.structures[at].raw).to_string(), value));
                }
                continue;
            }
            let raw = self.port_of(child, net).to_string();
            let value = match self.scope.nets[net].role {
                Role::ChildInput(_) => self.connection(net, wires),
                _ => {
                    if !self.aliased.contains(&net) {
                        wires.push(net);
                    }
                    self.text.net_names[net].clone()
                }
            };
            pins.push((printed.text.port(&raw).to_string(), value));
        }
        let comment = self.child_comment(child);
        Some(format!("{comment}{} {name} (\n{}\n);", printed.module_name, connections(&pins).join("\n")))
    }

    /// The name of the instance of a child; a net may have the name of its field.
    pub(super) fn instance_name(&mut self, child: usize) -> String {
        let field = &self.tree.modules[child].instance;
        self.text.names.fresh_of(&[field.clone(), format!("{field}_block")])
    }

    /// The lines of the doc comment of a child.
    fn child_comment(&mut self, child: usize) -> String {
        let text = self.docs.take(&self.tree.modules[child].instance);
        text.iter().flat_map(|text| docs::lines(text)).map(|line| line + "\n").collect()
    }
}

/// The lines of an instance's connections, each a port with its value.
pub(super) fn connections(pins: &[(String, String)]) -> Vec<String> {
    let comma = |at: usize| if at + 1 == pins.len() { "" } else { "," };
    pins.iter().enumerate().map(|(at, (name, value))| format!("  .{name}({value}){}", comma(at))).collect()
}
