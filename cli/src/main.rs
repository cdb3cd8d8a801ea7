// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The `bcu` command.

use bcu_cli::cmd::{self, Cli, Command};
use bcu_cli::companion::{self, RTL, TB};
use clap::CommandFactory;
use std::process::ExitCode;

fn main() -> ExitCode {
    bcu_cli::end(|| match cmd::project::parse()?.command {
        Command::Run(args) => cmd::run::run(args, None),
        Command::Check(args) => cmd::check::run(args, None),
        Command::Kernels(args) => cmd::kernels::run(args),
        Command::Export(_) => companion::delegate(RTL),
        Command::Asm(args) => cmd::asm::run(args),
        Command::Disasm(args) => cmd::disasm::run(args),
        Command::Configs(args) => cmd::configs::run(args),
        Command::Regress(_) | Command::Merge(_) | Command::Coverage(_) => companion::delegate(TB),
        Command::Replay(_) | Command::Testbench(_) => companion::delegate(TB),
        Command::Completions(args) => cmd::completions::run(args, Cli::command()),
        Command::Man(args) => cmd::man::run(args, Cli::command()),
    })
}
