// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab search`: exhaustive searches of the model (`bcu_tb::search`), selected by their names. Exit code 0: every state keeps the
//! rules; 1: a state breaks a rule; 2: there are too many states.

use anyhow::{bail, Result};
use bcu_model::Sizes;
use bcu_tb::search::cluster::Clusters;
use bcu_tb::search::grid::Grids;
use bcu_tb::search::{explore, Outcome};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Searches to run, by the names that `--list` prints; default: all.
    names: Vec<String>,
    /// Prints the names instead of searching.
    #[arg(long)]
    list: bool,
    /// Maximum number of states; each takes about 35 bytes.
    #[arg(long, default_value_t = 100_000_000)]
    limit: usize,
}

/// A search: its name, a description of the state space, and the function that explores it up to a
/// number of states.
struct Named {
    name: &'static str,
    what: &'static str,
    run: fn(Sizes, usize) -> Result<Outcome, String>,
}

fn clusters(sizes: Sizes, warps: usize, slots: usize, limit: usize) -> Result<Outcome, String> {
    explore(&Clusters { sizes, warps, slots, fault: None }, limit)
}

fn grids(sizes: Sizes, ctas: u8, places: usize, limit: usize) -> Result<Outcome, String> {
    explore(&Grids { sizes, warps: 1, ctas, places, prompt: false, fault: None }, limit)
}

const SEARCHES: [Named; 5] = [
    Named { name: "cluster", what: "CTAs of 1 warp, 1 cluster slot", run: |s, limit| clusters(s, 1, 1, limit) },
    Named { name: "cluster_slots", what: "CTAs of 1 warp, 2 cluster slots", run: |s, limit| clusters(s, 1, 2, limit) },
    Named { name: "cluster_warps", what: "CTAs of 2 warps, 1 cluster slot", run: |s, limit| clusters(s, 2, 1, limit) },
    Named { name: "grid", what: "grids of 1 CTA of 1 warp, links of 2 messages", run: |s, limit| grids(s, 1, 2, limit) },
    Named {
        name: "grid_ctas",
        what: "grids of up to 2 CTAs of 1 warp, links of 1 message",
        run: |s, limit| grids(s, 2, 1, limit),
    },
];

/// Runs the selected searches. Returns false if a rule is broken.
pub fn run(args: &Args) -> Result<bool> {
    if let Some(name) = args.names.iter().find(|name| SEARCHES.iter().all(|search| *name != search.name)) {
        bail!("`{name}`: unknown search; `cargo lab search --list` prints the names");
    }
    let chosen = SEARCHES.iter().filter(|search| args.names.is_empty() || args.names.iter().any(|name| name == search.name));
    let (mut good, sizes) = (true, Sizes::new(4, 4, 1, 4, 4, 3)?);
    for Named { name, what, run } in chosen {
        if args.list {
            println!("{name}: {what}");
            continue;
        }
        let start = Instant::now();
        let outcome = run(sizes, args.limit).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        let mark = if outcome.found.is_some() { "FAIL" } else { "ok  " };
        println!("{mark} {name} ({:.0} s): {outcome}", start.elapsed().as_secs_f64());
        good &= outcome.found.is_none();
    }
    Ok(good)
}
