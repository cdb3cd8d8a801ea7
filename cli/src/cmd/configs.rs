// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu configs`: the hardware configurations that come with the project.

use super::config;
use crate::failure::{print, Failure, Outcome, Result};
use bcu_hw::config::NAMED;

const EXAMPLES: &str = "\
Examples:
  bcu configs                      the list
  bcu configs small > mine.toml    one of them, to start from: change it, then `--config mine.toml`";

/// List the hardware configurations, or print one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print the TOML text of this configuration.
    name: Option<String>,
}

pub fn run(args: Args) -> Result {
    if let Some(name) = args.name {
        let text = NAMED.iter().find(|(n, _)| *n == name).map(|(_, text)| *text);
        let names: Vec<&str> = NAMED.iter().map(|(n, _)| *n).collect();
        let help = format!("the names are {}", names.join(", "));
        let missing = || Failure::plain(format!("there is no configuration `{name}`"), Some(&help));
        print(text.ok_or_else(missing)?)?;
        return Ok(Outcome::Good);
    }
    let mut table = format!("{:10} {:>5} {:>5} {:>9} {:>16}\n", "name", "warps", "lanes", "CTA slots", "barriers per CTA");
    for (name, _) in NAMED {
        let c = config(name)?;
        table += &format!("{name:10} {:>5} {:>5} {:>9} {:>16}\n", c.warps, c.lanes, c.cta_slots, c.barriers);
    }
    print(&table)?;
    Ok(Outcome::Good)
}
