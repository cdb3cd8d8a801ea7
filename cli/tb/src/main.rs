// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The companion of `bcu` that contains the regression: `regress`, `merge`, `coverage`, `replay` of external waveforms, `testbench`, and
//! `run` and `check` on the unit as machine code.

mod coverage;
mod devices;
mod merge;
mod progress;
mod properties;
mod record;
mod regress;
mod replay;
mod report;
mod scenarios;
mod slurm;
mod testbench;

use bcu_cli::cmd::{self, Command};
use bcu_cli::failure::Failure;
use devices::MachineCode;
use std::process::ExitCode;

fn main() -> ExitCode {
    bcu_cli::end(|| match cmd::project::parse()?.command {
        Command::Run(args) => cmd::run::run(args, Some(&MachineCode)),
        Command::Check(args) => cmd::check::run(args, Some(&MachineCode)),
        Command::Regress(args) => regress::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Coverage(args) => coverage::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Testbench(args) => testbench::run(args),
        _ => Err(Failure::plain(
            "bcu-tb implements only `regress`, `merge`, `coverage`, `replay`, `testbench`, `run` and `check`",
            Some("`bcu` has all commands"),
        )),
    })
}
