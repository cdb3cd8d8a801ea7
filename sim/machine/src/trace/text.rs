// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texts that a waveform shows, and the view of its signals.

use super::mark::Mark;
use bcu_isa::ports::Port;

/// A string variable that the caller fills: an instruction's text, the state of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Scope that holds it, beside the unit's; texts of one scope stand together.
    pub scope: String,
    /// Name of the variable, without blanks.
    pub name: String,
    /// What viewers call it, where there is more to say.
    pub alias: Option<String>,
}

/// Number of a text, in the order given when the file was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId(pub usize);

/// What a viewer shall show.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Scope of the ports: the unit's name.
    pub top: &'a str,
    pub ports: &'a [Port],
    pub texts: &'a [Text],
    /// The cycles that fit into the window: the first, and the one behind the last.
    pub from: u64,
    pub to: u64,
    pub marks: &'a [Mark],
}
