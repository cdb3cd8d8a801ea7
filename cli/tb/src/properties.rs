// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The properties of a run in its JUnit file: the program, the options that matter for its results, and the machines that ran it.

use crate::record::Options;
use bcu_shard::{Origin, Shard};
use std::process::Command;

/// The tools that a run may use, each with the option that prints its version.
const TOOLS: [(&str, &str); 3] = [("verilator", "--version"), ("g++", "--version"), ("iverilog", "-V")];

/// This machine, with the tools on it that a run may use.
pub fn this_machine() -> Origin {
    let version = |(tool, flag): (&str, &str)| {
        let output = Command::new(tool).arg(flag).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string())
    };
    let of_tool = |tool: (&str, &str)| (tool.0.to_string(), version(tool).unwrap_or_else(|| "not installed".to_string()));
    Origin::here(TOOLS.map(of_tool))
}

/// The properties of a run with these options; `machines` are those of its shards. What is equal on all machines is one property.
pub fn of_run(options: &Options, machines: &[(Shard, Origin)]) -> Vec<(String, String)> {
    let mut properties = options.properties();
    let mut add = |name: &str, of: &dyn Fn(&Origin) -> String| {
        let values: Vec<String> = machines.iter().map(|(_, origin)| of(origin)).collect();
        match values.iter().all(|value| *value == values[0]) {
            true => properties.extend(values.first().map(|value| (name.to_string(), value.clone()))),
            false => {
                let named = machines.iter().map(|(shard, _)| format!("{name} of shard {shard}"));
                properties.extend(named.zip(values));
            }
        }
    };
    add("host", &|origin| origin.host.clone());
    for (tool, _) in TOOLS {
        add(&format!("version of {tool}"), &|origin| origin.tools.get(tool).map_or("not recorded".to_string(), String::clone));
    }
    properties
}
