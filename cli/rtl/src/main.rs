// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The companion of `bcu` that contains the rust-hdl unit: `export`, and `run` and `check` on that unit, clocked directly.

mod devices;
mod export;

use bcu_cli::cmd::{self, Command};
use bcu_cli::failure::Failure;
use devices::RustHdl;
use std::process::ExitCode;

fn main() -> ExitCode {
    bcu_cli::end(|| match cmd::project::parse()?.command {
        Command::Run(args) => cmd::run::run(args, Some(&RustHdl)),
        Command::Check(args) => cmd::check::run(args, Some(&RustHdl)),
        Command::Export(args) => export::run(args),
        _ => Err(Failure::plain("bcu-rtl implements only `run`, `check` and `export`", Some("`bcu` has all commands"))),
    })
}
