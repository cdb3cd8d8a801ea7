// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of interim values: values that `update` assigns to a net before its last value. The first interim value of `sum` in the text is
//! `sum_interim`, the second `sum_interim2`. A number after `_` is that of a bit or of an element of an array: `sum_3`, `sum_interim2_3`.

use super::builder::Builder;
use super::interim_names::{BitName, Interims};
use super::ir::{NetId, Node, Value};
use super::scope::Role;
use super::text::{plain, Text};
use super::value::{id, Id};

impl Text<'_> {
    /// The name of an `Assigned` node that is an interim value of `net`.
    pub(super) fn interim(&mut self, node: Id, net: NetId) -> String {
        let stem = format!("{}_interim", plain(&self.net_names[net]));
        let Interims { names, counts, .. } = &mut self.interims;
        let name = names.entry(node).or_insert_with(|| {
            let count = counts.entry(net).or_insert(0);
            *count += 1;
            match *count {
                1 => stem,
                count => format!("{stem}{count}"),
            }
        });
        name.clone()
    }

    /// The name of a value that is some bits of a net.
    pub(super) fn bit_name(&mut self, value: &Value) -> Option<String> {
        let BitName { net, interim, bits } = self.bit_names.get(&id(value))?;
        let (net, bits) = (*net, bits.clone());
        let name = match *interim {
            Some(node) => self.interim(node, net),
            None => plain(&self.net_names[net]),
        };
        Some(format!("{name}_{bits}"))
    }
}

impl Builder<'_> {
    /// Gives each interim value that is also all that is assigned to another net, and occurs elsewhere, the name of that net.
    pub(super) fn hold_interims(&mut self) {
        for net in self.nets(|net| matches!(net.role, Role::Local | Role::Output | Role::ChildInput(_))) {
            let Some(Node::Assigned(_, inner)) = self.roots.get(&net).map(|root| &root.node) else { continue };
            let is_interim = matches!(inner.node, Node::Assigned(..)) && self.text.known(inner).is_none();
            if is_interim && self.text.shared(inner) && self.has_wire(net) {
                self.text.interims.held.entry(id(inner)).or_insert_with(|| self.text.net_names[net].clone());
            }
        }
    }

    /// Whether the text has a wire for the value of a net, without a comment.
    fn has_wire(&self, net: NetId) -> bool {
        let has_comment = self.scope.comments.get(&net).is_some_and(|comments| !comments.is_empty());
        if has_comment || !self.live.contains(&net) || self.driven_by_child.contains(&net) || self.renamed.contains(&net) {
            return false;
        }
        match self.scope.nets[net].role {
            Role::Output => self.is_output_field(net),
            Role::ChildInput(child) => self.tree.modules[child].register.is_none() && self.has_port(child, net),
            _ => !self.module.docs.contains_key(self.scope.nets[net].name.split('$').next().unwrap_or_default()),
        }
    }
}
