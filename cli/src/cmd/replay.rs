// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu replay`, a command that the companion executable `bcu-tb` runs.

use bcu_isa::units::UNITS;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu replay dump.vcd --unit named --config small
  bcu replay dump.vcd --unit named --config mine.toml --scope tb.core.barriers
  bcu replay dump.vcd --unit bcu --fail-on fault,hang

For a design around an exported unit. The waveform of its simulation, of any simulator, must have
the ports of the unit with the clock, from a reset on; cycles before the first reset are ignored.
It is a VCD; `fst2vcd` of GTKWave converts an FST. Each cycle's values are those before the rising
edge of the clock. The inputs are replayed on the project's model. The first error is printed with
the cycles before it: an input that is neither 0 nor 1, a channel whose rule the design breaks, an
output that differs from the model's. At the end of a good waveform, for `named` and `bcu`, each
barrier at which warps wait is printed with the last operation of the other warps of the CTA, which
is the reason that a design hangs. An export of another configuration is recognised.

The configuration need not be compiled in. The whole waveform is held in memory.

Exit codes: 0 every output equals the model's, 1 an error, or an event that `--fail-on` names,
2 an unreadable waveform or configuration, or no scope or more than one with the ports of the
unit.";

/// Compare a waveform of an exported unit with the model, and list the warps that wait at its end.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Waveform, as VCD.
    pub waveform: PathBuf,
    /// Unit whose ports are in the waveform.
    #[arg(long, value_parser = PossibleValuesParser::new(UNITS))]
    pub unit: String,
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    pub config: String,
    /// Full name of the instance, such as `tb.core.barriers`; needed if several scopes have these ports.
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// Failures in addition to a difference: a fault that the unit reports, warps that wait at the end.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// Conditions that `--fail-on` makes failures, in addition to a difference from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    Fault,
    Hang,
}
