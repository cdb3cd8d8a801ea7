// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options `--from` and `--to`: the cycles of a run that an output shows.

use super::headings::OUTPUT;
use crate::failure::{Failure, Result};
use bcu_machine::window::Window;

/// The first and the last shown cycle.
#[derive(Clone, Default, clap::Args)]
pub struct WindowArgs {
    /// The first cycle that the picture shows; by default the first launch of a CTA.
    #[arg(long = "from", value_name = "CYCLE", help_heading = OUTPUT, hide_short_help = true, value_parser = cycle, allow_negative_numbers = true)]
    first: Option<u64>,
    /// The last cycle that the picture shows; by default the end of the run.
    #[arg(long = "to", value_name = "CYCLE", help_heading = OUTPUT, hide_short_help = true, value_parser = cycle, allow_negative_numbers = true)]
    last: Option<u64>,
}

fn cycle(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| format!("expected the number of a cycle, from 0 to {}", u64::MAX))
}

impl WindowArgs {
    /// The cycles to show. `output` is the option with the output that shows them, and whether it is given.
    pub fn window(&self, output: (&str, bool)) -> Result<Window> {
        let given = [("--from", self.first), ("--to", self.last)].into_iter().find_map(|(name, cycle)| Some((name, cycle?)));
        if let (Some((name, cycle)), (output, false)) = (given, output) {
            let message = format!("`{name} {cycle}` selects cycles of an output, but there is no `{output}`");
            return Err(Failure::plain(message, Some(&format!("add `{output} FILE`"))));
        }
        let from = self.first.unwrap_or(0);
        if let Some(last) = self.last.filter(|last| *last < from) {
            let message = format!("`--to {last}` is before `--from {from}`, so no cycle is selected");
            return Err(Failure::plain(message, Some("give a last cycle that is not before the first one")));
        }
        Ok(Window { from, to: self.last.map(|last| last.saturating_add(1)) })
    }
}

/// Fails if a run of `cycles` cycles has no cycle of the window.
pub fn check(window: &Window, cycles: u64) -> Result<()> {
    if window.from < cycles {
        return Ok(());
    }
    let message = format!("`--from {}` is after the end of the run, which has {cycles} cycles", window.from);
    let last = cycles.saturating_sub(1);
    Err(Failure::plain(message, Some(&format!("give a cycle from 0 to {last}"))))
}
