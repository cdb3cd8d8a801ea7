// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion between the plain numbers of a [`Dut`] and the typed inputs and outputs of a unit.
//!
//! A unit visits its ports once, in the order of its page under `docs/contract/`. The walk determines the action at each port: it adds the
//! port to a list, or in a cycle it reads an input from the port or writes an output to it.

pub use super::port_action::PortAction;
use super::port_action::{Cycle, List};
pub use super::port_value::Value;
use super::sizes::Sizes;
use crate::dut::{Dut, Shown};
use bcu_isa::ports::{Channel, Dir, Part, Port, When};

/// A clocked unit: registers, outputs that depend on the registers alone, and the update at the rising edge.
///
/// Typed inputs hold values that fit their ports.
pub trait Clocked {
    type Inputs: Default;
    type Outputs: Default;

    /// The power-up state: every register and table 0.
    fn new(sizes: Sizes) -> Self;
    /// Visits all ports but the clock, in port order.
    fn ports(inputs: &mut Self::Inputs, outputs: &mut Self::Outputs, at: &mut Walk<impl PortAction>);
    /// The values of the output ports in this cycle.
    fn outputs(&self) -> Self::Outputs;
    /// Writes the values of the output ports in this cycle to `outputs`, whose memory is reused.
    fn write_outputs(&self, outputs: &mut Self::Outputs) {
        *outputs = self.outputs();
    }
    /// Applies the rising edge of a cycle with the inputs of the last cycle, if the unit only counts such a cycle and keeps its outputs.
    /// Returns whether it does.
    fn continue_sleep(&mut self) -> bool {
        false
    }
    /// Applies the rising edge that ends this cycle.
    fn clock(&mut self, inputs: &Self::Inputs);
}

/// A unit with the plain-number interface of a device.
pub struct Model<U: Clocked> {
    unit: U,
    sizes: Sizes,
    ports: Vec<Port>,
    /// The typed ports of a cycle, kept so that no cycle allocates them.
    inputs: U::Inputs,
    outputs: U::Outputs,
    /// The port values of the last cycle.
    last: (Vec<u64>, Vec<u64>),
}

impl<U: Clocked> Model<U> {
    /// The unit in its power-up state.
    pub fn new(sizes: Sizes) -> Model<U> {
        let mut list = Walk { sizes: &sizes, action: List::default() };
        let (mut inputs, mut outputs) = (U::Inputs::default(), U::Outputs::default());
        U::ports(&mut inputs, &mut outputs, &mut list);
        Model { unit: U::new(sizes), sizes, ports: list.action.ports, inputs, outputs, last: (vec![], vec![]) }
    }

    pub fn unit(&self) -> &U {
        &self.unit
    }

    pub fn unit_mut(&mut self) -> &mut U {
        &mut self.unit
    }
}

/// The typed inputs of a unit, from one value per input port, in port order.
pub fn inputs<U: Clocked>(sizes: &Sizes, values: &[u64]) -> U::Inputs {
    let mut read = U::Inputs::default();
    let action = Cycle { inputs: values.iter(), outputs: [].iter_mut() };
    U::ports(&mut read, &mut U::Outputs::default(), &mut Walk { sizes, action });
    read
}

impl<U: Clocked> Dut for Model<U> {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        if inputs == self.last.0 && self.unit.continue_sleep() {
            outputs.copy_from_slice(&self.last.1);
            return;
        }
        self.unit.write_outputs(&mut self.outputs);
        let action = Cycle { inputs: inputs.iter(), outputs: outputs.iter_mut() };
        U::ports(&mut self.inputs, &mut self.outputs, &mut Walk { sizes: &self.sizes, action });
        self.unit.clock(&self.inputs);
        self.last.0.clear();
        self.last.0.extend_from_slice(inputs);
        self.last.1.clear();
        self.last.1.extend_from_slice(outputs);
    }
}

impl<U: Clocked> Shown for Model<U> {
    fn shown(&self, outputs: &mut [u64]) {
        let (mut unread, mut shown) = (U::Inputs::default(), self.unit.outputs());
        let action = Cycle { inputs: [].iter(), outputs: outputs.iter_mut() };
        U::ports(&mut unread, &mut shown, &mut Walk { sizes: &self.sizes, action });
    }

    fn edge(&mut self, values: &[u64]) {
        self.last.0.clear();
        self.unit.clock(&inputs::<U>(&self.sizes, values));
    }
}

/// A walk over the ports of a unit.
pub struct Walk<'a, A> {
    sizes: &'a Sizes,
    action: A,
}

impl<A: PortAction> Walk<'_, A> {
    #[inline]
    pub fn sizes(&self) -> &Sizes {
        self.sizes
    }

    /// Visits the ports of a part; their names get the prefix `part` with a number.
    pub fn under(&mut self, part: &str, number: usize, ports: impl FnOnce(&mut Self)) {
        self.action.set_prefix(|| format!("{part}_{number}_"));
        ports(self);
        self.action.set_prefix(String::new);
    }

    /// Visits an input without a channel.
    #[inline]
    pub fn input<V: Value>(&mut self, name: &str, value: &mut V, width: usize) {
        self.action.port(Dir::In, || alone(name.to_string()), value, width);
    }

    /// Visits an output without a channel.
    #[inline]
    pub fn output<V: Value>(&mut self, name: &str, value: &mut V, width: usize) {
        self.action.port(Dir::Out, || alone(name.to_string()), value, width);
    }

    /// Visits an input that carries one of several named values.
    #[inline]
    pub fn choice<V: Value>(&mut self, name: &str, value: &mut V) {
        self.input(name, value, choice_bits::<V>());
    }

    /// Visits one port for each of `values`; the names end in numbers from 0.
    #[inline]
    pub fn array<V: Value>(&mut self, dir: Dir, name: &str, values: &mut [V], width: usize) {
        for (number, value) in values.iter_mut().enumerate() {
            self.action.port(dir, || alone(format!("{name}_{number}")), value, width);
        }
    }

    /// Visits a channel into the unit: the payload offered on it, and the unit's `ready`.
    #[inline]
    pub fn channel_in<P: Default>(
        &mut self,
        name: &str,
        offer: &mut Option<P>,
        ready: &mut bool,
        visit: impl FnOnce(&mut P, &mut Fields<A>),
    ) {
        let mut valid = false;
        self.bit(Dir::In, name, Part::Valid, &mut valid);
        self.bit(Dir::Out, name, Part::Ready, ready);
        *offer = self.payload_in(name, valid, visit);
    }

    /// Visits a strobe into the unit.
    #[inline]
    pub fn strobe_in<P: Default>(&mut self, name: &str, what: &mut Option<P>, visit: impl FnOnce(&mut P, &mut Fields<A>)) {
        let mut valid = false;
        self.bit(Dir::In, name, Part::Valid, &mut valid);
        *what = self.payload_in(name, valid, visit);
    }

    /// Visits a channel out of the unit.
    #[inline]
    pub fn channel_out<P>(
        &mut self,
        name: &str,
        valid: &mut bool,
        ready: &mut bool,
        payload: &mut P,
        visit: impl FnOnce(&mut P, &mut Fields<A>),
    ) {
        self.bit(Dir::Out, name, Part::Valid, valid);
        self.bit(Dir::In, name, Part::Ready, ready);
        visit(payload, &mut Fields { walk: self, dir: Dir::Out, channel: name });
    }

    /// Visits a strobe out of the unit.
    #[inline]
    pub fn strobe_out<P>(&mut self, name: &str, valid: &mut bool, payload: &mut P, visit: impl FnOnce(&mut P, &mut Fields<A>)) {
        self.bit(Dir::Out, name, Part::Valid, valid);
        visit(payload, &mut Fields { walk: self, dir: Dir::Out, channel: name });
    }

    #[inline]
    fn payload_in<P: Default>(&mut self, name: &str, valid: bool, visit: impl FnOnce(&mut P, &mut Fields<A>)) -> Option<P> {
        let mut payload = P::default();
        visit(&mut payload, &mut Fields { walk: self, dir: Dir::In, channel: name });
        valid.then_some(payload)
    }

    /// Visits the `valid` or `ready` of a channel.
    #[inline]
    fn bit(&mut self, dir: Dir, channel: &str, part: Part, value: &mut bool) {
        let name = if part == Part::Ready { "ready" } else { "valid" };
        self.action.port(dir, || of_channel(channel, name.to_string(), part), value, 1);
    }
}

/// The payload of a channel or strobe, field by field.
pub struct Fields<'a, 'w, A> {
    walk: &'a mut Walk<'w, A>,
    dir: Dir,
    channel: &'a str,
}

impl<A: PortAction> Fields<'_, '_, A> {
    #[inline]
    pub fn sizes(&self) -> &Sizes {
        self.walk.sizes
    }

    #[inline]
    pub fn field<V: Value>(&mut self, name: &str, value: &mut V, width: usize) {
        let channel = self.channel;
        self.walk.action.port(self.dir, || in_transfer(channel, name.to_string()), value, width);
    }

    /// Visits a field that is meaningful also in cycles without `valid`, in which it is 0.
    #[inline]
    pub fn always<V: Value>(&mut self, name: &str, value: &mut V, width: usize) {
        let channel = self.channel;
        self.walk.action.port(self.dir, || of_channel(channel, name.to_string(), Part::Payload), value, width);
    }

    /// Visits the field `warps`, one bit per warp, which is 0 in cycles without `valid`.
    #[inline]
    pub fn warps(&mut self, warps: &mut u64) {
        self.always("warps", warps, self.sizes().warps());
    }

    /// Visits a field that carries one of several named values.
    #[inline]
    pub fn choice<V: Value>(&mut self, name: &str, value: &mut V) {
        self.field(name, value, choice_bits::<V>());
    }

    /// Visits the field `warp`, the number of a warp.
    #[inline]
    pub fn warp(&mut self, warp: &mut u8) {
        self.field("warp", warp, self.walk.sizes.warp_bits());
    }

    /// Visits the field `cta`, the number of a CTA slot.
    #[inline]
    pub fn cta(&mut self, cta: &mut u8) {
        self.field("cta", cta, self.walk.sizes.cta_bits());
    }

    /// Visits one port for each of `values`; the names end in numbers from 0.
    #[inline]
    pub fn array<V: Value>(&mut self, name: &str, values: &mut [V], width: usize) {
        for (number, value) in values.iter_mut().enumerate() {
            let channel = self.channel;
            self.walk.action.port(self.dir, || in_transfer(channel, format!("{name}_{number}")), value, width);
        }
    }
}

/// A port of this name that is meaningful in all cycles; the caller sets its direction, width, values and channel.
fn alone(name: String) -> Port {
    Port { name, dir: Dir::In, width: 0, group: "", doc: String::new(), values: vec![], channel: None, when: vec![] }
}

fn of_channel(channel: &str, name: String, part: Part) -> Port {
    Port { channel: Some(Channel { name: channel.to_string(), part }), ..alone(format!("{channel}_{name}")) }
}

/// A field that is meaningful while its channel's `valid` is 1.
fn in_transfer(channel: &str, name: String) -> Port {
    Port { when: vec![When { port: format!("{channel}_valid"), values: vec![1] }], ..of_channel(channel, name, Part::Payload) }
}

/// The bits that hold every named value.
const fn choice_bits<V: Value>() -> usize {
    V::NAMES.len().next_power_of_two().ilog2() as usize
}
