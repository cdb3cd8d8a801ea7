// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows that viewers show, with their order, names and colours. All viewers show the same rows.

use super::text::{Text, View};
use super::vcd_text::name_variable;
use bcu_isa::ports::Port;

/// The groups that a reader needs first: released warps, held warps, faults. They are placed
/// directly below the text rows of the warps; the other groups follow in pipeline order.
const FIRST: [&str; 4] = ["release", "gateway_release", "warps", "fault"];

/// Rows under one heading.
pub(super) struct Group {
    pub name: String,
    pub colour: Colour,
    pub rows: Vec<Row>,
}

/// A variable of the waveform.
pub(super) struct Row {
    /// The name with its scope.
    pub path: String,
    /// The displayed name, if it differs from the name in `path`.
    pub alias: Option<String>,
    pub width: usize,
    pub format: Format,
}

/// The display format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Bit,
    /// A string variable.
    Text,
    Decimal,
    Hex,
}

/// The colour of a group. Blue is not used, since it is hardly visible on black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// The default colour of the viewer.
    Plain,
    Red,
    Orange,
    Yellow,
    Green,
    Violet,
}

impl Colour {
    fn for_group(group: &str) -> Colour {
        match group {
            "fault" => Colour::Red,
            // Groups that report held warps.
            "warps" | "lanes" => Colour::Orange,
            "instruction" => Colour::Yellow,
            // Groups of ports by which the unit lets warps resume.
            "release" | "gateway_release" | "cluster_release" | "grid_release" | "writeback" | "token" | "wake" => {
                Colour::Green
            }
            "memory" | "mem_request" | "tx" | "network" => Colour::Violet,
            _ => Colour::Plain,
        }
    }
}

impl Row {
    fn of_port(top: &str, port: &Port) -> Row {
        // Masks and instruction words, which are wider than a count, are shown in hexadecimal; ids, warps and counts as decimal numbers.
        const WIDEST_NUMBER: usize = 12;
        let (name, format) = match port.width {
            _ if !port.values.is_empty() => (name_variable(&port.name), Format::Text),
            1 => (port.name.clone(), Format::Bit),
            width if width > WIDEST_NUMBER => (port.name.clone(), Format::Hex),
            _ => (port.name.clone(), Format::Decimal),
        };
        Row { path: format!("{top}.{name}"), alias: None, width: port.width, format }
    }

    fn of_text(text: &Text) -> Row {
        let alias = text.alias.as_deref().map(plain);
        Row { path: format!("{}.{}", text.scope, text.name), alias, width: 1, format: Format::Text }
    }
}

/// The clock, which is the first row.
pub(super) fn clock(view: &View) -> Row {
    Row { path: format!("{}.clock", view.top), alias: None, width: 1, format: Format::Bit }
}

/// All rows but the clock, in order; with several multiprocessors, each multiprocessor has separate groups.
pub(super) fn groups(view: &View) -> Vec<Group> {
    let texts = view.texts.chunk_by(|a, b| a.scope == b.scope).map(|run| Group {
        name: run[0].scope.clone(),
        colour: Colour::for_group("instruction"),
        rows: run.iter().map(Row::of_text).collect(),
    });
    let same = |a: &Port, b: &Port| (a.group, multiprocessor(a)) == (b.group, multiprocessor(b));
    let mut runs: Vec<&[Port]> = view.ports.chunk_by(same).collect();
    runs.sort_by_key(|run| FIRST.iter().position(|first| *first == run[0].group).unwrap_or(FIRST.len()));
    let ports = runs.into_iter().map(|run| Group {
        name: multiprocessor(&run[0]).map_or(String::new(), |which| format!("{which} ")) + run[0].group,
        colour: Colour::for_group(run[0].group),
        rows: run.iter().map(|port| Row::of_port(view.top, port)).collect(),
    });
    texts.chain(ports).collect()
}

/// The prefix in the name of a port of one of several multiprocessors, such as `sm_0`.
fn multiprocessor(port: &Port) -> Option<&str> {
    let number = port.name.strip_prefix("sm_")?.split('_').next()?;
    number.parse::<usize>().ok()?;
    port.name.get(.."sm_".len() + number.len())
}

/// The name, in which `_` replaces each character that would end the name early in the file of a viewer.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c == ' ' || c.is_ascii_graphic() && !"{}#;\"\\".contains(c) { c } else { '_' }).collect()
}
