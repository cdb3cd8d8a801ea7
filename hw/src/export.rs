// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a user of the Verilog gets for one configuration: the whole unit, each part alone, lint waivers, a FuseSoC core file and
//! a manifest, all as texts. Every list in them comes from the port tables of the units.

use crate::catalog;
use crate::config::Config;
use crate::ports::{Channel, Dir, Part, Port, Unit, When};
use crate::verilog::{self, Options, PrintError};
use serde::Serialize;

/// Licence of the exported texts, the same as the project's.
pub const LICENCE: &str = "Apache-2.0 OR MIT";

/// Between these lines the README has the port table of the whole unit.
pub const PORTS_BEGIN: &str = "<!-- ports begin: written by cargo xtask regen -->";
pub const PORTS_END: &str = "<!-- ports end -->";

/// Why a configuration cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("unit `{0}` is not in the catalogue in this size")]
    NoUnit(String),
    #[error("unit `{unit}` cannot be printed as Verilog: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Print { unit: String, errors: Vec<PrintError> },
    #[error("the manifest cannot be written: {0}")]
    Manifest(#[from] serde_json::Error),
}

/// `manifest.json`: what scripts need to know of an export.
#[derive(Serialize)]
struct Manifest<'a> {
    format_version: u32,
    generator: String,
    licence: &'a str,
    configuration: &'a Config,
    units: Vec<UnitEntry>,
}

#[derive(Serialize)]
struct UnitEntry {
    module: String,
    file: String,
    /// Files with modules that it instantiates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
    clock: &'static str,
    ports: Vec<PortEntry>,
}

#[derive(Serialize)]
struct PortEntry {
    name: String,
    direction: &'static str,
    width: usize,
    group: &'static str,
    doc: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<ChannelEntry>,
    /// It means something only in cycles in which each of these ports has one of these values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    when: Vec<WhenEntry>,
}

/// The channel that a port belongs to; one without a `ready` is a strobe.
#[derive(Serialize)]
struct ChannelEntry {
    name: String,
    part: &'static str,
}

#[derive(Serialize)]
struct WhenEntry {
    port: String,
    values: Vec<u64>,
}

/// All files of an export as (name, text), the whole unit first.
pub fn files(config: &Config) -> Result<Vec<(String, String)>, ExportError> {
    let (mut files, mut units) = (vec![], vec![]);
    for name in config.built().collect::<Vec<_>>().into_iter().rev() {
        let unit = unit(config, name)?;
        let header = header(config, &Options::new(name).top);
        files.push((file_of(name), print(&*unit, header)?));
        units.push(entry(&*unit));
    }
    let manifest = Manifest {
        format_version: 2,
        generator: format!("bcu {}", env!("CARGO_PKG_VERSION")),
        licence: LICENCE,
        configuration: config,
        units,
    };
    files.push(("bcu.vlt".to_string(), waivers()));
    files.push(("bcu.core".to_string(), core(config)));
    files.push(("manifest.json".to_string(), serde_json::to_string_pretty(&manifest)? + "\n"));
    Ok(files)
}

/// The text of a unit for tools: that of its file, behind those of the units that it instantiates. Without the lines that name the
/// configuration, so that units of several configurations that are the same have the same text.
pub fn text(config: &Config, name: &str) -> Result<String, ExportError> {
    let whole = unit(config, name)?;
    let mut all = String::new();
    for (_, part) in whole.units() {
        all += &print(&*unit(config, part)?, vec![])?;
    }
    Ok(all + &print(&*whole, vec![])?)
}

/// The files of a unit in the order in which tools take them: its own is the last.
pub fn sources(unit: &dyn Unit) -> Vec<String> {
    unit.units().iter().map(|(_, part)| file_of(part)).chain([file_of(unit.name())]).collect()
}

fn file_of(unit: &str) -> String {
    format!("{}.v", Options::new(unit).top)
}

fn unit(config: &Config, name: &str) -> Result<Box<dyn Unit>, ExportError> {
    catalog::build(config, name).ok_or_else(|| ExportError::NoUnit(name.to_string()))
}

fn print(unit: &dyn Unit, header: Vec<String>) -> Result<String, ExportError> {
    let mut options = Options::for_unit(unit).header(header);
    options.elsewhere = unit.units().iter().map(|(field, part)| (field.to_string(), Options::new(part).top)).collect();
    verilog::export(unit.block(), &options).map_err(|errors| ExportError::Print { unit: unit.name().to_string(), errors })
}

fn header(config: &Config, module: &str) -> Vec<String> {
    let Config { name, warps, lanes, cta_slots, pack_lsb, max_outstanding, accesses_per_cycle, .. } = config;
    let (ids, of) = (config.ids(), if config.has_gateway() { "barriers of Intel's gateway" } else { "barriers" });
    let Config { reductions, faults, state_words, lose_faults, .. } = config;
    let mbarriers = config.has_mbarrier();
    let parts = [(reductions, "reductions"), (faults, "checks"), (state_words, "state words"), (&mbarriers, "mbarriers")];
    let missing: String = parts
        .iter()
        .filter(|(built, _)| !**built)
        .map(|(_, part)| format!(", no {part}"))
        .chain(lose_faults.then(|| ", faults are lost while their queue is full".to_string()))
        .collect();
    vec![
        format!("SPDX-License-Identifier: {LICENCE}"),
        format!(
            "{module}: configuration {name}, {warps} warps of {lanes} lanes, {cta_slots} CTA slots of {ids} {of}, pack_lsb {pack_lsb}, max_outstanding {max_outstanding}, accesses_per_cycle {accesses_per_cycle}{missing}."
        ),
        format!("Generated by bcu {}; do not edit, change the source and export again.", env!("CARGO_PKG_VERSION")),
    ]
}

fn entry(unit: &dyn Unit) -> UnitEntry {
    let port = |p: Port| PortEntry {
        direction: if p.dir == Dir::In { "input" } else { "output" },
        name: p.name,
        width: p.width,
        group: p.group,
        doc: p.doc,
        values: p.values,
        channel: p.channel.map(|Channel { name, part }| ChannelEntry { name, part: part_name(part) }),
        when: p.when.into_iter().map(|When { port, values }| WhenEntry { port, values }).collect(),
    };
    let mut with = sources(unit);
    let file = with.pop().unwrap_or_default();
    UnitEntry {
        module: Options::new(unit.name()).top,
        file,
        with,
        clock: "clock",
        ports: unit.ports().into_iter().map(port).collect(),
    }
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Valid => "valid",
        Part::Ready => "ready",
        Part::Payload => "payload",
    }
}

/// The ports of a unit as a Markdown table, one row per channel or signal group's port.
pub fn port_table(unit: &dyn Unit) -> String {
    let mut text = "| group | port | bits | direction | meaning |\n|---|---|---|---|---|\n".to_string();
    text += "| clock | `clock` | 1 | input | Rising edge. |\n";
    for Port { name, dir, width, group, doc, .. } in unit.ports() {
        let direction = if dir == Dir::In { "input" } else { "output" };
        text += &format!("| {group} | `{name}` | {width} | {direction} | {doc} |\n");
    }
    text
}

const NOTHING_OF_MBARRIERS: &str = "Without mbarriers nothing of them is carried.";

/// Bits that the units get and do not need, each with the reason.
fn waivers() -> String {
    let waived = [
        ("word_word_0", "Bits 15:12 of an instruction word name its guard, which the warp has evaluated."),
        ("word_word_3", "Bits 127:109 of an instruction word are left to control information."),
        ("request_data", "Of a state word, only whether it lets its warp wait is asked where it enters."),
        ("deed_row_id", "An id has 4 bits everywhere; where fewer barriers are built the upper ones are 0."),
        ("queue_used_next", "The queue fills from the bottom, so its lowest place says nothing about room."),
        ("net_queue_used_next", "The queue fills from the bottom, so its lowest place says nothing about room."),
        ("asked_count", "Whether a number of arrivals is too large is asked before it is one of 20 bits."),
        (
            "inside_id",
            "All bits of an id are compared with the barriers declared; behind that it has no more than built ones need.",
        ),
        ("inside_producers", "A number that does not exceed the thread group has no more bits than that."),
        ("inside_consumers", "A number that does not exceed the thread group has no more bits than that."),
        ("in_data", "Bits 12:8 of a message to the gateway mean nothing."),
        ("ra", "Without named barriers no more than an id is taken from this register here."),
        ("rb", "Without named barriers and mbarriers no more than an id is taken from this register here."),
        ("of_row", "Warps are marked in rows of four, so there are fewer rows than warps."),
        ("queue_head", "A CTA has warps beyond the lowest 32 only where there are any."),
        ("cta_warps", "The lowest warp of four is the last one where no other is."),
        ("polled_digits", "Four votes make a digit of three bits at most."),
        ("deed_tag", "The lowest bits of a tag are the number of its entry."),
        ("asked_address", "Without checks nobody asks whether an address is aligned and inside shared memory."),
        ("count", "A batch is counted by its upper bits."),
        ("expected", "Whether a number is 1 more is asked of its upper bits."),
        ("tx", "Whether a number is 1 more is asked of its upper bits."),
        ("pending", "Whether a number is 1 more is asked of its upper bits."),
    ];
    let whole = [
        ("in_mbarrier", NOTHING_OF_MBARRIERS),
        ("in_number", NOTHING_OF_MBARRIERS),
        ("in_phase", NOTHING_OF_MBARRIERS),
        ("in_cluster", NOTHING_OF_MBARRIERS),
        ("in_whole", NOTHING_OF_MBARRIERS),
        ("launch_cluster", "Without clusters no place in one is looked at."),
        ("launch_rank", "Without clusters no place in one is looked at."),
        ("launch_size", "Without clusters no place in one is looked at."),
        ("op_cluster", "Without clusters and checks a rank means nothing."),
        ("op_uniform", "Without checks lanes may differ."),
        ("multiple", "With few lanes one cycle is enough for their number."),
        ("from_*_rank", "The hub counts the CTAs of a cluster; ranks are for who listens on the links."),
    ];
    let bits = waived.map(|(signal, reason)| ("Bits of signal are", signal, reason));
    let mut text = format!("// SPDX-License-Identifier: {LICENCE}\n`verilator_config\n");
    for (what, signal, reason) in bits.into_iter().chain(whole.map(|(signal, reason)| ("Signal is", signal, reason))) {
        text +=
            &format!("// {reason}\nlint_off -rule UNUSEDSIGNAL -file \"*bcu*.v\" -match \"{what} not used: '{signal}'*\"\n");
    }
    text
}

/// A FuseSoC core (CAPI2) with a target each for use, lint and synthesis of the whole unit, and for use and lint of several of them.
fn core(config: &Config) -> String {
    let (name, version) = (&config.name, env!("CARGO_PKG_VERSION"));
    let several = config.built().find(|unit| *unit == catalog::SEVERAL).and_then(|several| catalog::build(config, several));
    let (files, of_several) = several.map_or_else(Default::default, |unit| {
        let files: String = sources(&*unit).iter().map(|file| format!("      - {file}\n")).collect();
        (
            format!("  rtl_gpu:\n    files:\n{files}    file_type: verilogSource\n"),
            targets("gpu", "rtl_gpu", "bcu_gpu", "gpu_lint"),
        )
    });
    let whole = targets("default", "rtl", "bcu", "lint");
    format!(
        "CAPI=2:
# SPDX-License-Identifier: {LICENCE}
name: \"bcu:bcu:bcu_{name}:{version}\"
description: \"GPU barrier unit, configuration {name}\"

filesets:
  rtl:
    files:
      - bcu.v
    file_type: verilogSource
{files}  waivers:
    files:
      - bcu.vlt
    file_type: vlt

targets:
{whole}  synth:
    <<: *default
    default_tool: icestorm
    tools:
      icestorm:
        pnr: next
        nextpnr_options:
          - \"--hx8k\"
          - \"--package\"
          - \"ct256\"
{of_several}"
    )
}

/// A target for use and one for lint.
fn targets(name: &str, files: &str, top: &str, lint: &str) -> String {
    format!(
        "  {name}: &{name}
    filesets:
      - {files}
    toplevel: {top}
  {lint}:
    <<: *{name}
    default_tool: verilator
    filesets:
      - waivers
      - {files}
    tools:
      verilator:
        mode: lint-only
        verilator_options:
          - \"-Wall\"
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::named;

    #[test]
    fn what_is_not_built_is_in_no_file() {
        let of = |config: &str| files(&named(config).unwrap()).unwrap();
        let ports = |files: &[(String, String)], module: &str| {
            let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
            let unit = manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == module).unwrap().clone();
            unit["ports"].as_array().unwrap().iter().map(|port| port["name"].as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        let (without, alone, whole) = (of("core"), of("warp32"), of("default"));
        let has = |files, module, beginning| ports(files, module).iter().any(|port| port.starts_with(beginning));
        for beginning in ["tx_", "net_", "wait_limit", "mem_", "token_", "wake_"] {
            assert!(has(&whole, "bcu", beginning) && !has(&without, "bcu", beginning), "{beginning}");
        }
        assert!(["bcu", "bcu_mbarrier"].iter().all(|unit| has(&whole, unit, "net_") && !has(&alone, unit, "net_")));
        let parts = ["bcu_mbarrier", "bcu_lane_numbers", "bcu_decode_mbar"].map(|part| format!("module {part} ("));
        assert!(parts.iter().all(|part| whole[0].1.contains(part) && !without[0].1.contains(part)));
        assert!(without[0].1.contains("no mbarriers") && !without.iter().any(|(name, _)| name == "bcu_mbarrier.v"));
    }

    #[test]
    fn a_unit_that_is_made_of_others_instantiates_them() {
        let config = named("tiny").unwrap();
        let files = files(&config).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
        let gpu = manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == "bcu_gpu").unwrap();
        let with = ["bcu.v", "bcu_cluster_hub.v", "bcu_grid_hub.v"];
        assert_eq!(gpu["with"], serde_json::json!(with));
        let own = &files.iter().find(|file| file.0 == "bcu_gpu.v").unwrap().1;
        let whole = text(&config, "gpu").unwrap();
        for module in with.map(|file| file.trim_end_matches(".v").to_string()) {
            assert_eq!(own.matches(&format!("{module} sms")).count(), if module == "bcu" { config.sms } else { 0 });
            let defined = format!("module {module} (");
            assert!(own.contains(&format!("{module} ")) && !own.contains(&defined), "{module}");
            assert_eq!(whole.matches(&defined).count(), 1, "{module}");
        }
    }

    #[test]
    fn the_core_file_has_several_multiprocessors_where_they_are_built() {
        let core_of = |config: &str| core(&named(config).unwrap());
        let several = core_of("tiny");
        let files =
            "  rtl_gpu:\n    files:\n      - bcu.v\n      - bcu_cluster_hub.v\n      - bcu_grid_hub.v\n      - bcu_gpu.v\n";
        assert!(several.contains(files) && several.contains("  gpu_lint:\n    <<: *gpu\n"), "{several}");
        assert!(!core_of("core").contains("gpu"));
    }

    #[test]
    fn an_export_has_every_unit_and_names_its_configuration() {
        let files = files(&named("tiny").unwrap()).unwrap();
        let names: Vec<_> = files.iter().map(|f| f.0.as_str()).collect();
        let built: Vec<_> = catalog::parts().filter(|unit| *unit != "gateway").collect();
        let (verilog, beside) = names.split_at(built.len() + 1);
        let parts = built.iter().map(|unit| format!("bcu_{unit}.v")).collect::<Vec<_>>();
        assert!(verilog[0] == "bcu.v" && verilog[1..].iter().rev().eq(parts.iter()), "{verilog:?}");
        assert_eq!(beside, ["bcu.vlt", "bcu.core", "manifest.json"]);
        let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
        assert_eq!(manifest["format_version"], 2);
        let watch = manifest["units"].as_array().unwrap().iter().find(|unit| unit["module"] == "bcu_watch").unwrap();
        let port = |name: &str| watch["ports"].as_array().unwrap().iter().find(|port| port["name"] == name).unwrap();
        assert_eq!(port("dead_cta")["channel"], serde_json::json!({ "name": "dead", "part": "payload" }));
        assert_eq!(port("dead_cta")["when"], serde_json::json!([{ "port": "dead_valid", "values": [1] }]));
        assert!(port("dead_valid").get("when").is_none() && port("stalled").get("channel").is_none());
        for (name, text) in files.iter().filter(|f| f.0.ends_with(".v")) {
            let module = name.trim_end_matches(".v");
            assert!(text.contains(&format!("module {module} (")), "{name}");
            assert!(text.contains("configuration tiny, 4 warps of 4 lanes"), "{name}");
            let modules: Vec<_> = text.lines().filter_map(|l| l.strip_prefix("module ")).collect();
            assert!(modules.iter().all(|m| m.starts_with("bcu")), "{modules:?}");
        }
    }
}
