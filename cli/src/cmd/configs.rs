// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu configs`: the hardware configurations of the project.

use super::config::{config, suggest};
use crate::failure::{print, Failure, Outcome, Result};
use bcu_isa::config::{Config, NAMED};

const EXAMPLES: &str = "\
Examples:
  bcu configs                      the list
  bcu configs small > mine.toml    one of them, to start from: change it, then `--config mine.toml`

Exit codes: 0 all good, 2 no configuration has this name.";

/// List the hardware configurations, or print one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print the TOML text of this configuration.
    name: Option<String>,
}

pub fn run(args: Args) -> Result {
    if let Some(name) = args.name {
        let text = NAMED.into_iter().find(|(n, _)| *n == name).map(|(_, text)| text);
        let missing = || Failure::plain(format!("`{name}`: unknown configuration"), Some(&suggest(&name)));
        print(text.ok_or_else(missing)?)?;
        return Ok(Outcome::Good);
    }
    let mut table = format!(
        "{:14} {:>5} {:>5} {:>9} {:>16} {:>16}\n",
        "name", "warps", "lanes", "CTA slots", "barriers per CTA", "mbarriers cached"
    );
    for (name, _) in NAMED {
        let c = config(name)?;
        let Config { warps, lanes, cta_slots, barriers, mbarrier_objects, .. } = c;
        table += &format!("{name:14} {warps:>5} {lanes:>5} {cta_slots:>9} {barriers:>16} {mbarrier_objects:>16}\n");
    }
    print(&table)?;
    Ok(Outcome::Good)
}
