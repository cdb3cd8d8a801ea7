// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waveforms: the VCD file, and the files that show it with groups and names in GTKWave and in Surfer.

pub mod gtkw;
mod mark;
mod show;
pub mod signals;
pub mod surfer;
pub mod text;
mod value;
pub mod vcd;
pub mod vcd_text;

pub use mark::Mark;
use text::View;

/// The files for the viewers next to `<stem>.vcd`: the name of each file relative to the folder of the VCD file, and its contents.
pub fn files(stem: &str, view: &View) -> Vec<(String, String)> {
    let mut files =
        vec![(format!("{stem}.gtkw"), gtkw::save_file(stem, view)), (format!("{stem}.sucl"), surfer::commands(stem, view))];
    files.extend(surfer::mappings(view));
    files
}
