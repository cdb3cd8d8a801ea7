// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The external interface of a unit: its ports, and a way to drive and read them that does not depend on the unit's type.
//!
//! The port list is the public interface of the exported Verilog. The list is written once, as the fields of the unit and of its payloads;
//! simulation, traces, the printer's comments, FuseSoC files and `docs/contract/ports.md` derive from this list.

use super::port_value::PortValue;
use crate::payload::{Field, Payload};
use crate::prim::channel::{Sink, Source, StrobeIn, StrobeOut};
use bcu_isa::config::Config;
use bcu_isa::ports::{Channel, Dir, Part, Port, When};
use rust_hdl::prelude::*;

/// A hardware unit whose ports can be driven and read as plain numbers, in the order of [`Unit::ports`].
/// A unit is `Send`, because `rust_hdl::Simulation` requires that of its circuits.
pub trait Unit: Send {
    /// Name without the `bcu_` prefix; the exported module is `bcu_<name>` (or `bcu` for the whole).
    fn name(&self) -> &'static str;
    /// The unit in the configuration `config`, whose sizes must be those of the type.
    fn of_config(config: &Config) -> Self
    where
        Self: Sized;
    /// All ports except the clock, in the order of the port table, in which inputs and outputs are mixed; `reset` is the first input.
    fn ports(&self) -> Vec<Port>;
    /// The rust-hdl block, for printers and probes.
    fn block(&self) -> &dyn Block;
    fn block_mut(&mut self) -> &mut dyn Block;
    fn set_clock(&mut self, level: bool);
    /// Drives every input port, in port order. Bits above a port's width are ignored.
    fn drive(&mut self, inputs: &[u64]);
    /// Reads every output port, in port order.
    fn sample(&self, outputs: &mut [u64]);
}

/// A field of a unit that is a port, an array of ports, or a bundle of ports (a channel or a strobe).
pub trait PortField {
    /// Appends the ports of the field to `out`. For a channel or strobe, `doc` describes the content, and begins the doc of the port
    /// `valid`; if `doc` is empty, [`Payload::SAYS`] is used instead.
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>);
    /// Consumes the values of this field from the front of `inputs`; an output consumes no value.
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>);
    /// Writes the values of this field to the next places of `outputs`; an input takes no place.
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>);
}

/// A port that is meaningful in every cycle and belongs to no channel.
fn plain(name: &str, dir: Dir, group: &'static str, doc: &str, width: usize, kind: &TypeDescriptor) -> Port {
    let values = match &kind.kind {
        TypeKind::Enum(names) => names.iter().map(|n| n.rsplit("::").next().unwrap_or(n).to_string()).collect(),
        _ => vec![],
    };
    Port { name: name.to_string(), dir, width, group, doc: doc.to_string(), values, channel: None, when: vec![] }
}

impl<T: PortValue> PortField for Signal<In, T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        out.push(plain(name, Dir::In, group, doc, T::BITS, &T::descriptor()));
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.next = T::from_words(inputs);
    }
    fn sample(&self, _: &mut std::slice::IterMut<u64>) {}
}

impl<T: PortValue> PortField for Signal<Out, T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        out.push(plain(name, Dir::Out, group, doc, T::BITS, &T::descriptor()));
    }
    fn drive(&mut self, _: &mut std::slice::Iter<u64>) {}
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        self.val().to_words(outputs);
    }
}

impl<P: PortField, const N: usize> PortField for [P; N] {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        for (i, p) in self.iter().enumerate() {
            p.describe(&format!("{name}_{i}"), group, doc, out);
        }
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.iter_mut().for_each(|p| p.drive(inputs));
    }
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        self.iter().for_each(|p| p.sample(outputs));
    }
}

/// Appends the ports of a bundle: `valid` and the payload in the direction `gives`; for a channel also `ready`, in the direction `ready`.
fn bundle<T: Payload>(channel: &str, gives: Dir, ready: Option<Dir>, group: &'static str, doc: &str, out: &mut Vec<Port>) {
    let mut fields = vec![];
    T::describe("", "", None, &mut fields);
    bundle_of(fields, channel, gives, ready, group, if doc.is_empty() { T::SAYS } else { doc }, out);
}

/// The part of `bundle` without type parameters, compiled once instead of once for every payload.
fn bundle_of(
    fields: Vec<Field>,
    channel: &str,
    gives: Dir,
    ready: Option<Dir>,
    group: &'static str,
    doc: &str,
    out: &mut Vec<Port>,
) {
    let bit = Bit::descriptor();
    // A field name that would be a Rust keyword ends in `_`.
    let channel = channel.trim_end_matches('_');
    let member = |part| Some(Channel { name: channel.to_string(), part });
    let valid = format!("{channel}_valid");
    let says = doc.trim_end_matches('.');
    let offered = match ready {
        Some(_) => format!("{says} is offered; `valid` and the payload hold until the transfer."),
        None => {
            format!("One cycle: {}{}.", says.get(..1).unwrap_or_default().to_lowercase(), says.get(1..).unwrap_or_default())
        }
    };
    out.push(Port { channel: member(Part::Valid), ..plain(&valid, gives, group, &offered, 1, &bit) });
    if let Some(dir) = ready {
        let taken = "A valid offer is transferred at the end of this cycle.";
        out.push(Port { channel: member(Part::Ready), ..plain(&format!("{channel}_ready"), dir, group, taken, 1, &bit) });
    }
    for Field { name, doc, descriptor, width, when } in fields {
        let entry = |(field, values): (&str, Vec<u64>)| When { port: format!("{channel}_{field}"), values };
        let in_transfer = When { port: valid.clone(), values: vec![1] };
        let conditions = match when {
            Some(fields) => std::iter::once(in_transfer).chain(fields.into_iter().map(entry)).collect(),
            None => vec![],
        };
        let port = plain(&format!("{channel}_{name}"), gives, group, doc, width, &descriptor);
        out.push(Port { channel: member(Part::Payload), when: conditions, ..port });
    }
}

impl<T: Payload> PortField for Source<T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        bundle::<T>(name, Dir::Out, Some(Dir::In), group, doc, out);
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.ready.drive(inputs);
    }
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        self.valid.sample(outputs);
        self.payload.val().to_words(outputs);
    }
}

impl<T: Payload> PortField for Sink<T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        bundle::<T>(name, Dir::In, Some(Dir::Out), group, doc, out);
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.valid.drive(inputs);
        self.payload.next = T::from_words(inputs);
    }
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        self.ready.sample(outputs);
    }
}

impl<T: Payload> PortField for StrobeOut<T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        bundle::<T>(name, Dir::Out, None, group, doc, out);
    }
    fn drive(&mut self, _: &mut std::slice::Iter<u64>) {}
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        self.valid.sample(outputs);
        self.payload.val().to_words(outputs);
    }
}

impl<T: Payload> PortField for StrobeIn<T> {
    fn describe(&self, name: &str, group: &'static str, doc: &str, out: &mut Vec<Port>) {
        bundle::<T>(name, Dir::In, None, group, doc, out);
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.valid.drive(inputs);
        self.payload.next = T::from_words(inputs);
    }
    fn sample(&self, _: &mut std::slice::IterMut<u64>) {}
}
