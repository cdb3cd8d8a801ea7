// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Any Verilog design in the flow of the exported units, so that its figures can be compared with theirs.

use super::device::Device;
use super::flow::{Exported, Flow};
use anyhow::{bail, Context, Result};
use bcu_isa::ports::{Dir, Port};
use clap::ValueEnum as _;
use serde_json::Value;
use std::path::{Path, PathBuf};
use xtask::pool;

/// A design of Verilog files.
#[derive(clap::Args)]
pub struct Design {
    /// Verilog or SystemVerilog files of another design, measured in place of a unit; packages first.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "top", conflicts_with_all = ["units", "configs", "write", "picture", "check"])]
    verilog: Vec<PathBuf>,
    /// The module of these files that is measured.
    #[arg(long, requires = "verilog")]
    top: Option<String>,
    /// The clock port of this module. All other inputs, such as the reset, are driven from registers.
    #[arg(long, default_value = "clock", requires = "verilog")]
    clock: String,
    /// A parameter of this module; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "verilog", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// A folder of included files; may be repeated.
    #[arg(long, value_name = "DIR", requires = "verilog")]
    include: Vec<PathBuf>,
    /// A macro of the preprocessor, `NAME` or `NAME=VALUE`; may be repeated.
    #[arg(long, value_name = "MACRO", requires = "verilog")]
    define: Vec<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as WARPS=8")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

impl Design {
    /// The measured module, if the arguments name one.
    pub fn top(&self) -> Option<&str> {
        self.top.as_deref()
    }

    /// Prints one line per device.
    pub fn measure(&self, root: &Path, top: &str, devices: &[Device], seeds: u32) -> Result<bool> {
        let devices = if devices.is_empty() { Device::value_variants() } else { devices };
        pool::end_with_me()?;
        println!("| module | parameters | device | LUT4 or gates | FF | BRAM or bits | MHz |\n|---|---|---|---|---|---|---|");
        let parameters: Vec<String> = self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut paths = vec![];
        for device in devices {
            let flow = Flow::ready(root, *device)?;
            let read = self.read(top)?;
            let stem = format!("design_{top}");
            let ports = ports(&flow.modules(&stem, top, &read)?, top, &self.clock)?;
            let design =
                Exported { stem, top: top.to_string(), text: String::new(), ports, read: Some((read, self.clock.clone())) };
            let figures = flow.measure(&design, seeds, None)?;
            paths.extend(flow.critical_path(&design, (top, ""), &figures, None)?);
            let clock = if *device == Device::Osu018 { String::new() } else { figures.clock() };
            println!(
                "| {top} | {} | {device:?} | {} | {} | {} | {clock} |",
                parameters.join(" "),
                figures.logic,
                figures.flops,
                figures.rams
            );
        }
        paths.iter().for_each(|path| print!("\n{path}"));
        Ok(true)
    }

    /// The Yosys commands that read the files and set the parameters.
    fn read(&self, top: &str) -> Result<String> {
        let quoted = |path: &PathBuf| -> Result<String> {
            let whole = std::path::absolute(path).with_context(|| format!("cannot find {}", path.display()))?;
            if !whole.exists() {
                bail!("cannot read {}: expected a file or folder", path.display());
            }
            Ok(format!("\"{}\"", whole.display()))
        };
        let mut read = "read_verilog -sv".to_string();
        for folder in &self.include {
            read += &format!(" -I{}", quoted(folder)?.trim_matches('"'));
        }
        self.define.iter().for_each(|macro_text| read += &format!(" -D{macro_text}"));
        for file in &self.verilog {
            read += &format!(" {}", quoted(file)?);
        }
        let set: String = self.settings.iter().map(|(name, value)| format!(" -chparam {name} {value}")).collect();
        Ok(format!("{read}; hierarchy -check -top {top}{set}"))
    }
}

/// The ports of the module `top` in Yosys' JSON, without the clock.
fn ports(json: &str, top: &str, clock: &str) -> Result<Vec<Port>> {
    let design: Value = serde_json::from_str(json).context("Yosys wrote no JSON")?;
    let found = design["modules"][top]["ports"].as_object().with_context(|| format!("Yosys found no module `{top}`"))?;
    if !found.contains_key(clock) {
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        bail!("`{top}` has no port `{clock}`: give the clock by --clock; its ports are {}", names.join(", "));
    }
    let others = found.iter().filter(|(name, _)| *name != clock);
    others
        .map(|(name, port)| {
            let dir = match port["direction"].as_str() {
                Some("input") => Dir::In,
                Some("output") => Dir::Out,
                other => bail!("port `{name}` of `{top}` is {other:?}: expected an input or an output"),
            };
            let width = port["bits"].as_array().map_or(0, Vec::len);
            Ok(Port {
                name: name.clone(),
                dir,
                width,
                group: "",
                doc: String::new(),
                values: vec![],
                channel: None,
                when: vec![],
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_from_the_json_of_yosys() {
        let json = r#"{"modules": {"m": {"ports": {
            "clk": {"direction": "input", "bits": [2]},
            "a": {"direction": "input", "bits": [3, 4]},
            "y": {"direction": "output", "bits": [5]}}}}}"#;
        let found = ports(json, "m", "clk").unwrap();
        let shown: Vec<_> = found.iter().map(|port| (port.name.as_str(), port.dir == Dir::In, port.width)).collect();
        assert_eq!(shown, [("a", true, 2), ("y", false, 1)]);
        let error = ports(json, "m", "clock").unwrap_err().to_string();
        assert_eq!(error, "`m` has no port `clock`: give the clock by --clock; its ports are a, clk, y");
        assert!(ports(json, "n", "clk").is_err());
    }
}
