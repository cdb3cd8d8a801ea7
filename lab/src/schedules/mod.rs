// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab schedules`: the verdict for every schedule of each kernel of examples/kernels, what an exploration executes, and whether each
//! planted bug is found whatever the seed.

mod bugs;
mod check;
mod kernels;
mod page;
#[cfg(test)]
mod tests;

use crate::bcu::build;
use crate::page::{circumstances, write};
use anyhow::{bail, Context, Result};
use bcu_tb::kernels as launch_files;
use bugs::Bug;
use check::{Checker, MACHINE, RANDOM};
use kernels::Kernel;
use rayon::prelude::*;
use std::fs;
use std::path::Path;
use std::time::Duration;

pub const PAGE: &str = "docs/evidence/schedules.md";
/// The marks in the page between which the results are.
pub const MARKS: (&str, &str) = ("<!-- schedules begin: cargo lab schedules --write -->", "<!-- schedules end -->");

#[derive(clap::Args)]
pub struct Args {
    /// The maximum number of schedules of an exploration.
    #[arg(long, default_value_t = 30)]
    schedules: u32,
    /// The number of random schedules of each planted bug, after the default one.
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The limit of a check, in seconds; the tables state the checks that do not end within it.
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Only kernels and bugs whose names contain this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// Writes the tables into docs/evidence/schedules.md.
    #[arg(long, conflicts_with = "filter")]
    write: bool,
}

pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let folder = root.join("examples/kernels");
    let files = launch_files::kernels(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let bug_files = files.iter().flat_map(|file| launch_files::bugs(file));
    let kernel_files: Vec<[String; 2]> = files.iter().map(|file| named(root, file)).filter(|file| is_in(file, args)).collect();
    let bug_files: Vec<[String; 2]> = bug_files.map(|file| named(root, &file)).filter(|file| is_in(file, args)).collect();
    if kernel_files.is_empty() && bug_files.is_empty() {
        bail!("no kernel or bug of {} has `{}` in its name", folder.display(), args.filter);
    }
    let checker = Checker { bcu: build(root)?, root, limit: Duration::from_secs(args.limit) };
    let machine = root.join(MACHINE);
    fs::create_dir_all(machine.parent().unwrap_or(root)).with_context(|| format!("cannot make {}", machine.display()))?;
    fs::write(&machine, RANDOM).with_context(|| format!("cannot write {}", machine.display()))?;
    let seeds = args.seed..args.seed + args.seeds;
    // Each file is a task of its own, and no task is given a block of files: a few take as long as all others.
    let kernels =
        kernel_files.par_iter().with_max_len(1).map(|[name, file]| Kernel::new(&checker, (name, file), args.schedules));
    let kernels: Vec<Kernel> = kernels.collect::<Result<_>>()?;
    let bugs = bug_files.par_iter().with_max_len(1);
    let bugs = bugs.map(|[name, file]| Bug::new(&checker, (name, file), args.schedules, seeds.clone()));
    let bugs: Vec<Bug> = bugs.collect::<Result<_>>()?;
    let tables = format!(
        "### Kernels\n\n{}\n### Planted bugs\n\n{}",
        kernels::markdown(&kernels, args.limit),
        bugs::markdown(&bugs, args.limit)
    );
    print!("{tables}");
    let failures: Vec<String> = kernels.iter().flat_map(Kernel::failures).chain(bugs.iter().flat_map(Bug::failures)).collect();
    failures.iter().for_each(|failure| println!("failed: {failure}"));
    if args.write {
        let Args { schedules, seeds, seed, limit, .. } = args;
        let command = format!("cargo lab schedules --schedules {schedules} --seeds {seeds} --seed {seed} --limit {limit}");
        let circumstances = circumstances(root, &command);
        write(&root.join(PAGE), MARKS, &format!("{circumstances}, development build of `bcu`.\n\n{tables}"))?;
    }
    Ok(failures.is_empty())
}

fn is_in([name, _]: &[String; 2], args: &Args) -> bool {
    name.contains(&args.filter)
}

/// The name of a launch file, which is that of its folder or `KERNEL/BUG`, and its path from the root of the project.
fn named(root: &Path, file: &Path) -> [String; 2] {
    let path = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let name = path.trim_start_matches("examples/kernels/").trim_end_matches("/launch.toml").trim_end_matches(".toml");
    [name.replace("/bugs/", "/"), path]
}
