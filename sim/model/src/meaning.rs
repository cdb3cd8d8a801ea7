// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cycles in which an output is meaningful; an output is compared only in these cycles. Outputs without a condition, such as `valid`
//! and `ready`, are meaningful in all cycles.

use crate::dut::{ByName, Input, Output};
use bcu_isa::ports::{Dir, Port};

/// The port that a condition reads.
#[derive(Clone, Copy, Debug)]
enum ConditionPort {
    Input(Input),
    Output(Output),
}

/// The conditions of every output port. A condition is a port, with the values of this port that fulfil the condition.
#[derive(Clone, Debug)]
pub struct Meaning(Vec<Vec<(ConditionPort, Vec<u64>)>>);

impl Meaning {
    /// The conditions of the outputs in `ports`. A condition on a port that is not in `ports` is dropped, so that its output is compared
    /// in more cycles.
    pub fn new(ports: &[Port]) -> Meaning {
        let find = |name: &str| {
            ports.input(name).map(ConditionPort::Input).or_else(|_| ports.output(name).map(ConditionPort::Output)).ok()
        };
        let conditions =
            |port: &Port| port.when.iter().filter_map(|when| Some((find(&when.port)?, when.values.clone()))).collect();
        Meaning(ports.iter().filter(|p| p.dir == Dir::Out).map(conditions).collect())
    }

    /// Whether the output with index `output` is meaningful in a cycle with these inputs and outputs.
    pub fn holds(&self, output: usize, inputs: &[u64], outputs: &[u64]) -> bool {
        let value = |port: &ConditionPort| match port {
            ConditionPort::Input(port) => port.read(inputs),
            ConditionPort::Output(port) => port.read(outputs),
        };
        self.0.get(output).is_some_and(|conditions| conditions.iter().all(|(port, values)| values.contains(&value(port))))
    }

    /// The index of the first output that differs between `left` and `right` and is meaningful in at least one of them.
    pub fn difference(&self, inputs: &[u64], left: &[u64], right: &[u64]) -> Option<usize> {
        let differ = |output: &usize| {
            left[*output] != right[*output] && (self.holds(*output, inputs, left) || self.holds(*output, inputs, right))
        };
        (0..left.len().min(right.len())).find(differ)
    }
}
