// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waveforms: the VCD file, and beside it the files that show it with groups and names in GTKWave and in Surfer.

pub mod gtkw;
mod inside;
pub mod surfer;
mod value;
pub mod vcd;

use bcu_hw::ports::Port;

/// What the string variable beside an enum adds to its name.
const NAME_SUFFIX: &str = "_name";

/// A string variable that the caller fills: an instruction's text, the state of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Scope that holds it, beside the unit's; texts of one scope stand together.
    pub scope: String,
    /// Name of the variable, without blanks.
    pub name: String,
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
    /// Length of the run, to fit it into the window.
    pub cycles: u64,
}

/// The files beside `<stem>.vcd`: name relative to its folder, and contents.
pub fn files(stem: &str, view: &View) -> Vec<(String, String)> {
    let mut files =
        vec![(format!("{stem}.gtkw"), gtkw::save_file(stem, view)), (format!("{stem}.sucl"), surfer::commands(stem, view))];
    files.extend(surfer::mappings(view));
    files
}

/// How a port's value is best read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Bit,
    /// The string variable beside it.
    Name,
    Decimal,
    Hex,
}

impl Format {
    fn of(port: &Port) -> Format {
        // Masks and instruction words are read by their bits; ids, warps and counts, none wider than a count, as numbers.
        const WIDEST_NUMBER: usize = 12;
        if !port.values.is_empty() {
            Format::Name
        } else if port.width == 1 {
            Format::Bit
        } else if port.width > WIDEST_NUMBER {
            Format::Hex
        } else {
            Format::Decimal
        }
    }
}

/// The ports in runs of one group, in port order; of several multiprocessors each has groups of its own.
fn groups(ports: &[Port]) -> impl Iterator<Item = (String, &[Port])> {
    let named = |run: &[Port]| match multiprocessor(&run[0]) {
        Some(which) => format!("{which} {}", run[0].group),
        None => run[0].group.to_string(),
    };
    ports.chunk_by(|a, b| (a.group, multiprocessor(a)) == (b.group, multiprocessor(b))).map(move |run| (named(run), run))
}

/// `sm_0` of the ports of the first multiprocessor of several.
fn multiprocessor(port: &Port) -> Option<&str> {
    let number = port.name.strip_prefix("sm_")?.split('_').next()?;
    number.parse::<usize>().ok()?;
    port.name.get(.."sm_".len() + number.len())
}

/// The texts in runs of one scope.
fn scopes(texts: &[Text]) -> impl Iterator<Item = (&str, &[Text])> {
    texts.chunk_by(|a, b| a.scope == b.scope).map(|run| (run[0].scope.as_str(), run))
}
