// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A rule of a checker.

/// One cycle of a stimulus: the ports that are not 0, with their values in Verilog.
pub type Cycle = Vec<(String, String)>;

/// The side that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    User,
    Unit,
}

/// A condition that must not hold in any cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub by: By,
    pub name: String,
    /// Verilog expression: 1 in a cycle in which the rule is broken.
    pub broken: String,
    /// Format string of the message.
    pub message: String,
    /// Arguments of the format string.
    pub arguments: String,
    /// Port values, cycle by cycle, that break the rule after a reset with every port at 0.
    pub case: Vec<Cycle>,
}
