// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The description of a port, from which the port lists of RTL and model are made.

/// Direction of a port, seen from the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    In,
    Out,
}

/// The role of a port in its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Valid,
    Ready,
    Payload,
}

/// The channel or strobe a port belongs to; a strobe has no port that is [`Part::Ready`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub name: String,
    pub part: Part,
}

/// A condition: the value of another port of the unit is one of the values in this condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    pub port: String,
    pub values: Vec<u64>,
}

/// One port of a unit. The clock is not in the list: every unit has exactly one, named `clock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog, in traces and in every table.
    pub name: String,
    pub dir: Dir,
    /// Width in bits, 1 to 64.
    pub width: usize,
    /// Heading in tables and viewers; groups are in pipeline order.
    pub group: &'static str,
    /// One line: meaning, unit, when it is valid.
    pub doc: String,
    /// Names of the values, indexed by value; empty for a plain number.
    pub values: Vec<String>,
    pub channel: Option<Channel>,
    /// The port is meaningful only in cycles in which all these conditions hold; empty: in every cycle.
    pub when: Vec<When>,
}

/// A channel, or a strobe if it has no `ready`, with its ports in port order.
#[derive(Clone, Debug)]
pub struct Transfer<'a> {
    pub name: &'a str,
    /// Direction of `valid` and payload.
    pub dir: Dir,
    pub valid: &'a Port,
    pub ready: Option<&'a Port>,
    pub payload: Vec<&'a Port>,
}

/// Every channel and strobe of a port list.
pub fn transfers(ports: &[Port]) -> Vec<Transfer<'_>> {
    let of = |name: &str, part| {
        let is = move |c: &Channel| c.name == *name && c.part == part;
        ports.iter().filter(|port| port.channel.as_ref().is_some_and(&is)).collect::<Vec<_>>()
    };
    let mut all = vec![];
    for valid in ports {
        let Some(Channel { name, part: Part::Valid }) = &valid.channel else { continue };
        let (ready, payload) = (of(name, Part::Ready).first().copied(), of(name, Part::Payload));
        all.push(Transfer { name, dir: valid.dir, valid, ready, payload });
    }
    all
}
