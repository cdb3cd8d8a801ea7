// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The companion of `bcu` that has the regression: `regress`, and `replay` of other people's waveforms.

mod record;
mod regress;
mod replay;

use bcu_cli::cmd::{Cli, Command};
use bcu_cli::failure::Failure;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    bcu_cli::end(match Cli::parse().command {
        Command::Regress(args) => regress::run(args),
        Command::Replay(args) => replay::run(args),
        _ => Err(Failure::plain("bcu-tb has `regress` and `replay` only", Some("`bcu` has all commands"))),
    })
}
