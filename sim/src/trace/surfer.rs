// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Surfer's files: a command file that shows texts and ports in the order of the data's way, and mapping files with the names
//! of each enum, for all signals inside the unit that have its values.
//!
//! `surfer -c run.sucl run.vcd` started in the folder of the files finds the mappings in `.surfer/mappings`.

use super::vcd::name_variable;
use super::{groups, scopes, Format, View};
use bcu_hw::ports::Port;
use std::fmt::Write;

/// The text of the command file for `<stem>.vcd`.
pub fn commands(stem: &str, view: &View) -> String {
    let mut commands = Commands::default();
    commands.show(&format!("{}.clock", view.top), None);
    for (scope, texts) in scopes(view.texts) {
        commands.divider(scope);
        for text in texts {
            commands.show(&format!("{scope}.{}", text.name), None);
        }
    }
    for (group, ports) in groups(view.ports) {
        commands.divider(&group);
        for port in ports {
            let (name, format) = signal(port);
            commands.show(&format!("{}.{name}", view.top), format);
        }
    }
    format!(
        "# Written by bcu. Open with: surfer -c {stem}.sucl {stem}.vcd\n{}{}item_unfocus\nzoom_fit\n",
        commands.show, commands.format
    )
}

/// The mapping files, one per enum: name relative to the folder of the VCD file, and contents.
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

/// Variable and format of a port.
fn signal(port: &Port) -> (String, Option<&'static str>) {
    match Format::of(port) {
        Format::Bit => (port.name.clone(), None),
        Format::Name => (name_variable(&port.name), None),
        Format::Decimal => (port.name.clone(), Some("Unsigned")),
        Format::Hex => (port.name.clone(), Some("Hexadecimal")),
    }
}

/// All items are added before the first is given its format, because a new item goes behind the one in focus.
#[derive(Default)]
struct Commands {
    show: String,
    format: String,
    items: usize,
}

impl Commands {
    fn divider(&mut self, name: &str) {
        // The command takes one word.
        let _ = writeln!(self.show, "divider_add {}", name.replace(char::is_whitespace, "_"));
        self.items += 1;
    }

    fn show(&mut self, variable: &str, format: Option<&str>) {
        let _ = writeln!(self.show, "variable_add {variable}");
        if let Some(format) = format {
            let _ = writeln!(self.format, "item_focus {}_\nitem_set_format {format}", letters(self.items));
        }
        self.items += 1;
    }
}

/// Surfer names the lines of its display by hexadecimal numbers in the letters a to p.
fn letters(index: usize) -> String {
    format!("{index:x}").chars().filter_map(|c| c.to_digit(16)).map(|d| (b'a' + d as u8) as char).collect()
}
