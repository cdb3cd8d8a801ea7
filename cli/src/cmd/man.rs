// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu man`: the manual pages of this command, in the format of `man`.

use crate::failure::{print, Failure, Outcome, Result};
use crate::files::Batch;
use crate::outputs::needs_folder;
use clap::Command;
use clap_mangen::Man;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu man | man -l -                                  the page of bcu itself
  bcu man --out ~/.local/share/man/man1               a page for bcu and for each of its commands

Exit codes: 0 all good, 2 a page cannot be written.";

/// Print the manual page, or write the pages of all commands.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write a page for each command into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages of `command`, which describes all arguments of `bcu`.
pub fn run(args: Args, mut command: Command) -> Result {
    command.build();
    let Some(folder) = args.out else {
        print(&page(&command)?)?;
        return Ok(Outcome::Good);
    };
    let mut batch = Batch::default();
    let mut names = String::new();
    let commands: Vec<&Command> = command.get_subcommands().filter(|one| one.get_name() != "help").collect();
    for one in std::iter::once(&command).chain(commands) {
        // The name of a command after `build` is that of its page: `bcu-run`.
        let name = format!("{}.1", one.get_display_name().unwrap_or(one.get_name()));
        let path = folder.join(name);
        needs_folder(&path)?;
        batch.add(&path, page(one)?)?;
        names += &format!("{}\n", path.display());
    }
    batch.commit()?;
    print(&names)?;
    Ok(Outcome::Good)
}

fn page(command: &Command) -> Result<String> {
    let mut text = vec![];
    Man::new(command.clone()).render(&mut text).map_err(|error| Failure::plain(error, None))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
