// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GTKWave's save file: the rows to show, the window from the first launch to the end of the run, and the marks as markers.
//!
//! Enums are shown by the string variables of the VCD file, so no translation filters are needed. The file names in the save file have no
//! folders, so that all files can be moved together.

use super::show::{clock, groups, Colour, Format, Row};
use super::text::View;
use super::vcd_text::CYCLE_NS;
use std::fmt::Write;

// Flags of the save file's `@` lines.
const BIT: &str = "28";
const HEX: &str = "22";
const DECIMAL: &str = "24";
const STRING: &str = "820";
const GROUP_OPEN: &str = "800200";
const GROUP_CLOSE: &str = "1000200";

// Sizes in pixels. The waves get the width of the window without the tree of scopes, the names of the signals and the borders.
const WINDOW: (u32, u32) = (1600, 900);
const TREE: u32 = 280;
const SIGNALS: u32 = 320;
const BORDERS: u32 = 32;
/// The number of GTKWave's named markers, whose names are letters.
const MARKERS: usize = 26;
/// The distance in pixels between two grid lines of GTKWave. The zoom factor in the save file is relative to this distance.
const GRID: f64 = 200.0;

/// The text of the save file for `<stem>.vcd`.
pub fn save_file(stem: &str, view: &View) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, stem, view);
    text
}

fn write(out: &mut String, stem: &str, view: &View) -> std::fmt::Result {
    let length = (view.to.saturating_sub(view.from).max(1) * CYCLE_NS) as f64;
    let start = view.from * CYCLE_NS;
    let marks = &view.marks[..view.marks.len().min(MARKERS)];
    writeln!(out, "[*] Written by bcu. Open with: gtkwave {stem}.gtkw")?;
    // GTKWave searches both files in the folder of the save file.
    writeln!(out, "[dumpfile] \"{stem}.vcd\"\n[savefile] \"{stem}.gtkw\"")?;
    writeln!(out, "[timestart] {start}\n[size] {} {}\n[pos] -1 -1", WINDOW.0, WINDOW.1)?;
    // GTKWave starts at 0 if the window would extend beyond the end of the file, so the file needs a margin after the run.
    // The zoom is minus the binary logarithm of the time between two grid lines. After the zoom come the primary marker, whose values are
    // shown next to the names, and the named markers; -1 is an unset marker.
    let grids = (WINDOW.0 - TREE - SIGNALS - BORDERS) as f64 / GRID;
    let first = marks.first().map_or(start, |mark| mark.ns());
    let named: String = marks.iter().map(|mark| format!(" {}", mark.ns())).collect();
    writeln!(out, "*{:.6} {first}{named}{}", (grids / length).log2(), " -1".repeat(MARKERS - marks.len()))?;
    for (letter, mark) in ('A'..='Z').zip(marks) {
        writeln!(out, "[markername] {letter}{}", mark.name)?;
    }
    writeln!(out, "[sst_width] {TREE}\n[signals_width] {SIGNALS}\n[sst_expanded] 1")?;
    row(out, &clock(view), Colour::Plain)?;
    for group in groups(view) {
        writeln!(out, "@{GROUP_OPEN}\n-{}", group.name)?;
        group.rows.iter().try_for_each(|shown| row(out, shown, group.colour))?;
        writeln!(out, "@{GROUP_CLOSE}\n-{}", group.name)?;
    }
    writeln!(out, "[pattern_trace] 1\n[pattern_trace] 0")
}

fn row(out: &mut String, row: &Row, colour: Colour) -> std::fmt::Result {
    let (flags, range) = match row.format {
        Format::Bit => (BIT, String::new()),
        Format::Text => (STRING, String::new()),
        Format::Decimal => (DECIMAL, format!("[{}:0]", row.width - 1)),
        Format::Hex => (HEX, format!("[{}:0]", row.width - 1)),
    };
    writeln!(out, "@{flags}")?;
    if let Some(colour) = number(colour) {
        writeln!(out, "[color] {colour}")?;
    }
    // GTKWave shows only the part of a name after its last dot, so dots are replaced.
    let alias = row.alias.as_ref().map_or(String::new(), |alias| format!("+{{{}}} ", alias.replace('.', ":")));
    writeln!(out, "{alias}{}{range}", row.path)
}

/// GTKWave's number of a colour.
fn number(colour: Colour) -> Option<u32> {
    match colour {
        Colour::Plain => None,
        Colour::Red => Some(1),
        Colour::Orange => Some(2),
        Colour::Yellow => Some(3),
        Colour::Green => Some(4),
        Colour::Violet => Some(7),
    }
}
