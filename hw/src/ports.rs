// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a unit shows to the outside: its ports, and how to drive and read them without knowing its type.
//!
//! The port list is the public interface of the exported Verilog. It is written once, as the fields of the unit and the
//! [`ports!`](crate::ports!) table beside it; simulation, traces, the printer's comments, FuseSoC files and README come from it.

use rust_hdl::prelude::*;

/// Direction of a port, seen from the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    In,
    Out,
}

/// One port of a unit. The clock is not in the list: every unit has exactly one, named `clock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog, in traces and in every table.
    pub name: String,
    pub dir: Dir,
    /// Bits, 1 to 64.
    pub width: usize,
    /// Heading under which tables and viewers show it, in the order of the data's way.
    pub group: &'static str,
    /// One line: meaning, unit, when it is valid.
    pub doc: &'static str,
    /// Names of the values, indexed by value; empty for a plain number.
    pub values: Vec<String>,
}

/// A hardware unit whose ports can be driven and read as plain numbers, in the order of [`Unit::ports`].
/// It can be passed to another thread, as `rust_hdl::Simulation` demands of its circuits.
pub trait Unit: Send {
    /// Name without the `bcu_` prefix; the exported module is `bcu_<name>` (or `bcu` for the whole).
    fn name(&self) -> &'static str;
    /// All ports but the clock, inputs (`reset` first) and outputs mixed in the order of the port table.
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

/// A value that fits a port: a bit, a bit vector of at most 64 bits, an enum.
pub trait PortValue: Synth {
    fn from_u64(value: u64) -> Self;
    fn to_u64(self) -> u64;
}

impl PortValue for bool {
    fn from_u64(value: u64) -> Self {
        value & 1 != 0
    }
    fn to_u64(self) -> u64 {
        self as u64
    }
}

impl<const N: usize> PortValue for Bits<N> {
    fn from_u64(value: u64) -> Self {
        (if N >= 64 { value } else { value & ((1u64 << N) - 1) }).into()
    }
    fn to_u64(self) -> u64 {
        Bits::to_u64(self)
    }
}

/// A field of a unit that is one port, or an array of ports.
pub trait PortField {
    fn describe(&self, name: &str, group: &'static str, doc: &'static str, out: &mut Vec<Port>);
    /// Takes this field's values from the front of `inputs`; outputs take none.
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>);
    /// Puts this field's values at the front of `outputs`; inputs put none.
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>);
}

fn port<T: Synth>(name: &str, dir: Dir, group: &'static str, doc: &'static str) -> Port {
    let values = match T::descriptor().kind {
        TypeKind::Enum(names) => names.iter().map(|n| n.rsplit("::").next().unwrap_or(n).to_string()).collect(),
        _ => vec![],
    };
    Port { name: name.to_string(), dir, width: T::BITS, group, doc, values }
}

impl<T: PortValue> PortField for Signal<In, T> {
    fn describe(&self, name: &str, group: &'static str, doc: &'static str, out: &mut Vec<Port>) {
        out.push(port::<T>(name, Dir::In, group, doc));
    }
    fn drive(&mut self, inputs: &mut std::slice::Iter<u64>) {
        self.next = T::from_u64(inputs.next().copied().unwrap_or(0));
    }
    fn sample(&self, _: &mut std::slice::IterMut<u64>) {}
}

impl<T: PortValue> PortField for Signal<Out, T> {
    fn describe(&self, name: &str, group: &'static str, doc: &'static str, out: &mut Vec<Port>) {
        out.push(port::<T>(name, Dir::Out, group, doc));
    }
    fn drive(&mut self, _: &mut std::slice::Iter<u64>) {}
    fn sample(&self, outputs: &mut std::slice::IterMut<u64>) {
        if let Some(slot) = outputs.next() {
            *slot = self.val().to_u64();
        }
    }
}

impl<P: PortField, const N: usize> PortField for [P; N] {
    fn describe(&self, name: &str, group: &'static str, doc: &'static str, out: &mut Vec<Port>) {
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

/// Writes the body of `impl Unit`: the unit's name, then `"group" { field: "doc", … }` in port order.
#[macro_export]
macro_rules! ports {
    ($name:literal; $($group:literal { $($field:ident: $doc:literal),* $(,)? })*) => {
        fn name(&self) -> &'static str {
            $name
        }
        fn ports(&self) -> Vec<$crate::ports::Port> {
            let mut list = vec![];
            $($($crate::ports::PortField::describe(&self.$field, stringify!($field), $group, $doc, &mut list);)*)*
            list
        }
        fn block(&self) -> &dyn rust_hdl::prelude::Block {
            self
        }
        fn block_mut(&mut self) -> &mut dyn rust_hdl::prelude::Block {
            self
        }
        fn set_clock(&mut self, level: bool) {
            self.clock.next = level.into();
        }
        fn drive(&mut self, inputs: &[u64]) {
            let mut inputs = inputs.iter();
            $($($crate::ports::PortField::drive(&mut self.$field, &mut inputs);)*)*
        }
        fn sample(&self, outputs: &mut [u64]) {
            let mut outputs = outputs.iter_mut();
            $($($crate::ports::PortField::sample(&self.$field, &mut outputs);)*)*
        }
    };
}
