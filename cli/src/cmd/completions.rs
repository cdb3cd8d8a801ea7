// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu completions`: the script by which a shell completes the arguments of this command.

use crate::failure::{print, Outcome, Result};
use clap::Command;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  source <(bcu completions bash)                          in this shell
  bcu completions zsh > ~/.zfunc/_bcu                     for every zsh
  bcu completions fish > ~/.config/fish/completions/bcu.fish

Exit codes: 0 all good, 2 unknown shell.";

/// Print a completion script for a shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell to complete for.
    shell: Shell,
}

/// Prints the script for `command`, which describes all arguments of `bcu`.
pub fn run(args: Args, mut command: Command) -> Result {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command, "bcu", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Good)
}
