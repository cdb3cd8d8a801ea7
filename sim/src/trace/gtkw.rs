// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GTKWave's save file: the texts, then the ports in groups in the order of the data's way, the whole run in the window.
//!
//! Enums are shown by the string variables of the VCD file, which needs no translation filters. The names in the file have no
//! folders, so that the files can be moved together.

use super::vcd::{name_variable, CYCLE_NS};
use super::{groups, scopes, Format, View};
use bcu_hw::ports::Port;
use std::fmt::Write;

// Flags of the save file's `@` lines.
const BIT: &str = "28";
const HEX: &str = "22";
const DECIMAL: &str = "24";
const STRING: &str = "820";
const GROUP_OPEN: &str = "800200";
const GROUP_CLOSE: &str = "1000200";

// Sizes in pixels. What the window, the tree of scopes and the signals' names leave over is for the waves, less the borders.
const WINDOW: (u32, u32) = (1600, 900);
const TREE: u32 = 280;
const SIGNALS: u32 = 320;
const BORDERS: u32 = 20;
/// GTKWave's unit of zoom: the pixels between two lines of its grid.
const GRID: f64 = 200.0;

/// The text of the save file for `<stem>.vcd`.
pub fn save_file(stem: &str, view: &View) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, stem, view);
    text
}

fn write(out: &mut String, stem: &str, view: &View) -> std::fmt::Result {
    let length = (view.cycles.max(1) * CYCLE_NS) as f64;
    writeln!(out, "[*] Written by bcu. Open with: gtkwave {stem}.gtkw")?;
    // GTKWave takes both names from the folder of the save file it was given.
    writeln!(out, "[dumpfile] \"{stem}.vcd\"\n[savefile] \"{stem}.gtkw\"")?;
    writeln!(out, "[timestart] 0\n[size] {} {}\n[pos] -1 -1", WINDOW.0, WINDOW.1)?;
    // The zoom is minus the binary logarithm of the time between two lines of the grid; the -1 are the markers, all unset.
    let grids = (WINDOW.0 - TREE - SIGNALS - BORDERS) as f64 / GRID;
    writeln!(out, "*{:.6} 0{}", (grids / length).log2(), " -1".repeat(27))?;
    writeln!(out, "[sst_width] {TREE}\n[signals_width] {SIGNALS}\n[sst_expanded] 1")?;
    writeln!(out, "@{BIT}\n{}.clock", view.top)?;
    for (scope, texts) in scopes(view.texts) {
        writeln!(out, "@{GROUP_OPEN}\n-{scope}\n@{STRING}")?;
        for text in texts {
            writeln!(out, "{scope}.{}", text.name)?;
        }
        writeln!(out, "@{GROUP_CLOSE}\n-{scope}")?;
    }
    for (group, ports) in groups(view.ports) {
        writeln!(out, "@{GROUP_OPEN}\n-{group}")?;
        for port in ports {
            let (flags, name) = signal(port);
            writeln!(out, "@{flags}\n{}.{name}", view.top)?;
        }
        writeln!(out, "@{GROUP_CLOSE}\n-{group}")?;
    }
    writeln!(out, "[pattern_trace] 1\n[pattern_trace] 0")
}

/// Flags and name of a port as GTKWave knows it.
fn signal(port: &Port) -> (&'static str, String) {
    let range = format!("{}[{}:0]", port.name, port.width - 1);
    match Format::of(port) {
        Format::Bit => (BIT, port.name.clone()),
        Format::Name => (STRING, name_variable(&port.name)),
        Format::Decimal => (DECIMAL, range),
        Format::Hex => (HEX, range),
    }
}
