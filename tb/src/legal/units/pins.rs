// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Access of a legal user to the ports of a unit: inputs that keep their value, channels, strobes, and events with a random pace.

use crate::stimulus::Rng;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Input, NoPort, Output};

/// The inputs of the present cycle.
#[derive(Clone, Debug)]
pub struct Pins {
    pub inputs: Vec<u64>,
}

impl Pins {
    pub fn new(ports: &[Port]) -> Pins {
        Pins { inputs: vec![0; ports.count(Dir::In)] }
    }

    pub fn set(&mut self, input: Input, value: u64) {
        if let Some(place) = self.inputs.get_mut(input.index()) {
            *place = value;
        }
    }
}

/// A channel or strobe into the unit.
#[derive(Clone, Debug)]
pub struct Offer {
    valid: Input,
    ready: Output,
    /// Each payload field, with its maximum value.
    fields: Vec<(Input, u64)>,
    pending: bool,
}

impl Offer {
    /// Creates the offer for the channel `name`. `fields` are the payload fields in the order of the values for [`Offer::put`].
    ///
    /// # Errors
    /// If a port of the channel is missing.
    pub fn new(ports: &[Port], name: &str, fields: &[&str]) -> Result<Offer, NoPort> {
        let ready = ports.output(&format!("{name}_ready"))?;
        Ok(Offer { ready, ..Offer::strobe(ports, name, fields)? })
    }

    /// Creates the offer for the strobe `name`, which is taken in the cycle in which it is driven.
    ///
    /// # Errors
    /// If a port of the strobe is missing.
    pub fn strobe(ports: &[Port], name: &str, fields: &[&str]) -> Result<Offer, NoPort> {
        let place = |field: &&str| {
            let name = format!("{name}_{field}");
            let width = ports.iter().find(|port| port.name == name).map_or(64, |port| port.width);
            ports.input(&name).map(|input| (input, u64::MAX >> 64usize.saturating_sub(width).min(63)))
        };
        let fields = fields.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Offer { valid: ports.input(&format!("{name}_valid"))?, ready: Output::ABSENT, fields, pending: false })
    }

    /// Whether an offer has not been taken yet.
    pub fn is_pending(&self) -> bool {
        self.pending
    }

    /// The values that are driven on the payload fields.
    pub fn driven(&self, pins: &Pins) -> Vec<u64> {
        self.fields.iter().map(|(field, _)| field.read(&pins.inputs)).collect()
    }

    /// Offers `values` from this cycle on; each is truncated to the width of its port.
    pub fn put(&mut self, pins: &mut Pins, values: &[u64]) {
        self.pending = true;
        pins.set(self.valid, 1);
        for ((field, highest), value) in self.fields.iter().zip(values) {
            pins.set(*field, *value & highest);
        }
    }

    /// Begins a cycle: ends an offer that was taken in the previous cycle. Without an offer the payload is don't care and keeps its
    /// last values.
    pub fn begin(&mut self, pins: &mut Pins) {
        if !self.pending {
            pins.set(self.valid, 0);
        }
    }

    /// Whether the offer is taken in this cycle. If so, it is no longer pending.
    pub fn take(&mut self, outputs: &[u64]) -> bool {
        let was_taken = self.pending && (self.ready == Output::ABSENT || self.ready.read(outputs) == 1);
        self.pending &= !was_taken;
        was_taken
    }
}

/// A strobe, or the output side of a channel, with its payload.
#[derive(Clone, Copy, Debug)]
pub struct Shown<const N: usize> {
    valid: Output,
    fields: [Output; N],
}

impl<const N: usize> Shown<N> {
    /// # Errors
    /// If a port of the channel or strobe is missing.
    pub fn new(ports: &[Port], name: &str, fields: [&str; N]) -> Result<Shown<N>, NoPort> {
        let mut places = [Output::ABSENT; N];
        for (place, field) in places.iter_mut().zip(fields) {
            *place = ports.output(&format!("{name}_{field}"))?;
        }
        Ok(Shown { valid: ports.output(&format!("{name}_valid"))?, fields: places })
    }

    /// The payload in this cycle, valid or not.
    pub fn always(&self, outputs: &[u64]) -> [u64; N] {
        self.fields.map(|field| field.read(outputs))
    }

    /// The payload in this cycle, if it is valid.
    pub fn read(&self, outputs: &[u64]) -> Option<[u64; N]> {
        (self.valid.read(outputs) == 1).then(|| self.fields.map(|field| field.read(outputs)))
    }
}

/// A channel out of the unit: its payload, and the `ready` that the user drives.
#[derive(Clone, Copy, Debug)]
pub struct Drain<const N: usize> {
    shown: Shown<N>,
    ready: Input,
}

impl<const N: usize> Drain<N> {
    /// # Errors
    /// If a port of the channel is missing.
    pub fn new(ports: &[Port], name: &str, fields: [&str; N]) -> Result<Drain<N>, NoPort> {
        Ok(Drain { shown: Shown::new(ports, name, fields)?, ready: ports.input(&format!("{name}_ready"))? })
    }

    /// Drives `ready`; returns the payload transferred in this cycle, if any.
    pub fn drive(&self, pins: &mut Pins, outputs: &[u64], ready: bool) -> Option<[u64; N]> {
        pins.set(self.ready, ready.into());
        self.shown.read(outputs).filter(|_| ready)
    }

    /// The payload offered in this cycle, taken or not.
    pub fn offered(&self, outputs: &[u64]) -> Option<[u64; N]> {
        self.shown.read(outputs)
    }
}

/// Bursts and pauses of random lengths. Every pause ends.
#[derive(Clone, Debug)]
pub struct Pace {
    burst: u64,
    pause: u64,
    is_on: bool,
    cycles: u64,
}

impl Pace {
    pub fn draw(rng: &mut Rng) -> Pace {
        let burst = rng.pick(&[1, 1, 2, 5, 30, 300]).unwrap_or(1);
        let pause = rng.pick(&[0, 0, 0, 1, 2, 8, 40]).unwrap_or(0);
        Pace { burst, pause, is_on: true, cycles: 1 }
    }

    /// Whether an event may occur in this cycle.
    pub fn allows_event(&mut self, rng: &mut Rng) -> bool {
        if self.cycles == 0 {
            self.is_on = !self.is_on || self.pause == 0;
            self.cycles = rng.range(1, if self.is_on { self.burst } else { self.pause });
        }
        self.cycles -= 1;
        self.is_on
    }
}
