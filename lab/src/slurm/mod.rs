// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab slurm`: a regression as a Slurm job array, of which one task is killed and resumed. Report, JUnit file and coverage of the
//! merge must equal those of the same regression without shards.

mod args;
mod array;
mod cluster;
mod compare;

use crate::bcu::build;
use anyhow::{bail, Context, Result};
pub use args::Args;
use array::{complete, part_count, Array, Ended};
use cluster::Cluster;
use compare::{difference, without_times};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use xtask::pool;

/// The results of a run.
struct Results {
    code: i32,
    report: String,
    junit: String,
    coverage: String,
}

/// Runs the regression on a cluster and without shards. Returns false if a result differs, or a shard was not resumed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    pool::end_with_me()?;
    cluster::prepare()?;
    let processors = available_parallelism().map_or(1, NonZeroUsize::get);
    let folder = root.join("target/slurm");
    let bcu = build(root)?;
    let array = Array::write(&bcu, args, &folder.join("run"))?;
    let cluster = Cluster::start(&folder.join("cluster"), processors)?;
    println!("slurm: {} shards on {processors} processors; shard {} is killed", args.shards, args.victim());
    let killed = array.submit(&cluster, Some(args.victim()))?;
    let log = array.result("merge.log")?;
    println!("slurm: submitted again");
    let resumed = array.submit(&cluster, None)?;
    drop(cluster);
    let read = |name| array.result(name);
    let merged = Results {
        code: resumed.code,
        report: read("report.txt")?,
        junit: read("junit.xml")?,
        coverage: read("coverage.json")?,
    };
    println!("slurm: the same without shards");
    let (whole, time) = whole(&bcu, args, &folder.join("whole"), processors)?;

    let mut wrong = vec![];
    let record = array.record_path(args.victim());
    if killed.code == 0 || !log.contains(&record.display().to_string()) {
        wrong.push(format!(
            "the merge after the kill ended with {} and does not name {}: {log}",
            killed.code,
            record.display()
        ));
    }
    for (shard, (before, after)) in (1..).zip(killed.records.iter().zip(&resumed.records)) {
        let is_kept = match shard == args.victim() {
            true => after.starts_with(complete(before)) && part_count(after) > part_count(before),
            false => before == after,
        };
        if !is_kept {
            wrong.push(format!("the second submission has not continued the record of shard {shard}"));
        }
    }
    let compared = [
        ("exit code", difference(&whole.code.to_string(), &merged.code.to_string())),
        ("report", difference(&whole.report, &merged.report)),
        ("JUnit file without times", difference(&without_times(&whole.junit), &without_times(&merged.junit))),
        ("coverage", difference(&whole.coverage, &merged.coverage)),
    ];
    print!("{}", table(args, processors, [&killed, &resumed], time));
    for (name, difference) in compared {
        println!("| {name} | {} |", if difference.is_none() { "equal" } else { "different" });
        wrong.extend(difference.map(|why| format!("{name}: {why}")));
    }
    wrong.iter().for_each(|why| println!("{why}"));
    Ok(wrong.is_empty())
}

/// Runs the regression without shards.
fn whole(bcu: &Path, args: &Args, folder: &Path, processors: usize) -> Result<(Results, Duration)> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let (junit, coverage) = (folder.join("junit.xml"), folder.join("coverage.json"));
    // The record of an earlier interrupted run is removed, because `bcu` would refuse to overwrite
    // it.
    let _ = fs::remove_file(folder.join("junit.xml.progress"));
    let mut command = Command::new(bcu);
    command.args(args.regression()).args(["--jobs", &processors.to_string(), "--junit"]).arg(&junit);
    // If `CARGO` were set, `bcu` would start cargo to bring the companion up to date, within the
    // measured time.
    command.arg("--coverage-data").arg(&coverage).env_remove("CARGO");
    let start = Instant::now();
    let done = pool::output(&mut command)?;
    let time = start.elapsed();
    let Some(code @ (0 | 1)) = done.status.code() else {
        bail!("the run without shards ended with {}: {}", done.status, String::from_utf8_lossy(&done.stderr));
    };
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let report = String::from_utf8_lossy(&done.stdout).into_owned();
    Ok((Results { code, report, junit: read(&junit)?, coverage: read(&coverage)? }, time))
}

/// The first rows of the table in Markdown: the run and its times. The rows of the compared results
/// follow.
fn table(args: &Args, processors: usize, [killed, resumed]: [&Ended; 2], whole: Duration) -> String {
    let parts = |ended: &Ended| ended.records.iter().map(|record| part_count(record)).sum::<usize>();
    let of_victim = |ended: &Ended| ended.records.get(args.victim() as usize - 1).map_or(0, |record| part_count(record));
    let rows = [
        ("command", format!("`bcu {}`", args.regression().join(" "))),
        ("shards, processors", format!("{}, {processors}", args.shards)),
        ("parts", parts(resumed).to_string()),
        ("recorded after the kill, by all shards", parts(killed).to_string()),
        ("recorded by the killed shard, then after its resumption", format!("{}, {}", of_victim(killed), of_victim(resumed))),
        ("exit code of the merge after the kill", killed.code.to_string()),
        ("time of the first submission", format!("{:.0} s", killed.time.as_secs_f64())),
        ("time of the second", format!("{:.0} s", resumed.time.as_secs_f64())),
        ("time without shards", format!("{:.0} s", whole.as_secs_f64())),
    ];
    let rows = rows.map(|(name, value)| format!("| {name} | {value} |\n"));
    format!("\n| Slurm | |\n|---|---|\n{}", rows.concat())
}
