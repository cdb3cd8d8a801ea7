// SPDX-License-Identifier: Apache-2.0 OR MIT
//! In which cycles an output means something: what is compared. `valid`, `ready` and whatever has no condition always do.

use crate::dut::{ByName, Input, Output};
use bcu_isa::ports::{Dir, Port};

/// The port of a condition.
#[derive(Clone, Copy, Debug)]
enum Of {
    Input(Input),
    Output(Output),
}

/// The conditions of every output port: ports, and the values that they must have.
#[derive(Clone, Debug)]
pub struct Meaning(Vec<Vec<(Of, Vec<u64>)>>);

impl Meaning {
    /// A condition on a port that is not in the list is left out, so that its port is compared more often, not less.
    pub fn of(ports: &[Port]) -> Meaning {
        let find = |name: &str| ports.input(name).map(Of::Input).or_else(|_| ports.output(name).map(Of::Output)).ok();
        let conditions =
            |port: &Port| port.when.iter().filter_map(|when| Some((find(&when.port)?, when.values.clone()))).collect();
        Meaning(ports.iter().filter(|p| p.dir == Dir::Out).map(conditions).collect())
    }

    /// Whether this output, a number among the outputs, means something in a cycle with these values.
    pub fn holds(&self, output: usize, inputs: &[u64], outputs: &[u64]) -> bool {
        let value = |of: &Of| match of {
            Of::Input(port) => port.of(inputs),
            Of::Output(port) => port.of(outputs),
        };
        self.0.get(output).is_some_and(|conditions| conditions.iter().all(|(of, values)| values.contains(&value(of))))
    }

    /// The first output that differs and means something on either side.
    pub fn difference(&self, inputs: &[u64], left: &[u64], right: &[u64]) -> Option<usize> {
        let differ = |output: &usize| {
            left[*output] != right[*output] && (self.holds(*output, inputs, left) || self.holds(*output, inputs, right))
        };
        (0..left.len().min(right.len())).find(differ)
    }
}
