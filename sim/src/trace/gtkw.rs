// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GTKWave's save file: the texts, then the ports in groups in the order of the data's way, the whole run in the window.
//!
//! Enums are shown by the string variables of the VCD file. A translation filter would be a second file, and GTKWave looks for
//! it from the folder in which it was started, not from that of the save file. `[dumpfile]` is left out, so that the file holds
//! no path: `gtkwave run.vcd run.gtkw` names both.

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

/// Pixels of a window's waves that surely are there, for the zoom.
const WAVE_PIXELS: f64 = 900.0;

/// The text of the save file.
pub fn save_file(view: &View) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, view);
    text
}

fn write(out: &mut String, view: &View) -> std::fmt::Result {
    let length = (view.cycles.max(1) * CYCLE_NS) as f64;
    writeln!(out, "[*] Written by bcu. Open with the VCD file: gtkwave <name>.vcd <name>.gtkw")?;
    writeln!(out, "[timestart] 0\n[size] 1400 900\n[pos] -1 -1")?;
    // The zoom is the binary logarithm of pixels per time unit; the -1 are the markers, all unset.
    writeln!(out, "*{:.6} 0{}", (WAVE_PIXELS / length).log2(), " -1".repeat(27))?;
    writeln!(out, "[sst_width] 220\n[signals_width] 220\n[sst_expanded] 0")?;
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
