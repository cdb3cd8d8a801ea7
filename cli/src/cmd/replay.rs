// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu replay`: somebody's simulation of an exported unit against the model.

use super::described;
use crate::failure::{print, Failure, Outcome, Result};
use bcu_model::{by_name, Sizes};
use bcu_tb::replay::{replay, Replayed, Waveform, WaveformError};
use std::fs::File;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu replay dump.vcd --unit named --config small
  bcu replay dump.vcd --unit named --config mine.toml --scope tb.core.barriers

For a design around an exported unit. The waveform of its simulation, of whatever simulator, must
have the ports of the unit with the clock, from a reset on; what happens before the first reset is
left out. It is a VCD; `fst2vcd` of GTKWave makes one of an FST. Each cycle's values are those
before the rising edge of the clock. The inputs are played to the project's model. What is wrong
first is told with the cycles before it: an input that is neither 0 nor 1, a channel whose rule the
design breaks, an output that is not the model's. At the end of a good waveform, for `named` and
`bcu`, each barrier at which warps wait is told, with what the other warps of the CTA did last:
this is why a design hangs.

The configuration need not be compiled in. The whole waveform is held in memory.

Exit codes: 0 every output is the model's, 1 something is wrong, 2 an unreadable waveform or
configuration, or no scope or more than one with the ports of the unit.";

/// Compare a waveform of an exported unit with the model, and tell who waits at its end.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Waveform, as VCD.
    waveform: PathBuf,
    /// Unit whose ports are in the waveform.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(bcu_isa::units::UNITS))]
    unit: String,
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    config: String,
    /// Full name of the instance, as `tb.core.barriers`; needed if several scopes have these ports.
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
}

pub fn run(args: Args) -> Result {
    let (config, unit) = (described(&args.config)?, args.unit.as_str());
    if !config.has(unit) {
        let help = "name another unit, or the configuration of the export";
        return Err(Failure::plain(format!("configuration `{}` has no unit `{unit}`", config.name), Some(help)));
    }
    let sizes = Sizes::try_from(&config).map_err(|error| Failure::plain(error, None))?;
    let shown = args.waveform.display();
    File::open(&args.waveform).map_err(|error| Failure::plain(format!("cannot read {shown}: {error}"), None))?;
    let none = || Failure::plain(format!("there is no model of `{unit}`"), None);
    let ports = by_name(unit, sizes).ok_or_else(none)?.ports().to_vec();
    let read = Waveform::read(&args.waveform, (unit, &config.name), &ports, args.scope.as_deref());
    let waveform = read.map_err(|error| Failure::plain(&error, help(&error)))?;
    let replayed = replay(&waveform, unit, sizes).ok_or_else(none)?;
    print(&text(&replayed, &waveform, &format!("{shown}: `{unit}` of the configuration {}", config.name)))?;
    Ok(if replayed.finding.is_none() { Outcome::Good } else { Outcome::CheckFailed })
}

/// What to do about it.
fn help(error: &WaveformError) -> Option<&'static str> {
    Some(match error {
        WaveformError::Unreadable { .. } => return None,
        WaveformError::Fst { .. } => "`fst2vcd`, which comes with GTKWave, makes a VCD of it: `fst2vcd waves.fst -o waves.vcd`",
        WaveformError::NoScope { .. } => "`--scope` takes the names of all scopes from the top on, with dots between",
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
    text += &format!("{} cycles from the first in reset on, {}\n", replayed.cycles, waveform.time(0));
    let passed = replayed.passed.iter().filter(|(_, number)| *number > 0);
    let passed: Vec<String> = passed.map(|(name, number)| format!("{name} {number}")).collect();
    if !passed.is_empty() {
        text += &format!("passed: {}\n", passed.join(", "));
    }
    if let Some((cycle, fault)) = &replayed.fault {
        text += &format!("first fault, {}: {fault}\n", at(*cycle));
    }
    match &replayed.finding {
        None => text += "ok: every output is the model's\n",
        Some(finding) => {
            let who = if finding.is_of_unit { "the unit is not as the model" } else { "the design around the unit is wrong" };
            text += &format!("\n{who} in {}:\n", at(finding.cycle));
            finding.what.iter().for_each(|what| text += &format!("  {what}\n"));
            text += "the cycles before it:\n";
            finding.history.iter().for_each(|(cycle, shown)| text += &format!("  {cycle:>7}  {shown}\n"));
        }
    }
    for held in &replayed.held {
        text += &format!("\nheld at the end: {held}\n");
    }
    text
}
