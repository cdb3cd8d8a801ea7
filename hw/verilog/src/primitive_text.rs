// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text of an instance of a primitive in the module that contains it.

use super::builder::{Builder, Child};
use super::ir::NetId;
use super::primitive::{joined, Instance};

impl Builder<'_> {
    /// The text of a child that is a primitive, and its connections. An output that nothing reads is left open.
    pub(super) fn primitive(
        &mut self,
        child: usize,
        printed: &Child,
        instance: &Instance,
        wires: &mut Vec<NetId>,
    ) -> (String, Vec<(String, String)>) {
        let inner = &self.tree.modules[child];
        let name = self.instance_name(child);
        let mut pins = vec![];
        for port in &instance.ports {
            let first = port.nets.first().and_then(|net| self.scope.net(&format!("{}${net}", inner.instance)));
            let structure = first.and_then(|net| self.field_of.get(&net)).map(|(at, _)| *at).filter(|_| port.is_structure);
            if let Some(at) = structure {
                let value = if self.is_open(at) { String::new() } else { self.structure_pin(at, wires) };
                pins.push((port.name.clone(), value));
                continue;
            }
            let nets = port.nets.iter().rev().filter_map(|net| self.scope.net(&format!("{}${net}", inner.instance)));
            let nets: Vec<NetId> = nets.collect();
            let is_open = !port.is_input && nets.iter().all(|&net| self.named[net] == 0);
            let values = nets.into_iter().map(|net| match port.is_input {
                true => self.connection(net, wires),
                false => {
                    if !is_open && !self.aliased.contains(&net) {
                        wires.push(net);
                    }
                    self.text.net_names[net].clone()
                }
            });
            let values: Vec<String> = values.collect();
            let value = match port.is_input {
                _ if is_open => String::new(),
                true if values.is_empty() => "1'b0".to_string(),
                _ => joined(values),
            };
            pins.push((port.name.clone(), value));
        }
        (instance.head(printed.module_name, &name), pins)
    }
}
