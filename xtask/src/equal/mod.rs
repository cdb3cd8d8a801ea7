// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether two exports behave the same at the same ports, unit by unit and configuration by configuration. 0: all proved; 1: something
//! differs or could not be decided; 2: something could not be run.
//!
//! What is proved of a unit: if both sides power up with the same contents of their memories and each register as its text says (with 0
//! where it says nothing), then every output is the same in every cycle, whatever the inputs, reset or not. A bit that Verilog leaves
//! unknown counts as 0. Names inside do not count. Memories are cut out of both sides: that what each is told is the same is proved with
//! the outputs, for any words that it might answer.

mod cut;
mod question;
mod side;
mod simulate;

use crate::circuit::abc::{abc, verdict, Verdict};
use crate::circuit::builder::Builder;
use crate::pool;
use anyhow::{bail, ensure, Context, Result};
use question::{pairs, question, Compared};
use side::Side;
use simulate::simulate;
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Folder of the old export, of all configurations or of one.
    old: PathBuf,
    /// Folder of the new one.
    new: PathBuf,
    /// Only these configurations.
    #[arg(long = "config", value_delimiter = ',', value_name = "NAME")]
    configs: Vec<String>,
    /// Only these units, as `named` or `bcu`.
    #[arg(long = "unit", value_delimiter = ',', value_name = "NAME")]
    units: Vec<String>,
    /// How many units at the same time; all cores if not given.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Seconds that each step of a proof may take.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
}

/// A unit of a configuration.
struct Job {
    config: String,
    unit: String,
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

/// What was found.
enum Answer {
    Equal,
    Differs(String),
    Open(String),
}

/// Proves all chosen units; false if one is not proved.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    pool::end_with_me()?;
    let jobs = jobs(args)?;
    let start = Instant::now();
    let outcomes = pool::each(&jobs, args.jobs, Job::name, |job| {
        let begin = Instant::now();
        let answer = prove(root, job, u64::from(args.timeout));
        let (mark, say) = match &answer {
            Ok(Answer::Equal) => ("ok     ", String::new()),
            Ok(Answer::Differs(how)) => ("DIFFERS", format!("\n        {how}")),
            Ok(Answer::Open(why)) => ("OPEN   ", format!("\n        {why}")),
            Err(error) => ("??     ", format!("\n        {error:#}")),
        };
        (format!("{mark} {} ({:.1} s){say}", job.name(), begin.elapsed().as_secs_f64()), answer)
    });
    let count = |which: fn(&Result<Answer>) -> bool| outcomes.iter().filter(|o| which(o)).count();
    let (equal, differ) = (count(|o| matches!(o, Ok(Answer::Equal))), count(|o| matches!(o, Ok(Answer::Differs(_)))));
    let open = count(|o| matches!(o, Ok(Answer::Open(_))));
    let undone = jobs.len() - equal - differ - open;
    println!(
        "equal: {} units, {equal} proved, {differ} differ, {open} open, {undone} not run, {:.0} s",
        jobs.len(),
        start.elapsed().as_secs_f64()
    );
    ensure!(undone == 0, "{undone} units could not be compared; what is above says why");
    Ok(equal == jobs.len())
}

/// The units of the folders, as far as they are wanted.
fn jobs(args: &Args) -> Result<Vec<Job>> {
    let sides = [&args.old, &args.new];
    let one = sides.iter().filter(|s| !list(s, true).unwrap_or_default().is_empty()).count();
    ensure!(
        one != 1,
        "{} and {} must be either two exports or two configurations of them",
        args.old.display(),
        args.new.display()
    );
    let configs = match one {
        0 => both(sides.map(PathBuf::as_path), false, &args.configs, "configuration")?,
        _ => [String::new()].into(),
    };
    let mut jobs = vec![];
    for config in &configs {
        let folders = sides.map(|s| s.join(config));
        let wanted: Vec<String> =
            args.units.iter().map(|u| if u.starts_with("bcu") { u.clone() } else { format!("bcu_{u}") }).collect();
        for unit in both([&folders[0], &folders[1]], true, &wanted, "unit")? {
            let files = folders.each_ref().map(|f| f.join(format!("{unit}.v")));
            jobs.push(Job { config: config.clone(), unit, files });
        }
    }
    Ok(jobs)
}

/// Names that are in both folders; an error if one is in only one of them, or a wanted one in none.
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

/// Verilog files in a folder, or folders with such files.
fn list(folder: &Path, files: bool) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name =
            if files { path.file_stem().filter(|_| path.extension().is_some_and(|e| e == "v")) } else { path.file_name() };
        if let Some(name) = name.and_then(|n| n.to_str()) {
            if files || path.is_dir() && !list(&path, true)?.is_empty() {
                names.insert(name.to_string());
            }
        }
    }
    Ok(names)
}

fn prove(root: &Path, job: &Job, seconds: u64) -> Result<Answer> {
    let folder = root.join("target/equal").join(job.name());
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let [old, new] =
        [Side::read(&job.files[0], &job.unit, &folder, "old")?, Side::read(&job.files[1], &job.unit, &folder, "new")?];
    if let Some(list) = different_ports(&old, &new) {
        return Ok(Answer::Differs(format!("the ports: {list}")));
    }
    let runs = [simulate(&old), simulate(&new)];
    for cycle in 0..simulate::CYCLES {
        let ports = runs[0].shown.iter().zip(&runs[1].shown).filter(|((_, one), (_, other))| one[cycle] != other[cycle]);
        let names: BTreeSet<&str> = ports.map(|(((name, _), _), _)| name.as_str()).collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Ok(Answer::Differs(format!("in simulation, cycle {cycle} after power-up: {names}")));
        }
    }
    let pairs = match pairs(&old, &new, [&runs[0].told, &runs[1].told]) {
        Ok(pairs) => pairs,
        Err(why) => return Ok(Answer::Open(why)),
    };
    let unlike = pairs.iter().filter(|(one, other)| runs[0].told[*one] != runs[1].told[*other]);
    let unlike: Vec<&str> = unlike.map(|(one, _)| old.memories[*one].name.as_str()).collect();
    if !unlike.is_empty() {
        return Ok(Answer::Open(format!(
            "no memory of the new text is told the same as {}, though all ports are the same so far",
            unlike.join(", ")
        )));
    }
    let (graph, compared) = question(&old, &new, &pairs)?;
    decide(&folder, &graph, compared, !pairs.is_empty(), seconds)
}

/// What ABC finds out.
fn decide(folder: &Path, graph: &Builder, compared: Vec<Compared>, memories: bool, seconds: u64) -> Result<Answer> {
    if compared.is_empty() {
        return Ok(Answer::Equal);
    }
    let literals: Vec<u32> = compared.iter().map(|c| c.literal).collect();
    fs::write(folder.join("question.aig"), graph.write(&literals))?;
    let merged = abc(folder, "&r question.aig; &scorr -C 10000; &w merged.aig", Some(seconds))?;
    let file = if merged.is_some() { "merged.aig" } else { "question.aig" };
    let left: Vec<&str> =
        open(&fs::read(folder.join(file))?)?.into_iter().filter_map(|at| compared.get(at)).map(|c| c.what.as_str()).collect();
    if left.is_empty() {
        return Ok(Answer::Equal);
    }
    for step in [format!("bmc3 -F 40 -T {seconds}"), format!("orpos; pdr -T {seconds}")] {
        let Some(said) = abc(folder, &format!("read_aiger {file}; {step}"), Some(2 * seconds))? else { continue };
        match verdict(&said)? {
            Verdict::Proved => return Ok(Answer::Equal),
            Verdict::Found { output, cycle } => {
                let what = compared.get(output).map_or("an output", |c| c.what.as_str());
                let how = format!("cycle {cycle} after power-up: {what}");
                let free = "if its memories may hold anything, which they perhaps never do";
                return Ok(if memories { Answer::Open(format!("{free}: {how}")) } else { Answer::Differs(how) });
            }
            Verdict::Open => (),
        }
    }
    let some = left.iter().take(8).copied().collect::<Vec<_>>().join(", ");
    Ok(Answer::Open(format!("not decided in {seconds} s: {} of {} outputs, such as {some}", left.len(), compared.len())))
}

/// Outputs of a binary AIGER file that are not constantly 0.
fn open(file: &[u8]) -> Result<Vec<usize>> {
    let mut lines = file.split(|b| *b == b'\n').map(String::from_utf8_lossy);
    let header = lines.next().unwrap_or_default().into_owned();
    let numbers: Vec<usize> = header.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [_, _, latches, outputs, ..] = numbers[..] else { bail!("ABC wrote no AIGER file") };
    Ok(lines.skip(latches).take(outputs).enumerate().filter(|(_, line)| line != "0").map(|(at, _)| at).collect())
}

/// Ports that are not the same, if there are any.
fn different_ports(old: &Side, new: &Side) -> Option<String> {
    let say = |port: Option<&(&str, usize)>| {
        port.map_or("none".to_string(), |(direction, width)| format!("{direction} of {width} bits"))
    };
    let names: BTreeSet<&String> = old.ports.keys().chain(new.ports.keys()).collect();
    let other = names.into_iter().filter(|n| old.ports.get(*n) != new.ports.get(*n));
    let list: Vec<String> =
        other.map(|n| format!("{n} (old: {}, new: {})", say(old.ports.get(n)), say(new.ports.get(n)))).collect();
    (!list.is_empty()).then(|| list.join("; "))
}
