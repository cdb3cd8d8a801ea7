// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proves that two exports behave the same at the same ports, unit by unit and configuration by configuration. Exit code 0: all proved; 1:
//! a unit differs or could not be decided; 2: a unit could not be run.
//!
//! The statement that is proved of a unit: for all inputs, with and without reset, every output is
//! the same in every cycle. The proof assumes that the memories of both sides power up with the same
//! contents. Each register powers up with the initial value in its text, or with 0. A bit that
//! Verilog leaves unknown counts as 0. Neither internal names nor the grouping of bits into
//! registers and words matter. Memories are cut out of both sides: the inputs of each bit of their
//! words are compared like outputs, for any read data. The units inside the whole unit are cut out
//! as well: each unit is compared alone, and the rest of the whole unit is compared at the pins of
//! these units.
//!
//! The proof is by induction over one cycle: `colours` guesses which registers behave the same, and ABC proves the guess. If that is not
//! enough, ABC examines all cycles, to find a proof or inputs that trigger a difference.

mod colours;
mod cut;
mod hash;
mod proof;
mod question;
mod reach;
mod side;
mod simulate;
#[cfg(test)]
mod tests;

use anyhow::{ensure, Context, Result};
use bcu_hw::export::set::is_design;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use proof::{prove, Answer};
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xtask::pool;

#[derive(clap::Args)]
pub struct Args {
    /// Folder of the old export, of one configuration or of several.
    old: PathBuf,
    /// Folder of the new export.
    new: PathBuf,
    /// Only the configurations of these names.
    #[arg(long = "config", value_delimiter = ',', value_name = "NAME")]
    configs: Vec<String>,
    /// Only these units, such as `named` or `bcu`.
    #[arg(long = "unit", value_delimiter = ',', value_name = "NAME")]
    units: Vec<String>,
    /// Units that are proved in parallel; default: one per core.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Time limit of each step of a proof, in seconds.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
}

/// A unit of a configuration.
struct Job {
    config: String,
    unit: String,
    /// The modules of all other units of the export, which are cut out if the unit contains them.
    parts: Vec<String>,
    files: [PathBuf; 2],
}

impl Job {
    fn name(&self) -> String {
        if self.config.is_empty() {
            self.unit.clone()
        } else {
            format!("{}/{}", self.config, self.unit)
        }
    }
}

/// Proves all chosen units. Returns false if a unit is not proved.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    pool::end_with_me()?;
    let jobs = jobs(args)?;
    let folder = own_folder(&root.join("target/equal"))?;
    let start = Instant::now();
    let outcomes: Vec<Option<Result<Answer>>> = pool::each(&jobs, args.jobs, Job::name, |job| {
        let begin = Instant::now();
        let answer = prove(&folder.join(job.name()), &job.unit, &job.parts, &job.files, u64::from(args.timeout));
        let (mark, say) = match &answer {
            Ok(Answer::Equal) => ("ok     ", String::new()),
            Ok(Answer::Differs(how)) => ("DIFFERS", format!("\n        {how}")),
            Ok(Answer::Open(why)) => ("OPEN   ", format!("\n        {why}")),
            Err(error) => ("??     ", format!("\n        {error:#}")),
        };
        (format!("{mark} {} ({:.1} s){say}", job.name(), begin.elapsed().as_secs_f64()), answer)
    });
    let count = |which: fn(&Result<Answer>) -> bool| outcomes.iter().flatten().filter(|o| which(o)).count();
    let (equal, differ) = (count(|o| matches!(o, Ok(Answer::Equal))), count(|o| matches!(o, Ok(Answer::Differs(_)))));
    let open = count(|o| matches!(o, Ok(Answer::Open(_))));
    let undone = jobs.len() - equal - differ - open;
    println!(
        "equal: {} units, {equal} proved, {differ} differ, {open} open, {undone} not run, {:.0} s",
        jobs.len(),
        start.elapsed().as_secs_f64()
    );
    ensure!(undone == 0, "{undone} units could not be compared; see the messages above");
    Ok(equal == jobs.len())
}

/// The path of a folder for this run alone, because other runs may be in progress. Its name is the process id. Removes the folders of ended
/// runs.
fn own_folder(runs: &Path) -> Result<PathBuf> {
    fs::create_dir_all(runs).with_context(|| format!("cannot create {}", runs.display()))?;
    for entry in fs::read_dir(runs).with_context(|| format!("cannot read {}", runs.display()))? {
        let path = entry?.path();
        let run = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.parse().ok());
        if run.is_none_or(|run| kill(Pid::from_raw(run), None).is_err()) {
            fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(runs.join(std::process::id().to_string()))
}

/// The units of the two folders that the arguments select.
fn jobs(args: &Args) -> Result<Vec<Job>> {
    let sides = [&args.old, &args.new];
    let listing_sides = sides.iter().filter(|s| !list(s, true).unwrap_or_default().is_empty()).count();
    ensure!(
        listing_sides != 1,
        "{} and {} must be either two exports or two configurations of them",
        args.old.display(),
        args.new.display()
    );
    let configs = match listing_sides {
        0 => both(sides.map(PathBuf::as_path), false, &args.configs, "configuration")?,
        _ => [String::new()].into(),
    };
    let mut jobs = vec![];
    for config in &configs {
        let folders = sides.map(|s| s.join(config));
        let wanted: Vec<String> =
            args.units.iter().map(|u| if u.starts_with("bcu") { u.clone() } else { format!("bcu_{u}") }).collect();
        for unit in both([&folders[0], &folders[1]], true, &wanted, "unit")? {
            let files = folders.each_ref().map(|folder| file_of(folder, &unit));
            let parts = list(&folders[0], true)?.into_iter().filter(|part| *part != unit).collect();
            jobs.push(Job { config: config.clone(), unit, parts, files });
        }
    }
    Ok(jobs)
}

/// The file of a unit in an export: Verilog-2005 or SystemVerilog.
fn file_of(folder: &Path, unit: &str) -> PathBuf {
    let system = folder.join(format!("{unit}.sv"));
    if system.is_file() {
        system
    } else {
        folder.join(format!("{unit}.v"))
    }
}

/// The names in `wanted` or, if `wanted` is empty, all names in the two folders. It is an error if a folder lacks one of them. `files` is
/// the argument of [`list`].
fn both(folders: [&Path; 2], files: bool, wanted: &[String], kind: &str) -> Result<BTreeSet<String>> {
    let [old, new] = [list(folders[0], files)?, list(folders[1], files)?];
    let chosen = |name: &String| wanted.is_empty() || wanted.contains(name);
    for name in wanted.iter().chain(old.union(&new)).filter(|n| chosen(n)) {
        for (side, folder) in [&old, &new].iter().zip(folders) {
            ensure!(side.contains(name), "{} has no {kind} `{name}`", folder.display());
        }
    }
    ensure!(!old.is_empty(), "{} has no {kind}", folders[0].display());
    Ok(old.into_iter().filter(chosen).collect())
}

/// With `files` the names of the units in the export `folder`, without the primitives, which are parts of units, and the package, otherwise the names of the exports
/// below `folder`. The folder `common`, which has no manifest, is left out.
fn list(folder: &Path, files: bool) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = if files {
            path.file_stem().filter(|_| path.extension().is_some_and(|e| e == "v" || e == "sv"))
        } else {
            path.file_name()
        };
        if let Some(name) = name.and_then(|n| n.to_str()) {
            let is_listed = if files {
                is_design(name) && !["_prim", "_pkg"].iter().any(|end| name.ends_with(end))
            } else {
                path.join("manifest.json").is_file()
            };
            if is_listed {
                names.insert(name.to_string());
            }
        }
    }
    Ok(names)
}
