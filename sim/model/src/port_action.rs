// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a walk over the ports of a unit does at each port: it lists the port, or moves the values of a cycle.

use super::port_value::Value;
use super::sizes::mask;
use bcu_isa::ports::{Channel, Dir, Port, When};
use std::slice::{Iter, IterMut};

/// What a walk does at each port. The walk is compiled for each action, because a cycle visits every port.
pub trait PortAction {
    /// Visits a port; `port` describes it, apart from its direction, its width and the names of its values.
    fn port<V: Value>(&mut self, dir: Dir, port: impl FnOnce() -> Port, value: &mut V, width: usize);

    /// Sets the prefix of the names of the next ports.
    fn set_prefix(&mut self, _: impl FnOnce() -> String) {}
}

/// Adds every port to a list.
#[derive(Default)]
pub(super) struct List {
    pub(super) ports: Vec<Port>,
    prefix: String,
}

impl PortAction for List {
    fn port<V: Value>(&mut self, dir: Dir, port: impl FnOnce() -> Port, _: &mut V, width: usize) {
        let values = V::NAMES.iter().map(ToString::to_string).collect();
        self.ports.push(Port { dir, width, values, ..under(&self.prefix, port()) });
    }

    fn set_prefix(&mut self, prefix: impl FnOnce() -> String) {
        self.prefix = prefix();
    }
}

/// Reads the inputs and writes the outputs of a cycle, in port order: a missing input reads as 0, and an output beyond the end is dropped.
pub(super) struct Cycle<'a> {
    pub(super) inputs: Iter<'a, u64>,
    pub(super) outputs: IterMut<'a, u64>,
}

impl PortAction for Cycle<'_> {
    #[inline]
    fn port<V: Value>(&mut self, dir: Dir, _: impl FnOnce() -> Port, value: &mut V, width: usize) {
        match dir {
            Dir::In => value.set(self.inputs.next().copied().unwrap_or(0) & mask(width)),
            Dir::Out => self.outputs.next().into_iter().for_each(|place| *place = value.get()),
        }
    }
}

/// The port with this prefix before its name, and before the names of its channel and of its conditions.
fn under(prefix: &str, port: Port) -> Port {
    let name = |name: &str| format!("{prefix}{name}");
    Port {
        name: name(&port.name),
        channel: port.channel.map(|channel| Channel { name: name(&channel.name), ..channel }),
        when: port.when.into_iter().map(|when| When { port: name(&when.port), ..when }).collect(),
        ..port
    }
}
