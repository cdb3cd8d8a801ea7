// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Surfer's files: a command file that shows the same rows as GTKWave does, and mapping files with the names of the values of each enum. A
//! mapping also fits the internal signals of the unit that have these values.
//!
//! `surfer -c run.sucl run.vcd` finds the mappings in `.surfer/mappings` if it is started in the folder of the files. Surfer skips commands
//! that it does not support. Versions up to 0.7 skip `zoom_to`, so their window shows the whole run, and ignore the name after
//! `item_rename`.

use super::show::{clock, groups, Colour, Format, Row};
use super::text::View;
use super::vcd_text::CYCLE_NS;
use std::fmt::Write;

/// The text of the command file for `<stem>.vcd`.
pub fn commands(stem: &str, view: &View) -> String {
    let mut commands = Commands::default();
    commands.show(&clock(view), Colour::Plain);
    for group in groups(view) {
        commands.divider(&group.name, group.colour);
        group.rows.iter().for_each(|row| commands.show(row, group.colour));
    }
    let (start, end) = (view.from * CYCLE_NS, view.to * CYCLE_NS);
    let first = view.marks.first().map_or(start, |mark| mark.ns());
    let marks: String = view.marks.iter().map(|mark| format!("marker_set {} {}\n", mark.name, mark.ns())).collect();
    let Commands { items, looks, .. } = commands;
    format!(
        "# Written by bcu. Open with: surfer -c {stem}.sucl {stem}.vcd\n{items}{marks}{looks}item_unfocus\n\
         zoom_fit\nzoom_to {start} {end}\ncursor_set {first}\n"
    )
}

/// The mapping files, one for each enum: the name of each file relative to the folder of the VCD file, and its contents.
pub fn mappings(view: &View) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = vec![];
    for port in view.ports.iter().filter(|p| !p.values.is_empty()) {
        let name = port.name.as_str();
        let mut text = format!("# Written by bcu: the values of `{name}`.\nName = {name}\nBits = {}\n", port.width);
        for (value, label) in port.values.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{value} {label}");
        }
        files.push((format!(".surfer/mappings/{name}.txt"), text));
    }
    files
}

/// The commands of a command file. All items are added before the first item gets its properties, because Surfer inserts a new item after
/// the focused one.
#[derive(Default)]
struct Commands {
    items: String,
    looks: String,
    count: usize,
}

impl Commands {
    fn divider(&mut self, name: &str, colour: Colour) {
        // The command `divider_add` takes a single word, so spaces are replaced.
        let command = format!("divider_add {}", name.replace(char::is_whitespace, "_"));
        self.add(&command, color(colour).into_iter());
    }

    fn show(&mut self, row: &Row, colour: Colour) {
        let format = match row.format {
            Format::Bit | Format::Text => None,
            Format::Decimal => Some("item_set_format Unsigned".to_string()),
            Format::Hex => Some("item_set_format Hexadecimal".to_string()),
        };
        let rename = row.alias.as_ref().map(|alias| format!("item_rename {alias}"));
        self.add(&format!("variable_add {}", row.path), format.into_iter().chain(color(colour)).chain(rename));
    }

    /// Adds an item, and the commands `looks` that run while the item has the focus.
    fn add(&mut self, command: &str, looks: impl Iterator<Item = String>) {
        self.items += &format!("{command}\n");
        let looks: String = looks.map(|look| format!("{look}\n")).collect();
        if !looks.is_empty() {
            self.looks += &format!("item_focus {}_\n{looks}", letters(self.count));
        }
        self.count += 1;
    }
}

/// The command that sets a colour, by its name in Surfer's themes; a theme that lacks the name uses its default colour.
fn color(colour: Colour) -> Option<String> {
    let name = match colour {
        Colour::Plain => return None,
        Colour::Red => "Red",
        Colour::Orange => "Orange",
        Colour::Yellow => "Yellow",
        Colour::Green => "Green",
        Colour::Violet => "Violet",
    };
    Some(format!("item_set_color {name}"))
}

/// Surfer identifies the lines of its display by hexadecimal numbers written with the letters a to p.
fn letters(index: usize) -> String {
    format!("{index:x}").chars().filter_map(|c| c.to_digit(16)).map(|d| (b'a' + d as u8) as char).collect()
}
