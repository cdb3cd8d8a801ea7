// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A rule of a checker.

/// The ports of a cycle that are not 0, with their values in Verilog.
pub type Cycle = Vec<(String, String)>;

/// Who breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    User,
    Unit,
}

/// What must never be the case in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub by: By,
    pub name: String,
    /// Verilog: 1 in a cycle in which it is broken.
    pub broken: String,
    /// Format of the message, and what it prints.
    pub message: String,
    pub arguments: String,
    /// Ports cycle by cycle that break it, after a reset with every port 0.
    pub case: Vec<Cycle>,
}
