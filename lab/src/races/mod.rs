// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab races`: recall and false alarms of the race check on the kernels of examples/races, and on mutants of the right ones.
//! examples/races/survivors.toml lists the mutants that are not found, with the reason: most are as right as their kernel.

mod mutants;

use crate::bcu::build;
use crate::page;
use anyhow::{bail, Context, Result};
use mutants::{mutants, Mutant, Mutation};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The marks in examples/races/README.md between which the results are.
pub const MARKS: (&str, &str) = ("<!-- mutants begin: cargo lab races --write -->", "<!-- mutants end -->");

#[derive(clap::Args)]
pub struct Args {
    /// The number of random schedules of each mutant, after the default one. A mutant is found if a schedule has a finding.
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only kernels whose names contain this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// Writes the table into examples/races/README.md.
    #[arg(long, conflicts_with = "filter")]
    write: bool,
}

/// A mutant that the race check does not find, with the reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    /// Folder and name of the kernel.
    kernel: String,
    /// The changed line, from 1.
    line: usize,
    /// The instruction after the mutation.
    is: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivors {
    survivor: Vec<Survivor>,
}

/// A kernel without a mistake.
struct Kernel {
    /// The folder in examples/races.
    kind: String,
    /// Folder and name of the kernel.
    name: String,
    text: String,
}

/// The first schedule in which a mutant has an error or a warning; 0 is the default one.
type FoundIn = Option<u64>;

pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let bcu = build(root)?;
    let folder = root.join("examples/races");
    let list = folder.join("survivors.toml");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let Survivors { survivor: listed } = toml::from_str(&text).with_context(|| list.display().to_string())?;
    if let Some(unexplained) = listed.iter().find(|survivor| survivor.reason.is_empty()) {
        bail!("{}: the survivor in line {} of {} has no reason", list.display(), unexplained.line, unexplained.kernel);
    }
    let mut kernels = kernels(&folder)?;
    kernels.retain(|kernel| kernel.name.contains(&args.filter));
    if kernels.is_empty() {
        bail!("no kernel of {} has `{}` in its name", folder.display(), args.filter);
    }
    let work = root.join("target/races");
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    fs::write(work.join("random.toml"), "policy = \"random\"\n")?;
    let all: Vec<(&Kernel, Mutant)> =
        kernels.iter().flat_map(|kernel| mutants(&kernel.text).into_iter().map(move |mutant| (kernel, mutant))).collect();
    let schedules = args.seed..args.seed + args.seeds;
    let found = all.par_iter().enumerate().map(|(number, (kernel, mutant))| {
        let file = work.join(format!("{number}.ptx"));
        fs::write(&file, &mutant.text)?;
        found_in(&bcu, &file, schedules.clone())
            .with_context(|| format!("{}, line {}: {}", kernel.name, mutant.line, mutant.is))
    });
    let found: Vec<FoundIn> = found.collect::<Result<_>>()?;
    let mut table: BTreeMap<(&str, Mutation), Row> = BTreeMap::new();
    let mut is_good = true;
    for ((kernel, mutant), found) in all.iter().zip(&found) {
        let is_listed =
            listed.iter().any(|listed| (&listed.kernel, listed.line, &listed.is) == (&kernel.name, mutant.line, &mutant.is));
        let row = table.entry((&kernel.kind, mutant.mutation)).or_default();
        match (found, is_listed) {
            (_, false) => row.mutants += 1,
            (_, true) => row.listed += 1,
        }
        row.by_default += usize::from(*found == Some(0) && !is_listed);
        row.found += usize::from(found.is_some() && !is_listed);
        let at = format!("{}.ptx:{}: `{}` instead of `{}`", kernel.name, mutant.line, mutant.is, mutant.was);
        match (found, is_listed) {
            (None, false) => println!("not found: {at}"),
            (Some(_), true) => println!("found, but listed in survivors.toml: {at}"),
            _ => continue,
        }
        is_good = false;
    }
    let table = markdown(&table);
    print!("{table}");
    if args.write {
        let about = format!("`cargo lab races --seeds {} --seed {}`, {} kernels:", args.seeds, args.seed, kernels.len());
        page::write(&folder.join("README.md"), MARKS, &format!("{about}\n\n{table}"))?;
    }
    Ok(is_good)
}

#[derive(Default)]
struct Row {
    mutants: usize,
    by_default: usize,
    found: usize,
    listed: usize,
}

fn markdown(table: &BTreeMap<(&str, Mutation), Row>) -> String {
    let mut text =
        "| kind | mutation | mutants | found in the default schedule | in all schedules | listed |\n|---|---|---|---|---|---|\n"
            .to_string();
    for ((kind, mutation), Row { mutants, by_default, found, listed }) in table {
        text += &format!("| `{kind}` | {} | {mutants} | {by_default} | {found} | {listed} |\n", mutation.name());
    }
    text
}

/// The kernels without a mistake in all folders of `folder`, sorted.
fn kernels(folder: &Path) -> Result<Vec<Kernel>> {
    let entries = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        entries.sort();
        Ok(entries)
    };
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut kernels = vec![];
    for kind in entries(folder)?.iter().filter(|path| path.is_dir()) {
        for file in entries(kind)?.iter().filter(|path| path.extension().is_some_and(|ending| ending == "ptx")) {
            let stem = name(file);
            if !stem.contains('.') {
                let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                kernels.push(Kernel { kind: name(kind), name: format!("{}/{stem}", name(kind)), text });
            }
        }
    }
    Ok(kernels)
}

/// Checks a mutant in the default schedule and then in random ones, until a schedule has an error or a warning.
fn found_in(bcu: &Path, file: &Path, seeds: std::ops::Range<u64>) -> Result<FoundIn> {
    let text = fs::read_to_string(file)?;
    let options = text.lines().find_map(|line| line.strip_prefix("// check: ")).unwrap_or_default();
    for schedule in std::iter::once(0).chain(seeds) {
        let mut command = Command::new(bcu);
        // If `CARGO` is set, `bcu` starts cargo in each run, to bring its companions up to date.
        command.env_remove("CARGO").current_dir(file.parent().unwrap_or(Path::new("."))).arg("check").arg(file);
        command.args(options.split_whitespace()).args(["--max-cycles", "20000", "--format", "json"]);
        if schedule > 0 {
            command.args(["--machine", "random.toml", "--seed", &schedule.to_string()]);
        }
        let output = command.output().context("cannot start bcu")?;
        let report: serde_json::Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_string())?;
        let findings = report["findings"].as_array().context("the report has no findings")?;
        if findings.iter().any(|finding| finding["severity"] != "note") {
            return Ok(Some(schedule));
        }
    }
    Ok(None)
}
