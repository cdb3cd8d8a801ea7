// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu export`: writes a configuration as Verilog-2005 or SystemVerilog.

use crate::devices::RustHdl;
use bcu_cli::cmd::config::config;
use bcu_cli::cmd::export::{Args, ResetKind, ResetRegisters, Wrapper};
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::Batch;
use bcu_cli::hardware::Hardware;
use bcu_cli::outputs::is_replaceable;
use bcu_hw::export::set::MARK;
use bcu_hw::export::wrapper::HostLanguage;
use bcu_hw::export::{Dialect, Style};
use bcu_hw::verilog::{is_identifier, Reset};
use std::path::PathBuf;

pub fn run(args: Args) -> Result {
    if !is_identifier(&args.prefix) {
        let help = "expected a Verilog identifier: letters, digits and `_`, no digit first, no keyword";
        return Err(Failure::plain(format!("`{}` is not a valid prefix of module names", args.prefix), Some(help)));
    }
    let config = config(&args.config)?;
    if let Some(done) = RustHdl.rebuilt(&config) {
        return done;
    }
    let folder = args.out.unwrap_or_else(|| PathBuf::from("verilog-out").join(&config.name));
    let reset = Reset { is_async_low: args.reset == ResetKind::AsyncLow, of_all: args.reset_registers == ResetRegisters::All };
    if reset.is_async_low && !args.wrapper.is_empty() {
        let message = "`--wrapper` with `--reset async-low`: the classes connect a synchronous reset, active high";
        return Err(Failure::plain(message, Some("leave out `--reset`, or instantiate the modules by hand")));
    }
    let languages: Vec<HostLanguage> =
        HostLanguage::ALL.into_iter().filter(|language| args.wrapper.contains(&option(*language))).collect();
    let dialect = if args.sv { Dialect::SystemVerilog } else { Dialect::Verilog2005 };
    let texts = bcu_hw::export::files_with(&config, &args.unit, &args.prefix, Style { dialect, reset, wrappers: &languages });
    let texts = texts.map_err(|e| Failure::plain(e, None))?;
    let (mut batch, mut list) = (Batch::default(), String::new());
    for (name, text) in texts {
        let path = folder.join(name);
        is_replaceable(&path, MARK, "`bcu export`", "--out")?;
        batch.add(&path, &text)?;
        list += &format!("{}\n", path.display());
    }
    batch.commit()?;
    print(&list)?;
    Ok(Outcome::Good)
}

/// The value of `--wrapper` for a language.
fn option(language: HostLanguage) -> Wrapper {
    match language {
        HostLanguage::Chisel => Wrapper::Chisel,
        HostLanguage::Spinal => Wrapper::Spinal,
        HostLanguage::Amaranth => Wrapper::Amaranth,
    }
}
