// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values at the ports of a unit, which are the only input of an oracle, and the code that all
//! oracles share.

use bcu_isa::ports::{Dir, Port};

/// A port of the unit: its direction, and its index among the ports of that direction.
#[derive(Clone, Debug)]
pub struct Pin {
    name: String,
    dir: Dir,
    index: usize,
}

/// The values of all pins in one cycle: the inputs that a legal user drives, and the outputs of the Verilog.
#[derive(Clone, Copy, Debug)]
pub struct Pins<'a> {
    pub inputs: &'a [u64],
    pub outputs: &'a [u64],
}

impl Pin {
    /// # Errors
    /// If the unit has no port of this name.
    pub fn new(ports: &[Port], name: &str) -> Result<Pin, String> {
        let port = ports.iter().find(|port| port.name == name).ok_or_else(|| format!("the unit has no port `{name}`"))?;
        let before = ports.iter().take_while(|other| other.name != name).filter(|other| other.dir == port.dir);
        Ok(Pin { name: name.to_string(), dir: port.dir, index: before.count() })
    }
}

impl Pins<'_> {
    pub fn get(&self, pin: &Pin) -> u64 {
        let values = if pin.dir == Dir::In { self.inputs } else { self.outputs };
        values.get(pin.index).copied().unwrap_or_default()
    }

    pub fn is(&self, pin: &Pin) -> bool {
        self.get(pin) == 1
    }

    /// Whether a channel has a transfer in this cycle.
    pub fn passes(&self, valid: &Pin, ready: &Pin) -> bool {
        self.is(valid) && self.is(ready)
    }

    /// Checks that the pin has the value `expected`.
    ///
    /// # Errors
    /// If the pin has another value.
    pub fn expect(&self, pin: &Pin, expected: u64) -> Result<(), String> {
        match self.get(pin) {
            found if found == expected => Ok(()),
            found => Err(format!("`{}` is {found:#x}; expected {expected:#x}", pin.name)),
        }
    }

    /// Checks a strobe, or the output side of a channel. With `expected`, `valid` must be 1 and the
    /// payload `fields` must have these values; without it, `valid` must be 0.
    ///
    /// # Errors
    /// If a pin has another value.
    pub fn expect_strobe<const N: usize>(
        &self,
        valid: &Pin,
        fields: [&Pin; N],
        expected: Option<[u64; N]>,
    ) -> Result<(), String> {
        self.expect(valid, expected.is_some().into())?;
        let Some(values) = expected else { return Ok(()) };
        fields.iter().zip(values).try_for_each(|(pin, value)| self.expect(pin, value))
    }
}

/// The behaviour of a unit as its page describes it.
pub trait Oracle {
    /// Checks the cycle with number `cycle`. In that cycle `reset` is 0; in an earlier cycle `reset` was 1.
    ///
    /// # Errors
    /// The rule of the page that is broken, and what the Verilog does instead.
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String>;
    /// Restarts the oracle after a cycle in which `reset` is 1.
    fn reset(&mut self);
    /// The number of operations that were transferred so far.
    fn operations(&self) -> u64;
}

/// Defines a struct with a [`Pin`] for each port that it names.
macro_rules! pins {
    ($Name:ident: $($port:ident)*) => {
        pub struct $Name {
            $(pub $port: $crate::oracle::pins::Pin,)*
        }

        impl $Name {
            pub fn new(ports: &[bcu_isa::ports::Port]) -> Result<$Name, String> {
                Ok($Name { $($port: $crate::oracle::pins::Pin::new(ports, stringify!($port))?,)* })
            }
        }
    };
}

pub(super) use pins;

/// The numbers of the bits of `mask` that are 1, lowest first.
pub fn bits(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| mask >> bit & 1 == 1)
}

/// The source that a round-robin arbiter serves after `last`: the next set bit of `mask` above bit
/// `last`, or else the lowest. `None` if `mask` is 0.
pub fn next_in_turn(mask: u64, last: usize) -> Option<usize> {
    let after = bits(mask).find(|bit| *bit > last);
    after.or_else(|| bits(mask).next())
}
