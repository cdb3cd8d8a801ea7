// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab engines`: runs `bcu check` on every example, kernel and planted bug, with the model, the unit's machine code and the rust-hdl
//! unit. All reports must be equal.

use crate::bcu::build;
use anyhow::{bail, Context, Result};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The engines that are compared. The report of each must equal the report of the first.
const ENGINES: [&str; 3] = ["model", "jit", "rtl"];

/// Programs that run before the others, one for each configuration that the examples need. They
/// make `bcu` build its companions before it runs many times in parallel.
const FIRST: [&str; 2] = ["producer_consumer.bcu", "visa/ring.visa"];

#[derive(clap::Args)]
pub struct Args {
    /// Only programs and launch files whose paths contain this text.
    #[arg(long, default_value = "")]
    filter: String,
    /// Only these engines, in addition to the model.
    #[arg(long, value_parser = ["jit", "rtl"])]
    engine: Vec<String>,
}

/// A program or launch file, with the arguments of its check from its comments.
struct Subject {
    path: PathBuf,
    arguments: Vec<String>,
}

/// Checks all selected programs and launch files on the engines. Returns false if a report differs from that of the model.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let bcu = build(root)?;
    let examples = root.join("examples");
    let engines: Vec<&str> = ENGINES[1..]
        .iter()
        .copied()
        .filter(|&engine| args.engine.is_empty() || args.engine.iter().any(|one| one == engine))
        .collect();
    for (name, engine) in FIRST.iter().flat_map(|name| engines.iter().map(move |engine| (name, engine))) {
        let subject = Subject { path: examples.join(name), arguments: vec![] };
        report(Command::new(&bcu), &subject, engine)?;
    }
    let mut subjects = subjects(&examples)?;
    subjects.retain(|subject| subject.path.to_string_lossy().contains(&args.filter));
    if subjects.is_empty() {
        bail!("no program or launch file has `{}` in its path", args.filter);
    }
    let start = Instant::now();
    let differences: Vec<String> = subjects
        .par_iter()
        .flat_map_iter(|subject| {
            let wrong = compare(&bcu, subject, &engines);
            wrong
                .into_iter()
                .map(|why| format!("{}: {why}", subject.path.strip_prefix(root).unwrap_or(&subject.path).display()))
        })
        .inspect(|line| println!("{line}"))
        .collect();
    println!(
        "{} programs and launch files on {} and the model in {:.0} s, {} differences",
        subjects.len(),
        engines.join(", "),
        start.elapsed().as_secs_f64(),
        differences.len()
    );
    Ok(differences.is_empty())
}

/// The programs in `examples` outside `examples/kernels`, and all launch files of `examples/kernels`.
fn subjects(examples: &Path) -> Result<Vec<Subject>> {
    let mut subjects = vec![];
    for folder in ["", "check", "cuda", "visa"] {
        for path in files(&examples.join(folder))? {
            let program = path.extension().is_some_and(|ending| ["bcu", "ptx", "visa"].iter().any(|one| ending == *one));
            if program {
                subjects.push(subject(path)?);
            }
        }
    }
    for kernel in files(&examples.join("kernels"))?.iter().filter(|path| path.is_dir()) {
        let mut launches = files(kernel)?;
        let bugs = kernel.join("bugs");
        if bugs.is_dir() {
            launches.extend(files(&bugs)?);
        }
        launches.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        subjects.extend(launches.into_iter().map(|path| Subject { path, arguments: vec![] }));
    }
    Ok(subjects)
}

/// A program with the arguments of its check, which comments in the program give. If a comment names a launch file, the `path` of the
/// returned subject is that file.
fn subject(path: PathBuf) -> Result<Subject> {
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
    let (arguments, launch) = (line("// check: "), line("// launch: "));
    let arguments = arguments.split_whitespace().map(str::to_string).collect();
    let path = if launch.is_empty() { path } else { path.with_file_name(launch) };
    Ok(Subject { path, arguments })
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

/// The differences between the reports of `engines` and the report of the model.
fn compare(bcu: &Path, subject: &Subject, engines: &[&str]) -> Vec<String> {
    let reported = |engine: &str| {
        let mut command = Command::new(bcu);
        // If `CARGO` is set, `bcu` starts cargo in each run, to bring the companion up to date.
        command.env_remove("CARGO");
        report(command, subject, engine)
    };
    let expected = match reported(ENGINES[0]) {
        Ok(expected) => expected,
        Err(why) => return vec![format!("model: {why:#}")],
    };
    let differs = |engine: &&str| match reported(engine) {
        Ok(found) if found == expected => None,
        Ok(found) => {
            Some(format!("{engine}: exit {:?} and {}\n  model: exit {:?} and {}", found.0, found.1, expected.0, expected.1))
        }
        Err(why) => Some(format!("{engine}: {why:#}")),
    };
    engines.iter().filter_map(differs).collect()
}

/// Checks a program or launch file on an engine. Returns the exit code, and the report without the
/// name of the engine.
fn report(mut command: Command, subject: &Subject, engine: &str) -> Result<(Option<i32>, Value)> {
    let folder = subject.path.parent().unwrap_or(Path::new(""));
    command
        .arg("check")
        .arg(&subject.path)
        .args(&subject.arguments)
        .args(["--format", "json", "--engine", engine])
        .current_dir(folder);
    let output = command.output().context("cannot start bcu")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut report: Value =
        serde_json::from_str(&text).with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_string())?;
    if let Some(report) = report.as_object_mut() {
        report.remove("engine");
    }
    Ok((output.status.code(), report))
}
