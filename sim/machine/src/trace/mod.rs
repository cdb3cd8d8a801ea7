// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waveforms: the VCD file, and beside it the files that show it with groups and names in GTKWave and in Surfer.

pub mod gtkw;
mod mark;
mod show;
pub mod surfer;
mod value;
pub mod vcd;

use bcu_isa::ports::Port;
pub use mark::Mark;
pub use value::Wire;

/// What the string variable beside an enum adds to its name.
const NAME_SUFFIX: &str = "_name";

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

/// The files beside `<stem>.vcd`: name relative to its folder, and contents.
pub fn files(stem: &str, view: &View) -> Vec<(String, String)> {
    let mut files =
        vec![(format!("{stem}.gtkw"), gtkw::save_file(stem, view)), (format!("{stem}.sucl"), surfer::commands(stem, view))];
    files.extend(surfer::mappings(view));
    files
}
