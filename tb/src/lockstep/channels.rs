// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The channels and strobes that a port list declares, and the transfers on them.

use bcu_isa::ports::{Dir, Part, Port};

/// A port, with its index among the ports of its direction.
#[derive(Clone, Debug)]
pub struct Pin {
    pub port: Port,
    pub index: usize,
}

impl Pin {
    /// The value of the port in a cycle with these inputs and outputs.
    pub fn read(&self, inputs: &[u64], outputs: &[u64]) -> u64 {
        match self.port.dir {
            Dir::In => inputs[self.index],
            Dir::Out => outputs[self.index],
        }
    }

    /// The value as text: its name if the port has named values, a decimal number if the port has at most 5 or exactly 12 bits, otherwise
    /// a hexadecimal number.
    pub fn show(&self, value: u64) -> String {
        match self.port.values.get(value as usize) {
            Some(name) => name.clone(),
            None if self.port.width <= 5 || self.port.width == 12 => format!("{value}"),
            None => format!("{value:#x}"),
        }
    }

    fn is(&self, channel: &str, part: Part) -> bool {
        self.port.channel.as_ref().is_some_and(|c| c.name == channel && c.part == part)
    }
}

/// A channel, or a strobe if it has no `ready`.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub valid: Pin,
    pub ready: Option<Pin>,
    /// In port order.
    pub payload: Vec<Pin>,
}

/// The event on a channel in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Idle,
    /// `valid` is 1 and `ready` is 0.
    Waits,
    /// A transfer, or a strobe.
    Passes,
}

impl Channel {
    pub fn event(&self, inputs: &[u64], outputs: &[u64]) -> Event {
        let ready = self.ready.as_ref().is_none_or(|r| r.read(inputs, outputs) == 1);
        match (self.valid.read(inputs, outputs), ready) {
            (0, _) => Event::Idle,
            (_, true) => Event::Passes,
            (_, false) => Event::Waits,
        }
    }

    /// The event as text, such as "op(kind=Sync warp=3)"; " waits" is appended if `ready` is 0. `None` if `valid` is 0.
    pub fn show(&self, inputs: &[u64], outputs: &[u64]) -> Option<String> {
        let waits = match self.event(inputs, outputs) {
            Event::Idle => return None,
            Event::Waits => " waits",
            Event::Passes => "",
        };
        let field = |p: &Pin| {
            let name = p.port.name.strip_prefix(&format!("{}_", self.name)).unwrap_or(&p.port.name);
            format!("{name}={}", p.show(p.read(inputs, outputs)))
        };
        let fields: Vec<String> = self.payload.iter().map(field).collect();
        Some(format!("{}({}){waits}", self.name, fields.join(" ")))
    }
}

/// Every port with its index, in port order.
pub fn pins(ports: &[Port]) -> Vec<Pin> {
    let mut next = [0, 0];
    let place = |port: &Port| {
        let slot = &mut next[(port.dir == Dir::Out) as usize];
        *slot += 1;
        Pin { port: port.clone(), index: *slot - 1 }
    };
    ports.iter().map(place).collect()
}

/// The channels and strobes of a port list, in port order.
pub fn channels(ports: &[Port]) -> Vec<Channel> {
    let pins = pins(ports);
    let channel = |valid: &Pin| {
        let name = valid.port.channel.as_ref().filter(|c| c.part == Part::Valid)?.name.clone();
        let pins_of = |part| pins.iter().filter(|p| p.is(&name, part)).cloned().collect::<Vec<_>>();
        let (ready, payload) = (pins_of(Part::Ready).pop(), pins_of(Part::Payload));
        Some(Channel { name, valid: valid.clone(), ready, payload })
    };
    pins.iter().filter_map(channel).collect()
}

/// The transfers and waiting offers of one cycle in readable form, `reset` included.
pub fn show_cycle(ports: &[Port], inputs: &[u64], outputs: &[u64]) -> String {
    let reset = pins(ports).iter().any(|p| p.port.name == "reset" && p.read(inputs, outputs) == 1);
    let events = channels(ports).into_iter().filter_map(|c| c.show(inputs, outputs));
    let shown: Vec<String> = reset.then(|| "reset".to_string()).into_iter().chain(events).collect();
    if shown.is_empty() {
        "-".to_string()
    } else {
        shown.join(", ")
    }
}
