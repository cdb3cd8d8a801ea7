// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The manifest of an export, for scripts.

use super::set::Export;
use crate::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::ports::{Channel, Dir, Part, Port, When};
use serde::Serialize;
use serde_json::value::{to_raw_value, RawValue};

/// The manifest: the facts about an export that scripts need.
#[derive(Serialize)]
pub(super) struct Manifest<'a> {
    pub(super) format_version: u32,
    pub(super) generator: String,
    pub(super) licence: &'a str,
    /// Omitted in Verilog-2005.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<&'static str>,
    pub(super) configuration: &'a Config,
    /// `sync`: synchronous and active high; `async-low`: asynchronous and active low.
    pub(super) reset: &'static str,
    /// The registers that have a reset: `control` or `all`.
    pub(super) reset_registers: &'static str,
    pub(super) units: Vec<UnitEntry>,
}

#[derive(Serialize)]
pub(super) struct UnitEntry {
    pub(super) module: String,
    pub(super) file: String,
    /// Files with the package and the modules that the unit needs, in the order in which tools read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) with: Vec<String>,
    pub(super) clock: &'static str,
    /// One `PortEntry` for each port, printed on one line.
    pub(super) ports: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
pub(super) struct PortEntry {
    pub(super) name: String,
    pub(super) direction: &'static str,
    pub(super) width: usize,
    pub(super) group: &'static str,
    pub(super) doc: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) channel: Option<ChannelEntry>,
    /// The port is meaningful only in cycles in which each of these ports has one of these values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) when: Vec<WhenEntry>,
}

/// The channel that a port belongs to; a channel without a `ready` is a strobe.
#[derive(Serialize)]
pub(super) struct ChannelEntry {
    pub(super) name: String,
    pub(super) part: &'static str,
}

#[derive(Serialize)]
pub(super) struct WhenEntry {
    pub(super) port: String,
    pub(super) values: Vec<u64>,
}

impl Export<'_> {
    pub(super) fn entry(&self, unit: &dyn Unit) -> Result<UnitEntry, serde_json::Error> {
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
        let file = self.file_of(unit.name());
        let mut with = self.sources(unit.name());
        with.retain(|other| *other != file);
        let ports = self.ports(unit).into_iter().map(|p| to_raw_value(&port(p))).collect::<Result<_, _>>()?;
        Ok(UnitEntry { module: self.module(unit.name()), file, with, clock: "clock", ports })
    }
}

pub(super) fn part_name(part: Part) -> &'static str {
    match part {
        Part::Valid => "valid",
        Part::Ready => "ready",
        Part::Payload => "payload",
    }
}
