// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu replay`: compares an external simulation of an exported unit with the model.

use bcu_cli::cmd::config::config;
use bcu_cli::cmd::replay::{Args, FailOn};
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_model::{by_name, Sizes};
use bcu_tb::replay::{replay, Replayed, Waveform, WaveformError};
use std::fs::File;

pub fn run(args: Args) -> Result {
    let (config, unit) = (config(&args.config)?, args.unit.as_str());
    if !config.has_unit(unit) {
        let help = "name another unit, or the configuration of the export";
        return Err(Failure::plain(format!("configuration `{}` has no unit `{unit}`", config.name), Some(help)));
    }
    let sizes = Sizes::try_from(&config).map_err(|error| Failure::plain(error, None))?;
    let shown = args.waveform.display();
    File::open(&args.waveform).map_err(|error| Failure::plain(format!("cannot read {shown}: {error}"), None))?;
    let no_model = || Failure::plain(format!("`{unit}`: the unit has no model"), None);
    let ports = by_name(unit, sizes).ok_or_else(no_model)?.ports().to_vec();
    let read = Waveform::read(&args.waveform, (unit, &config), &ports, args.scope.as_deref());
    let waveform = read.map_err(|error| Failure::plain(&error, help(&error)))?;
    let replayed = replay(&waveform, unit, sizes).ok_or_else(no_model)?;
    print(&text(&replayed, &waveform, &format!("{shown}: `{unit}` of the configuration {}", config.name)))?;
    let fails = |on: &FailOn| match on {
        FailOn::Fault => replayed.fault.is_some(),
        FailOn::Hang => !replayed.waiting_barriers.is_empty(),
    };
    Ok(if replayed.finding.is_none() && !args.fail_on.iter().any(fails) { Outcome::Good } else { Outcome::CheckFailed })
}

/// The help text for an error; `None` if the error needs none.
fn help(error: &WaveformError) -> Option<&'static str> {
    Some(match error {
        WaveformError::Unreadable { .. } => return None,
        WaveformError::Damaged { .. } => {
            "the file may come from a simulation that was stopped: end the simulation by `$finish`, or cut the file after its last complete line"
        }
        WaveformError::Configuration { .. } => "name the configuration of the export with `--config`",
        WaveformError::Fst { .. } => {
            "`fst2vcd`, which comes with GTKWave, converts it to a VCD: `fst2vcd waves.fst -o waves.vcd`"
        }
        WaveformError::NoScope { .. } => "`--scope` takes the names of all scopes from the top, separated by dots",
        WaveformError::NoPorts { .. } => {
            "dump the instance of the unit, all of its ports: in Verilog `$dumpvars(1, <instance>)`"
        }
        WaveformError::Several { .. } => "name one of them with `--scope`",
        WaveformError::Width { .. } => "name the configuration of the export with `--config`",
        WaveformError::NoClock { .. } => "the waveform must have the clock of the unit, and must be longer than one cycle",
        WaveformError::NoReset { .. } => "the waveform must begin before the reset of the unit ends",
    })
}

fn text(replayed: &Replayed, waveform: &Waveform, what: &str) -> String {
    let at = |cycle: usize| format!("cycle {cycle} ({})", waveform.time(cycle));
    let mut text = format!("{what}, at {}\n", waveform.scope);
    let period = waveform.period().map_or("a clock whose period changes".to_string(), |period| format!("a clock of {period}"));
    text += &format!("{} cycles from the first in reset on, which ends at {}, {period}\n", replayed.cycles, waveform.time(0));
    let passed = replayed.passed.iter().filter(|(_, number)| *number > 0);
    let passed: Vec<String> = passed.map(|(name, number)| format!("{name} {number}")).collect();
    if !passed.is_empty() {
        text += &format!("passed: {}\n", passed.join(", "));
    }
    if let Some((cycle, fault)) = &replayed.fault {
        text += &format!("first fault, {}: {fault}\n", at(*cycle));
    }
    match &replayed.finding {
        None => text += "ok: every output equals the model's\n",
        Some(finding) => {
            let source = if finding.is_of_unit {
                "the outputs of the unit differ from the model"
            } else {
                "the design around the unit violates the interface"
            };
            text += &format!("\n{source} in {}:\n", at(finding.cycle));
            finding.what.iter().for_each(|what| text += &format!("  {what}\n"));
            text += "the cycles before it:\n";
            finding.history.iter().for_each(|(cycle, shown)| text += &format!("  {cycle:>7}  {shown}\n"));
        }
    }
    for barrier in &replayed.waiting_barriers {
        text += &format!("\nheld at the end: {barrier}\n");
    }
    text
}
