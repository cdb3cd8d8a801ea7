// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texts in a waveform, and the view of its signals.

use super::mark::Mark;
use bcu_isa::ports::Port;

/// A string variable that the caller fills: an instruction's text, the state of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The scope that contains it, next to the unit's scope; texts of one scope are adjacent.
    pub scope: String,
    /// Name of the variable, without spaces.
    pub name: String,
    /// The displayed name in viewers, if it is longer.
    pub alias: Option<String>,
}

/// Number of a text, in the order given at the start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId(pub usize);

/// The contents of a viewer's window.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Scope of the ports: the unit's name.
    pub top: &'a str,
    pub ports: &'a [Port],
    pub texts: &'a [Text],
    /// The first cycle in the window, and the cycle after the last.
    pub from: u64,
    pub to: u64,
    pub marks: &'a [Mark],
}
