// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu testbench`: testbenches in Verilog, with their stimulus.

use crate::devices::MachineCode;
use bcu_cli::cmd::config::config;
use bcu_cli::cmd::testbench::Args;
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::Batch;
use bcu_cli::hardware::Hardware;
use bcu_cli::outputs::is_replaceable;
use bcu_hw::catalog;
use bcu_hw::export::set::MARK;
use bcu_hw::verilog::{is_identifier, PREFIX};
use bcu_tb::legal::catalog::users_of;
use bcu_tb::testbench::{files, recordings, Play};
use std::path::PathBuf;

pub fn run(args: Args) -> Result {
    if !is_identifier(&args.prefix) {
        let help = "expected a Verilog identifier: letters, digits and `_`, no digit first, no keyword";
        return Err(Failure::plain(format!("`{}` is not a valid prefix of module names", args.prefix), Some(help)));
    }
    let config = config(&args.config)?;
    if let Some(done) = MachineCode.rebuilt(&config) {
        return done;
    }
    let (what, has): (_, Vec<&str>) = match args.legal {
        true => ("unit with a legal user", users_of(&config).collect()),
        false => ("unit", catalog::built(&config).collect()),
    };
    if let Some(unit) = args.unit.iter().find(|unit| !has.contains(&unit.as_str())) {
        let help = format!("the configuration has {}", has.join(", "));
        return Err(Failure::plain(format!("the configuration `{}` has no {what} `{unit}`", config.name), Some(&help)));
    }
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("verilog-out").join(&config.name));
    let (mut batch, mut list) = (Batch::default(), String::new());
    for unit in has.iter().filter(|unit| args.unit.is_empty() || args.unit.iter().any(|wanted| wanted == *unit)) {
        let usual = Play::usual(unit);
        let number = |given: Option<u32>, usual| given.map_or(usual, |given| given as usize);
        let (runs, cycles) = (number(args.runs, usual.runs), number(args.cycles, usual.cycles));
        let play = Play { seed: args.seed.unwrap_or(usual.seed), runs, cycles, legal: args.legal };
        let played = recordings(unit, &config, play).map_err(|error| Failure::plain(error, None))?;
        for (name, text) in files(&args.prefix, unit, &config.name, &played, &again(&args, unit, play)) {
            let path = folder.join(name);
            is_replaceable(&path, MARK, "`bcu export` or `bcu testbench`", "--out")?;
            batch.add(&path, &text)?;
            list += &format!("{}\n", path.display());
        }
    }
    batch.commit()?;
    print(&list)?;
    Ok(Outcome::Good)
}

/// The command line that writes the testbench of a unit.
fn again(args: &Args, unit: &str, play: Play) -> String {
    let (Args { config, prefix, .. }, Play { seed, runs, cycles, .. }) = (args, play);
    let prefix = if prefix == PREFIX { String::new() } else { format!(" --prefix {prefix}") };
    let legal = if args.legal { " --legal" } else { "" };
    format!("bcu testbench --config {config} --unit {unit} --seed {seed} --runs {runs} --cycles {cycles}{prefix}{legal}")
}
