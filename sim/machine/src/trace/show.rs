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
    /// The row of a port, without the first `prefix` characters of its name.
    fn of_port(top: &str, port: &Port, prefix: usize) -> Row {
        // Masks and instruction words, which are wider than a count, are shown in hexadecimal; ids, warps and counts as decimal numbers.
        const WIDEST_NUMBER: usize = 12;
        let (name, format) = match port.width {
            _ if !port.values.is_empty() => (name_variable(&port.name), Format::Text),
            1 => (port.name.clone(), Format::Bit),
            width if width > WIDEST_NUMBER => (port.name.clone(), Format::Hex),
            _ => (port.name.clone(), Format::Decimal),
        };
        let alias = port.name.get(prefix..).filter(|_| prefix > 0).map(str::to_string);
        Row { path: format!("{top}.{name}"), alias, width: port.width, format }
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
    let same = |a: &Port, b: &Port| (group(a), multiprocessor(a)) == (group(b), multiprocessor(b));
    let mut runs: Vec<&[Port]> = view.ports.chunk_by(same).collect();
    runs.sort_by_key(|run| FIRST.iter().position(|first| *first == group(&run[0])).unwrap_or(FIRST.len()));
    let ports = runs.into_iter().map(|run| Group {
        name: multiprocessor(&run[0]).map_or(String::new(), |which| format!("{which} ")) + group(&run[0]),
        colour: Colour::for_group(group(&run[0])),
        rows: run.iter().map(|port| Row::of_port(view.top, port, repeated(port, run))).collect(),
    });
    texts.chain(ports).collect()
}

/// The group of a port. The ports of the model have none; a group of them is a channel, or the ports between two channels.
fn group(port: &Port) -> &str {
    let name = match &port.channel {
        Some(channel) if port.group.is_empty() => channel.name.as_str(),
        None if port.group.is_empty() => "unit",
        _ => return port.group,
    };
    multiprocessor(port).and_then(|which| name.strip_prefix(which)).and_then(|name| name.strip_prefix('_')).unwrap_or(name)
}

/// The number of characters at the start of the name of a port that the heading of its group says: the multiprocessor, and the group or
/// what the names of all ports of the group, `ports`, begin with.
fn repeated(port: &Port, ports: &[Port]) -> usize {
    let of_multiprocessor = multiprocessor(port).map_or(0, |which| which.len() + 1);
    let is_group =
        port.name[of_multiprocessor..].strip_prefix(group(port)).is_some_and(|name| name.len() > 1 && name.starts_with('_'));
    if is_group {
        return of_multiprocessor + group(port).len() + 1;
    }
    let is_common =
        |end: &usize| ports.iter().all(|other| other.name.len() > *end && other.name.starts_with(&port.name[..*end]));
    let mut ends = port.name.match_indices('_').map(|(at, _)| at + 1);
    ends.rfind(is_common).filter(|_| ports.len() > 1).unwrap_or(0).max(of_multiprocessor)
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
