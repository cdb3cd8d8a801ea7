// SPDX-License-Identifier: Apache-2.0 OR MIT
//! In which cycles an output means something: what is compared. `valid`, `ready` and whatever has no condition always do.

use super::channels::{pins, Pin};
use bcu_hw::ports::{Dir, Port};

/// The conditions of every output port.
pub struct Meaning(Vec<Vec<(Pin, Vec<u64>)>>);

impl Meaning {
    /// A condition on a port that is not in the list is left out, so that its port is compared more often, not less.
    pub fn of(ports: &[Port]) -> Meaning {
        let pins = pins(ports);
        let conditions = |port: &Port| {
            let pin = |name: &str| pins.iter().find(|p| p.port.name == name).cloned();
            port.when.iter().filter_map(|when| Some((pin(&when.port)?, when.values.clone()))).collect()
        };
        Meaning(ports.iter().filter(|p| p.dir == Dir::Out).map(conditions).collect())
    }

    /// Whether this output, a number among the outputs, means something in a cycle with these values.
    pub fn holds(&self, output: usize, inputs: &[u64], outputs: &[u64]) -> bool {
        self.0[output].iter().all(|(pin, values)| values.contains(&pin.read(inputs, outputs)))
    }
}
