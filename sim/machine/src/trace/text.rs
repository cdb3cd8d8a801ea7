// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texts in a waveform, and the view of its signals.

use super::mark::Mark;
use bcu_isa::ports::Port;

/// A string variable whose value the caller sets, such as the text of an instruction or the state of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The scope that contains the variable; it is next to the scope of the unit. The texts of one scope are adjacent.
    pub scope: String,
    /// Name of the variable, without spaces.
    pub name: String,
    /// The name that viewers display; `None` if they display `name`.
    pub alias: Option<String>,
}

/// The number of a text in the list given at the creation of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId(pub usize);

/// The contents of a viewer's window.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The scope of the ports, which has the name of the unit.
    pub top: &'a str,
    pub ports: &'a [Port],
    pub texts: &'a [Text],
    /// The first cycle in the window.
    pub from: u64,
    /// The cycle after the last cycle in the window.
    pub to: u64,
    pub marks: &'a [Mark],
}
