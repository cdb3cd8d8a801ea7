// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Nets that only pass on the value of another net: the text reads the other net instead.

use super::builder::Builder;
use super::ir::{self, NetId, Node, Value};
use super::scope::Role;
use super::value::id;

impl Builder<'_> {
    /// Gives each net that only passes on another net the name of that net, so that it needs no text of its own.
    pub(super) fn rename(&mut self) {
        for net in self.nets(|net| matches!(net.role, Role::Local | Role::Output | Role::ChildInput(_))) {
            if let Some(source) = self.copied(net) {
                self.text.net_names[net] = self.text.net_names[source].clone();
                self.renamed.insert(net);
            }
        }
    }

    /// The net whose value a net passes on, if the text needs no name for the copy. That net is not a copy itself.
    fn copied(&self, net: NetId) -> Option<NetId> {
        let Some(source) = self.source(net).filter(|_| self.may_lose_its_name(net)) else { return None };
        self.copied(source).or(Some(source))
    }

    /// The net whose value is all that is assigned to a net.
    fn source(&self, net: NetId) -> Option<NetId> {
        let Node::Assigned(_, inner) = &self.roots.get(&net)?.node else { return None };
        let mut value: &Value = inner;
        loop {
            match (self.text.owners.get(&id(value)), &value.node) {
                (Some(&owner), _) => return Some(owner),
                (None, Node::Net(source)) => return Some(*source),
                (None, Node::Assigned(_, inner)) => value = inner,
                _ => return None,
            }
        }
    }

    fn may_lose_its_name(&self, net: NetId) -> bool {
        let known = &self.scope.nets[net];
        let is_element = known.name.split('$').any(|part| part.bytes().all(|b| b.is_ascii_digit()));
        match known.role {
            _ if self.driven_by_child.contains(&net) => false,
            Role::Output => self.is_output_field(net),
            Role::Local if known.optional => true,
            // A signal that nothing reads stays, so that lint tools report it; so do all elements of an array.
            Role::Local => self.named[net] > 0 && !is_element && !self.is_explained(net),
            Role::ChildInput(_) => self.named[net] > 0 && !self.field_of.contains_key(&net),
            _ => false,
        }
    }

    /// The name of the structure of which a value has all fields.
    pub(super) fn whole_structure(&mut self, value: &Value) -> Option<String> {
        let Node::Concat(parts) = &ir::peel(value).node else { return None };
        let name = |part: &Value| match part.node {
            Node::Net(net) => Some(self.text.net_names[net].clone()),
            _ => self.text.known(part),
        };
        let names = parts.iter().map(name).collect::<Option<Vec<_>>>()?;
        match &self.text.vectors.joined(names)[..] {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// Whether the comments of a net have more than one sentence. A single sentence only says what the net is.
    fn is_explained(&self, net: NetId) -> bool {
        let field = self.scope.nets[net].name.split('$').next().unwrap_or_default();
        let comments = self.scope.comments.get(&net).into_iter().flatten().chain(self.module.docs.get(field));
        comments.map(|text| 1 + text.matches(". ").count()).sum::<usize>() > 1
    }
}
