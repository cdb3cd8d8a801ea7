// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_defs.vh`: the constants of an export as macros for surrounding Verilog: sizes, port widths, values of kinds and codes, latencies.

use super::enumerations::enumerations;
use super::set::{generated, Export, LICENCE};
use crate::ports::Unit;
use crate::unit::latency;
use bcu_isa::units;
use std::fmt::Write as _;

/// The widths that get a macro: the name of the macro, a port of that width, and a description.
const WIDTHS: [(&str, &str, &str); 4] = [
    ("LW", "op_warp", "Warp number."),
    ("CW", "op_warps", "Number of warps."),
    ("LC", "op_cta", "CTA slot."),
    ("VW", "op_value", "`op_value`: contribution of a warp to a reduction."),
];

/// The text of the file for the units of an export.
pub fn text(export: &Export) -> String {
    let (config, prefix) = (export.config, export.prefix.to_uppercase());
    let mut text = format!(
        "// SPDX-License-Identifier: {LICENCE}\n// {}: constants of the configuration {} for surrounding Verilog.\n// {}\n\
         `ifndef {prefix}_DEFS_VH\n`define {prefix}_DEFS_VH\n",
        export.defs(),
        config.name,
        generated()
    );
    let mut section = |title: &str, macros: &[(String, String, String)]| {
        let width = macros.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let values = macros.iter().map(|(_, value, _)| value.len()).max().unwrap_or(0);
        let _ = write!(text, "\n// {title}\n");
        for (name, value, doc) in macros {
            let line = if doc.is_empty() {
                format!("`define {prefix}_{name:width$} {value}")
            } else {
                format!("`define {prefix}_{name:width$} {value:values$}  // {doc}")
            };
            let _ = writeln!(text, "{line}");
        }
    };
    let plain = |name: &str, value: usize, doc: &str| (name.to_string(), value.to_string(), doc.to_string());

    section(
        "Sizes and built parts.",
        &[
            plain("WARPS", config.warps, "Warp slots."),
            plain("LANES", config.lanes, "Lanes of a warp."),
            plain("CTAS", config.cta_slots, "CTA slots."),
            plain("BARRIERS", config.ids(), "Barriers of a CTA."),
            plain("REDUCTIONS", config.reductions.into(), "1 = reductions are built."),
            plain("CHECKS", config.faults.into(), "1 = misuse is detected and reported as a fault."),
            plain("STATE_WORDS", config.state_words.into(), "1 = the state of barriers and warps can be read and written."),
        ],
    );
    let ports: Vec<_> = export.units().rev().flat_map(Unit::ports).collect();
    let widths = WIDTHS.iter().filter_map(|(name, of, doc)| {
        let port = ports.iter().find(|port| port.name == *of)?;
        Some(plain(name, port.width, doc))
    });
    section("Widths of ports.", &widths.collect::<Vec<_>>());
    for (beginning, title, values) in enumerations() {
        // An enumeration is printed only if a port of an exported unit has its values.
        let Some(port) = ports.iter().find(|port| port.values == values) else { continue };
        let all: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(value, name)| {
                (format!("{beginning}_{}", screaming(name)), format!("{}'d{value}", port.width), String::new())
            })
            .collect();
        section(title, &all);
    }
    let built: Vec<&str> = export.units().map(Unit::name).collect();
    let of_built = latency::ALL.iter().filter(|latency| owner(latency.name).is_some_and(|unit| built.contains(&unit)));
    let latencies: Vec<_> = of_built
        .map(|latency| (format!("CYCLES_{}", latency.name), latency.cycles(config).to_string(), ends(latency.doc)))
        .collect();
    section("Cycles from a transfer, or from the last cycle of reset, to a port, without contention.", &latencies);
    text + &super::assert::macros(&prefix) + "\n`endif\n"
}

/// The unit to which the latency `latency` belongs. The name of a latency begins with the name of its unit; if it begins with the names
/// of several units, the longest is right.
fn owner(latency: &str) -> Option<&'static str> {
    let is = |unit: &&str| latency.strip_prefix(&unit.to_uppercase()).is_some_and(|rest| rest.starts_with('_'));
    units::UNITS.into_iter().filter(is).max_by_key(|unit| unit.len())
}

/// The first part of the doc of a latency, which names the two events between which the cycles are counted. The rest is cut off.
fn ends(doc: &str) -> String {
    let ends = doc.split(": ").next().unwrap_or(doc).split(", besides").next().unwrap_or(doc);
    format!("{}.", ends.trim().trim_end_matches(['.', ',']).replace('→', "to").replace('×', "x"))
}

/// `CountZeroArrive` as `COUNT_ZERO_ARRIVE`.
fn screaming(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.chars().enumerate() {
        if at > 0 && c.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_uppercase());
    }
    text
}
