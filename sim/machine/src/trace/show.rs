// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What viewers show: which rows, in which order, under which names and in which colours; the same for each of them.

use super::text::{Text, View};
use super::vcd_text::name_variable;
use bcu_isa::ports::Port;

/// Groups that answer what one looks for first: who was released, who is held, what went wrong. They stand under the warps, before
/// the others in the order of the data's way.
const FIRST: [&str; 4] = ["release", "gateway_release", "warps", "fault"];

/// Rows under one heading.
pub(super) struct Group {
    pub name: String,
    pub colour: Colour,
    pub rows: Vec<Row>,
}

/// One variable.
pub(super) struct Row {
    /// With its scope.
    pub path: String,
    /// What it is called instead of its name.
    pub alias: Option<String>,
    pub width: usize,
    pub format: Format,
}

/// How a value is best read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Bit,
    /// A string variable.
    Text,
    Decimal,
    Hex,
}

/// Of a group; blue can hardly be seen on black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// The viewer's own.
    Plain,
    Red,
    Orange,
    Yellow,
    Green,
    Violet,
}

impl Colour {
    fn of(group: &str) -> Colour {
        match group {
            "fault" => Colour::Red,
            // Who is held, ...
            "warps" | "lanes" => Colour::Orange,
            "instruction" => Colour::Yellow,
            // ... and what lets warps go on.
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
        // Masks and instruction words are read by their bits; ids, warps and counts, none wider than a count, as numbers.
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

/// The clock, which stands above all.
pub(super) fn clock(view: &View) -> Row {
    Row { path: format!("{}.clock", view.top), alias: None, width: 1, format: Format::Bit }
}

/// All else, in order; of several multiprocessors each has groups of its own.
pub(super) fn groups(view: &View) -> Vec<Group> {
    let texts = view.texts.chunk_by(|a, b| a.scope == b.scope).map(|run| Group {
        name: run[0].scope.clone(),
        colour: Colour::of("instruction"),
        rows: run.iter().map(Row::of_text).collect(),
    });
    let same = |a: &Port, b: &Port| (a.group, multiprocessor(a)) == (b.group, multiprocessor(b));
    let mut runs: Vec<&[Port]> = view.ports.chunk_by(same).collect();
    runs.sort_by_key(|run| FIRST.iter().position(|first| *first == run[0].group).unwrap_or(FIRST.len()));
    let ports = runs.into_iter().map(|run| Group {
        name: multiprocessor(&run[0]).map_or(String::new(), |which| format!("{which} ")) + run[0].group,
        colour: Colour::of(run[0].group),
        rows: run.iter().map(|port| Row::of_port(view.top, port)).collect(),
    });
    texts.chain(ports).collect()
}

/// `sm_0` of the ports of the first multiprocessor of several.
fn multiprocessor(port: &Port) -> Option<&str> {
    let number = port.name.strip_prefix("sm_")?.split('_').next()?;
    number.parse::<usize>().ok()?;
    port.name.get(.."sm_".len() + number.len())
}

/// Without what ends a name early in the files of one of the viewers.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c == ' ' || c.is_ascii_graphic() && !"{}#;\"\\".contains(c) { c } else { '_' }).collect()
}
