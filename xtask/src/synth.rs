// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Area and clock of the exported units on iCE40 HX8K, with Debian's yosys and nextpnr-ice40.
//!
//! Area is that of the bare unit. For the clock the mapped netlist goes into a wrapper that feeds every input from a shift
//! register and takes every output into a register, so that no synthesis crosses the unit's boundary and few pins suffice.

use anyhow::{bail, Context, Result};
use bcu_hw::ports::{Dir, Port};
use bcu_hw::{catalog, config, export, verilog};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Units to map, all of them if none is named.
    units: Vec<String>,
    /// Configurations to map, all of them if none is named.
    #[arg(long = "config")]
    configs: Vec<String>,
    /// Seeds of the placement; the clock is given as the range over them.
    #[arg(long, default_value_t = 3)]
    seeds: u32,
}

struct Row {
    luts: usize,
    flops: usize,
    rams: usize,
    /// One per seed; none if the unit does not fit the device.
    clocks: Vec<f64>,
}

/// Prints one line per unit and configuration.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    for (tool, package) in [("yosys", "yosys"), ("nextpnr-ice40", "nextpnr-ice40")] {
        if Command::new(tool).arg("--version").output().is_err() {
            bail!("{tool} is missing: apt-get install {package}");
        }
    }
    let work = root.join("target/synth");
    fs::create_dir_all(&work)?;
    println!("| unit | configuration | LUT4 | FF | BRAM | MHz, HX8K |\n|---|---|---|---|---|---|");
    for (name, _) in config::NAMED {
        if !args.configs.is_empty() && !args.configs.iter().any(|c| c == name) {
            continue;
        }
        let config = config::named(name).with_context(|| format!("configuration {name}"))?;
        let files = export::files(&config)?;
        for unit in catalog::UNITS.iter().filter(|u| args.units.is_empty() || args.units.iter().any(|a| a == *u)) {
            let built = catalog::build(&config, unit).with_context(|| format!("unit {unit}"))?;
            let top = verilog::Options::for_unit(&*built).top;
            let text = files.iter().find(|f| f.0 == format!("{top}.v")).context("no such file in the export")?;
            let row = measure(&work, &format!("{name}_{top}"), &top, &text.1, &built.ports(), args.seeds)?;
            let clock = match (row.clocks.iter().copied().reduce(f64::min), row.clocks.iter().copied().reduce(f64::max)) {
                (Some(low), Some(high)) => format!("{low:.0}-{high:.0}"),
                _ => "does not fit".to_string(),
            };
            println!("| {unit} | {name} | {} | {} | {} | {clock} |", row.luts, row.flops, row.rams);
        }
    }
    Ok(true)
}

fn measure(work: &Path, stem: &str, top: &str, text: &str, ports: &[Port], seeds: u32) -> Result<Row> {
    fs::write(work.join(format!("{stem}.v")), text)?;
    fs::write(work.join(format!("{stem}_wrap.v")), wrapper(top, ports))?;
    let script = format!(
        "read_verilog {stem}.v; synth_ice40 -top {top}; tee -o {stem}.stat stat; write_verilog -noattr {stem}_mapped.v; \
         design -reset; read_verilog -lib +/ice40/cells_sim.v; read_verilog {stem}_mapped.v; setattr -mod -unset top {top}; \
         read_verilog {stem}_wrap.v; synth_ice40 -top wrap -json {stem}.json"
    );
    tool(work, "yosys", &["-q", "-p", &script])?;
    let stat = fs::read_to_string(work.join(format!("{stem}.stat")))?;
    let cells = |wanted: &dyn Fn(&str) -> bool| -> usize {
        let lines = stat.lines().filter_map(|l| l.trim().split_once(char::is_whitespace));
        lines.filter(|(cell, _)| wanted(cell)).filter_map(|(_, n)| n.trim().parse::<usize>().ok()).sum()
    };
    let mut clocks = vec![];
    for seed in 1..=seeds {
        let (json, seed) = (format!("{stem}.json"), seed.to_string());
        let options = ["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained", "--seed", &seed, "--json", &json];
        let (placed, log) = output(work, "nextpnr-ice40", &options)?;
        // What it says when a kind of cell is used up, whatever the seed.
        if !placed && ["no BELs remaining", "Unable to find a placement location"].iter().any(|m| log.contains(m)) {
            break;
        }
        if !placed {
            bail!("nextpnr-ice40 failed: {}", end(&log));
        }
        let last = log.lines().rev().find_map(|l| l.split("Max frequency for clock").nth(1));
        let mhz = last.and_then(|l| l.split(':').nth(1)).and_then(|l| l.split_whitespace().next()?.parse().ok());
        clocks.push(mhz.context("nextpnr gave no clock")?);
    }
    Ok(Row {
        luts: cells(&|c| c == "SB_LUT4"),
        flops: cells(&|c| c.starts_with("SB_DFF")),
        rams: cells(&|c| c.starts_with("SB_RAM")),
        clocks,
    })
}

/// Feeds the unit from one long shift register and collects its outputs, registered, into one pin.
fn wrapper(top: &str, ports: &[Port]) -> String {
    let bits: usize = ports.iter().filter(|p| p.dir == Dir::In).map(|p| p.width).sum();
    let outs: usize = ports.iter().filter(|p| p.dir == Dir::Out).map(|p| p.width).sum();
    let mut text = format!(
        "module wrap (input clock, input in, input load, output reg out);\n  reg [{0}:0] feed;\n  wire [{1}:0] taken;\n  reg [{1}:0] held, sent;\n  \
         always @(posedge clock) begin\n    feed <= {{feed[{2}:0], in}};\n    held <= taken;\n    sent <= load ? held : {{sent[{3}:0], 1'b0}};\n    \
         out <= sent[{1}];\n  end\n  {top} unit (.clock(clock)",
        bits - 1,
        outs - 1,
        bits.saturating_sub(2),
        outs.saturating_sub(2)
    );
    let (mut fed, mut got) = (0, 0);
    for port in ports {
        let (net, at) = if port.dir == Dir::In { ("feed", &mut fed) } else { ("taken", &mut got) };
        let _ = write!(text, ",\n    .{}({net}[{}:{}])", port.name, *at + port.width - 1, *at);
        *at += port.width;
    }
    text + ");\nendmodule\n"
}

fn tool(work: &Path, name: &str, arguments: &[&str]) -> Result<String> {
    let (good, log) = output(work, name, arguments)?;
    if !good {
        bail!("{name} failed: {}", end(&log));
    }
    Ok(log)
}

/// Whether it succeeded, and all that it printed.
fn output(work: &Path, name: &str, arguments: &[&str]) -> Result<(bool, String)> {
    let done = Command::new(name).args(arguments).current_dir(work).output().with_context(|| format!("cannot start {name}"))?;
    let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    Ok((done.status.success(), log))
}

/// The last lines, latest first.
fn end(log: &str) -> String {
    log.lines().rev().take(8).collect::<Vec<_>>().join(" | ")
}
