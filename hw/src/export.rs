// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The export of a unit in one configuration, all as texts: a Verilog file for the unit and for each unit that it instantiates, lint
//! waivers, a FuseSoC core file, a Bender package, macros, a bench of `named` and a manifest; on request wrappers in other languages. Every
//! list in these texts comes from the units and their port tables.

pub mod assert;
mod bender;
mod defs;
mod enumerations;
mod example;
mod fusesoc;
mod manifest;
pub mod port_text;
mod prim;
pub mod set;
mod waivers;
pub mod wrapper;

use crate::catalog;
use crate::config;
use crate::ports::Unit;
use crate::unit::latency;
use crate::verilog::{self, Options, Package, PrintError, Reset, PREFIX, RESET_DOC};
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_isa::units;
use manifest::Manifest;
use set::{generated, Built, Export, LICENCE};
use std::collections::{BTreeMap, BTreeSet};
use wrapper::HostLanguage;

/// Marks around the port table of the whole unit in `docs/contract/ports.md`.
pub const PORTS_BEGIN: &str = "<!-- ports begin: written by cargo xtask regen -->";
pub const PORTS_END: &str = "<!-- ports end -->";

/// Marks around the table of reset times in `docs/guide/integrate.md`.
pub const RESET_BEGIN: &str = "<!-- reset begin: written by cargo xtask regen -->";
pub const RESET_END: &str = "<!-- reset end -->";

/// Why a configuration cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("configuration `{config}` has no unit `{unit}`; it has {}", has.join(", "))]
    NoUnit { unit: String, config: String, has: Vec<&'static str> },
    #[error("configuration `{}`: {}", .0.name, config::not_compiled(.0))]
    NoSize(Box<Config>),
    #[error("unit `{unit}` cannot be printed as Verilog: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Print { unit: String, errors: Vec<PrintError> },
    #[error("the manifest cannot be written: {0}")]
    Manifest(#[from] serde_json::Error),
}

/// The language of an export's modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    Verilog2005,
    SystemVerilog,
}

/// What a user chooses about the texts of an export. The default is Verilog-2005 with the reset that the blocks have in Rust: synchronous and
/// active high, of the registers that control others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    pub dialect: Dialect,
    pub reset: Reset,
    /// Languages of wrappers.
    pub wrappers: &'a [HostLanguage],
}

/// As [`files_with`], in the default style.
pub fn files(config: &Config, name: &str, prefix: &str) -> Result<Vec<(String, String)>, ExportError> {
    files_with(config, name, prefix, Style::default())
}

/// All files of the export of the unit `name`, as (file name, text): first the file of the unit, then the files of the units that
/// it instantiates, in SystemVerilog their package, the primitives, then the files for tools, and before the manifest, which is the last, a
/// file with wrappers for each language. Each module is in one file. The names of modules and files begin with `prefix`; the names of macros
/// begin with `prefix` in capitals.
pub fn files_with(config: &Config, name: &str, prefix: &str, style: Style) -> Result<Vec<(String, String)>, ExportError> {
    let Style { dialect, reset, wrappers } = style;
    let built = built(config, name)?;
    let language = language(dialect, &built, prefix);
    let mut export = Export { config, prefix, reset, built, with_primitives: BTreeSet::new(), language };
    let mut files = vec![];
    for unit in export.units().rev() {
        let (sizes, identity) = (export.sizes(), Some(config.identity()));
        let language = export.language.clone();
        let mut options =
            Options { sizes, identity, language, ..exported(unit, prefix, reset).header(export.header(unit.name())) };
        options.port_docs.extend(export.ports(unit).into_iter().map(|port| (port.name.clone(), export.doc_with_values(&port))));
        options.phrases = port_text::phrases(config);
        files.push((export.file_of(unit.name()), print(unit, &options)?));
    }
    if let (Some(file), verilog::Language::SystemVerilog(package)) = (export.package(), &export.language) {
        files.push((file, package.text(&export.package_header())));
    }
    let has_primitives = |unit: &&str| {
        let file = export.file_of(unit);
        files.iter().any(|(name, text)| *name == file && prim::is_used_by(prefix, text))
    };
    export.with_primitives = export.units().map(|unit| unit.name()).filter(has_primitives).collect();
    if !export.with_primitives.is_empty() {
        files.push((prim::file_name(prefix), export.primitives()));
    }
    let entries = export.units().rev().map(|unit| export.entry(unit)).collect::<Result<_, _>>()?;
    let names = export.made_of(name);
    let language = export.language.is_system().then_some("systemverilog");
    let manifest = Manifest {
        format_version: 2,
        generator: generated(),
        licence: LICENCE,
        language,
        configuration: config,
        reset: if reset.is_async_low { "async-low" } else { "sync" },
        reset_registers: if reset.of_all { "all" } else { "control" },
        units: entries,
    };
    files.push((export.defs(), defs::text(&export)));
    files.extend(example::named(&export, &names));
    files.extend(assert::files(&export));
    files.push((export.waivers(), waivers::text(&export, &names)));
    files.push((format!("{prefix}.core"), fusesoc::core(&export, name)));
    files.push((bender::file_name(prefix), bender::package(&export, name)));
    files.extend(wrappers.iter().map(|language| wrapper::file(&export, *language)));
    for (name, text) in &mut files {
        if [".v", ".sv", ".vh"].iter().any(|end| name.ends_with(end)) {
            *text = verilog::wrap(text);
        }
    }
    files.push((export.manifest(), serde_json::to_string_pretty(&manifest)? + "\n"));
    Ok(files)
}

/// The language, with the types of all units of an export.
fn language(dialect: Dialect, built: &[Built], prefix: &str) -> verilog::Language {
    match dialect {
        Dialect::Verilog2005 => verilog::Language::Verilog2005,
        Dialect::SystemVerilog => verilog::Language::SystemVerilog(Package::of(
            &format!("{prefix}_pkg"),
            built.iter().map(|built| built.unit.block()),
        )),
    }
}

/// The Verilog of the unit `name` for tools, after the Verilog of the units that it instantiates. The text omits the lines that name the
/// configuration, so equal units of several configurations have equal texts.
pub fn text(config: &Config, name: &str) -> Result<String, ExportError> {
    text_with(config, name, Reset::default())
}

/// As [`text`], with the reset `reset`.
pub fn text_with(config: &Config, name: &str, reset: Reset) -> Result<String, ExportError> {
    let built = built(config, name)?;
    let text =
        built.iter().map(|built| print(&*built.unit, &exported(&*built.unit, PREFIX, reset))).collect::<Result<String, _>>()?;
    Ok(if prim::is_used_by(PREFIX, &text) { prim::text(PREFIX, reset) + &text } else { text })
}

/// The modules of the primitives, as in every export with this reset.
pub fn primitives(reset: Reset) -> String {
    verilog::wrap(&prim::text(PREFIX, reset))
}

/// Builds the unit `name` and the units that it instantiates; returns them in pipeline order, the unit itself last.
fn built(config: &Config, name: &str) -> Result<Vec<Built>, ExportError> {
    let mut found: BTreeMap<Option<usize>, Built> = BTreeMap::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        let at = units::UNITS.iter().position(|unit| *unit == name);
        if found.contains_key(&at) {
            continue;
        }
        let unit = unit(config, name)?;
        let inside = verilog::units_in(unit.block(), &units::UNITS);
        open.extend(&inside);
        found.insert(at, Built { unit, inside });
    }
    Ok(found.into_values().collect())
}

/// The printer options of a unit whose text contains all of its blocks, as rust-hdl has them: primitives in the text, initial values in the
/// declarations. The comments of its port table are included.
pub fn options(unit: &dyn Unit) -> Options {
    prefixed(unit, PREFIX)
}

fn prefixed(unit: &dyn Unit, prefix: &str) -> Options {
    let mut options = Options::prefixed(prefix, unit.name());
    options.units = units::UNITS.to_vec();
    options.port_docs.insert("clock".to_string(), "Rising edge.".to_string());
    options.port_docs.extend(unit.ports().into_iter().map(|port| (port.name, port.doc)));
    options
}

/// The printer options of a unit in an export: primitives are in a file of their own, and no register has an initial value.
fn exported(unit: &dyn Unit, prefix: &str, reset: Reset) -> Options {
    let mut options = Options { primitives: true, reset, initial_values: false, ..prefixed(unit, prefix) };
    options.port_docs.insert(Reset { is_async_low: true, of_all: false }.port().to_string(), RESET_DOC.to_string());
    options
}

fn unit(config: &Config, name: &str) -> Result<Box<dyn Unit>, ExportError> {
    if !catalog::built(config).any(|built| built == name) {
        let (unit, has) = (name.to_string(), catalog::built(config).collect());
        return Err(ExportError::NoUnit { unit, config: config.name.clone(), has });
    }
    catalog::build(config, name).ok_or_else(|| ExportError::NoSize(Box::new(config.clone())))
}

fn print(unit: &dyn Unit, options: &Options) -> Result<String, ExportError> {
    verilog::export(unit.block(), options).map_err(|errors| ExportError::Print { unit: unit.name().to_string(), errors })
}

/// The ports of a unit as a Markdown table, one row per port.
pub fn port_table(unit: &dyn Unit, config: &Config) -> String {
    let mut text = "| group | port | bits | direction | meaning |\n|---|---|---|---|---|\n".to_string();
    text += "| clock | `clock` | 1 | input | Rising edge. |\n";
    for Port { name, dir, width, group, doc, .. } in port_text::ports(unit, config) {
        let direction = if dir == Dir::In { "input" } else { "output" };
        text += &format!("| {group} | `{name}` | {width} | {direction} | {doc} |\n");
    }
    text
}

/// The reset time of each configuration, as a Markdown table.
pub fn reset_table() -> String {
    const SHOWN: [&str; 4] = ["NAMED_READY", "GATEWAY_READY", "BCU_READY", "BCU_LAUNCH"];
    let mut text = "| configuration |".to_string();
    SHOWN.iter().for_each(|name| text += &format!(" `{name}` |"));
    text += "\n|---|---|---|---|---|\n";
    for config in bcu_isa::config::NAMED.iter().filter_map(|(name, _)| config::by_name(name)) {
        text += &format!("| `{}` |", config.name);
        for name in SHOWN {
            let has =
                !(name.starts_with("NAMED") && !config.has_named() || name.starts_with("GATEWAY") && !config.has_gateway());
            let cycles = latency::ALL.iter().find(|latency| latency.name == name).map(|latency| latency.cycles(&config));
            text += &cycles.filter(|_| has).map_or(" - |".to_string(), |cycles| format!(" {cycles} |"));
        }
        text += "\n";
    }
    text
}
