// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The configurations that the arguments name, and the exported units.

use super::flow::Exported;
use super::needed;
use super::point::Point;
use anyhow::{anyhow, bail, Context, Result};
use bcu_hw::config;
use bcu_hw::{catalog, export, verilog};
use bcu_isa::config::Config;
use bcu_isa::units;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The configurations that the arguments name (by default all named ones), and the configurations of the tables.
pub fn configs<'a>(
    wanted_units: &[String],
    wanted_configs: &'a [String],
    of_tables: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, Config>> {
    if let Some(wrong) = wanted_units.iter().find(|unit| !units::UNITS.contains(&unit.as_str())) {
        bail!("`{wrong}` is not a unit; the units are {}", units::UNITS.join(", "));
    }
    let all_configs = bcu_isa::config::NAMED.iter().map(|(name, _)| *name).filter(|_| wanted_configs.is_empty());
    let names: BTreeSet<&str> = wanted_configs.iter().map(String::as_str).chain(all_configs).chain(of_tables).collect();
    names.into_iter().map(|name| Ok((name.to_string(), read(name)?))).collect()
}

/// A configuration by name, or from a file.
fn read(name: &str) -> Result<Config> {
    if Path::new(name).extension().is_none() {
        let known = || bcu_isa::config::NAMED.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
        return needed::config(name)
            .with_context(|| format!("`{name}` is not a configuration; expected {}, or a file ending in .toml", known()));
    }
    let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    config::parse(&stem, &text).map_err(|wrong| {
        let shown = wrong.iter().map(|error| {
            let (line, column) = error.position(&text);
            let help = error.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("{name}:{line}:{column}: {}{help}", error.message)
        });
        anyhow!(shown.collect::<Vec<_>>().join("\n"))
    })
}

/// The exported unit of a point, with the data that its flow needs.
pub fn exported(configs: &BTreeMap<String, Config>, (unit, name): &Point) -> Result<Exported> {
    let config = configs.get(name).with_context(|| format!("configuration {name}"))?;
    let built = catalog::build(config, unit).with_context(|| format!("unit {unit}"))?;
    let top = verilog::Options::new(built.name()).top;
    let text = export::text(config, unit)?;
    Ok(Exported { stem: format!("{}_{top}", config.name), top, text, ports: built.ports(), read: None })
}
