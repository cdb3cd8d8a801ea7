// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Drives the inputs of a unit: pins by name, offers on channels, reset, and sinks that stall.

use super::error::StimulusError;
use super::rng::Rng;
use super::shape::Shape;
use super::swarm::{Duty, Swarm};
use bcu_isa::ports::{Dir, Port, When};
use bcu_model::dut::ByName;

/// The state from which the inputs of each cycle are composed.
pub struct Driver {
    pub rng: Rng,
    pub swarm: Swarm,
    /// One value per input port, in port order; an input that is not driven keeps its value.
    pub inputs: Vec<u64>,
    ports: Vec<Port>,
    warps: u64,
    reset_left: u64,
    started: bool,
    policy_is_set: bool,
}

/// The kind of the cycle that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `reset` is 1 in this cycle.
    Reset,
    /// The first cycle after a reset: the unit's outputs are not valid yet.
    Fresh,
    Run,
}

impl Driver {
    pub fn new(ports: &[Port], seed: u64, unit: &str, shape: Shape) -> Self {
        let mut rng = Rng::new(seed, unit);
        let swarm = Swarm::draw(&mut rng, shape.ids());
        let inputs = vec![0; ports.count(Dir::In)];
        let reset_left = 1 + rng.below(3);
        Driver {
            rng,
            swarm,
            inputs,
            ports: ports.to_vec(),
            warps: shape.warps,
            reset_left,
            started: false,
            policy_is_set: false,
        }
    }

    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Index of an input port among a cycle's inputs.
    pub fn input(&self, name: &str) -> Result<usize, StimulusError> {
        Ok(self.ports.input(name)?.index())
    }

    /// Index of an output port among a cycle's outputs.
    pub fn output(&self, name: &str) -> Result<usize, StimulusError> {
        Ok(self.ports.output(name)?.index())
    }

    /// The offer for a channel into the unit. `fields` are the payload fields, in the order of the values for [`Driver::offer`].
    pub fn channel(&self, name: &str, fields: &[&str]) -> Result<Offer, StimulusError> {
        let ready = Some(self.output(&format!("{name}_ready"))?);
        Ok(Offer { ready, ..self.strobe(name, fields)? })
    }

    /// The offer for a strobe into the unit, with payload fields as for a channel; an offer lasts one cycle.
    pub fn strobe(&self, name: &str, fields: &[&str]) -> Result<Offer, StimulusError> {
        let valid = self.input(&format!("{name}_valid"))?;
        let field = |f: &&str| self.input(&format!("{name}_{f}"));
        let fields = fields.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        Ok(Offer {
            valid,
            ready: None,
            when: fields.iter().map(|field| self.conditions(*field)).collect(),
            fields,
            pending: false,
        })
    }

    /// The condition under which an input is significant: a list of inputs, each with its permitted values.
    fn conditions(&self, field: usize) -> Vec<(usize, Vec<u64>)> {
        let when = self.ports.iter().filter(|p| p.dir == Dir::In).nth(field).map_or(&[][..], |port| &port.when);
        when.iter().filter_map(|When { port, values }| Some((self.input(port).ok()?, values.clone()))).collect()
    }

    /// In seeds with noise, drives random values on the don't-care fields of a channel.
    fn blur(&mut self, channel: &Offer) {
        if !self.swarm.noise {
            return;
        }
        let means = |when: &[(usize, Vec<u64>)]| when.iter().all(|(on, values)| values.contains(&self.inputs[*on]));
        let fields = channel.fields.iter().zip(&channel.when).filter(|(_, when)| !means(when));
        let foreign_fields: Vec<usize> = fields.map(|(field, _)| *field).collect();
        for field in &foreign_fields {
            self.inputs[*field] = self.rng.draw();
        }
        self.cut(&foreign_fields);
    }

    /// A channel out of the unit.
    pub fn sink(&mut self, name: &str) -> Result<Sink, StimulusError> {
        let ready = self.input(&format!("{name}_ready"))?;
        Ok(Sink { ready, duty: Duty::sink(&mut self.rng) })
    }

    /// Begins a cycle: drives `reset`. The run starts with a reset of 1 to 3 cycles. Later resets are rare and have the same length.
    pub fn begin(&mut self, reset: usize) -> Phase {
        let was_reset = self.inputs[reset] == 1;
        if self.reset_left == 0 && self.started && self.rng.below(100_000) < self.swarm.resets {
            self.reset_left = 1 + self.rng.below(3);
        }
        self.started = true;
        self.inputs[reset] = (self.reset_left > 0) as u64;
        match (self.reset_left, was_reset) {
            (0, true) => Phase::Fresh,
            (0, false) => Phase::Run,
            _ => {
                self.reset_left -= 1;
                Phase::Reset
            }
        }
    }

    /// Uses `reset` in the next cycle: the reset of another driver, instead of an independent one.
    pub fn follow(&mut self, reset: bool) {
        self.swarm.resets = 0;
        self.reset_left = u64::from(reset);
    }

    /// Offers an operation on a channel; each value is truncated to the width of its port.
    pub fn offer(&mut self, channel: &mut Offer, values: &[u64]) {
        for (field, value) in channel.fields.iter().zip(values) {
            self.inputs[*field] = *value;
        }
        self.inputs[channel.valid] = 1;
        self.cut(&channel.fields);
        self.blur(channel);
        channel.pending = true;
    }

    /// Offers nothing on a channel.
    pub fn idle(&mut self, channel: &mut Offer) {
        self.inputs[channel.valid] = 0;
        self.blur(channel);
        channel.pending = false;
    }

    /// Drives a channel at random while reset is active, because reset takes precedence.
    pub fn shake(&mut self, channel: &mut Offer) {
        self.idle(channel);
        self.inputs[channel.valid] = self.rng.below(2);
    }

    /// Drives the `ready` of a sink.
    pub fn drain(&mut self, sink: &mut Sink) {
        self.inputs[sink.ready] = sink.duty.allows_event(&mut self.rng) as u64;
    }

    pub fn level(&self, name: &str) -> Result<Level, StimulusError> {
        Ok(Level(self.input(name)?))
    }

    /// Drives the fault policy, which sometimes changes.
    pub fn set_policy(&mut self, policy: &Level) {
        if !self.policy_is_set || self.rng.chance(self.swarm.policy) {
            self.policy_is_set = true;
            self.inputs[policy.0] = self.rng.weighted(&self.swarm.policies).unwrap_or(0);
        }
    }

    /// Limits the random values of `fields` to what their ports can hold: the width, the values of an enumeration, the existing warps.
    fn cut(&mut self, fields: &[usize]) {
        for (at, port) in self.ports.iter().filter(|p| p.dir == Dir::In).enumerate().filter(|(at, _)| fields.contains(at)) {
            self.inputs[at] &= u64::MAX >> (64 - port.width.clamp(1, 64));
            if !port.values.is_empty() {
                self.inputs[at] %= port.values.len() as u64;
            }
            if port.name.ends_with("warp") {
                self.inputs[at] %= self.warps;
            }
        }
    }
}

/// A channel or a strobe into the unit.
#[derive(Clone, Debug)]
pub struct Offer {
    valid: usize,
    ready: Option<usize>,
    fields: Vec<usize>,
    /// The condition under which each field is significant.
    when: Vec<Vec<(usize, Vec<u64>)>>,
    /// An offer was made, and no `ready` has confirmed its transfer yet.
    pending: bool,
}

impl Offer {
    /// Whether the offer of the previous cycle was transferred in that cycle.
    pub fn was_taken(&mut self, outputs: &[u64]) -> bool {
        let was_taken = self.pending && self.ready.is_none_or(|ready| outputs[ready] == 1);
        self.pending &= !was_taken;
        was_taken
    }

    /// Whether a new offer may start.
    pub fn is_free(&self) -> bool {
        !self.pending
    }
}

/// A level input that is driven at random.
pub struct Level(usize);

/// A strobe out of the unit with a warp and a value: the indices of its ports.
pub struct Strobe {
    valid: usize,
    warp: usize,
    value: usize,
}

impl Strobe {
    pub fn new(driver: &Driver, name: &str) -> Result<Self, StimulusError> {
        let [valid, warp, value] = ["valid", "warp", "value"].map(|part| driver.output(&format!("{name}_{part}")));
        Ok(Strobe { valid: valid?, warp: warp?, value: value? })
    }

    /// Warp and value in the previous cycle, if valid.
    pub fn read(&self, outputs: &[u64]) -> Option<(u64, u64)> {
        (outputs[self.valid] == 1).then(|| (outputs[self.warp], outputs[self.value]))
    }
}

/// A channel out of the unit.
pub struct Sink {
    ready: usize,
    duty: Duty,
}
