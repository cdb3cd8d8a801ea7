// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cost of `bcu check`: its CPU time divided by that of `bcu run`, for each kernel of examples/kernels.
//!
//! `cargo bench --manifest-path lab/Cargo.toml --target-dir target --profile dev --bench races [-- FILTER]`; FILTER is a part of the names of the
//! kernels. Uses the development build of `bcu`, as the README does.

use nix::sys::resource::{getrusage, UsageWho};
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

type Failure = Box<dyn Error>;

/// Both commands run once per round, so that a slow period of the computer affects both. The fastest round of each counts.
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

fn measure() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let filter = env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if !Command::new(cargo).args(["build", "--package", "bcu-cli"]).current_dir(&root).status()?.success() {
        return Err("bcu cannot be built; see cargo's messages above".into());
    }
    let bcu = root.join("target/debug/bcu").canonicalize()?;
    let mut kernels: Vec<PathBuf> = std::fs::read_dir(root.join("examples/kernels"))?
        .map(|entry| Ok(entry?.path().join("launch.toml")))
        .collect::<Result<_, Failure>>()?;
    kernels.retain(|launch| launch.is_file() && name(launch).contains(&filter));
    kernels.sort();
    if kernels.is_empty() {
        return Err(format!("no kernel has `{filter}` in its name").into());
    }
    println!("| kernel | run, CPU ms | check, CPU ms | ratio |\n|---|---|---|---|");
    let mut ratios = vec![];
    for kernel in &kernels {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (command, best) in ["run", "check"].into_iter().zip(&mut best) {
                *best = best.min(cpu_seconds(&bcu, command, kernel)?);
            }
        }
        let [run, check] = best;
        ratios.push(check / run);
        println!("| {} | {:.0} | {:.0} | {:.2} |", name(kernel), 1000.0 * run, 1000.0 * check, check / run);
    }
    ratios.sort_by(f64::total_cmp);
    println!("{} kernels: median {:.2}, highest {:.2}", ratios.len(), ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
    Ok(())
}

fn name(launch: &Path) -> String {
    launch.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// The CPU time of a command of `bcu` on a launch file.
fn cpu_seconds(bcu: &Path, command: &str, launch: &Path) -> Result<f64, Failure> {
    let before = children_seconds()?;
    let status = Command::new(bcu).arg(command).arg(launch).env_remove("CARGO").stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("bcu {command} {}: {status}", launch.display()).into());
    }
    Ok(children_seconds()? - before)
}

/// The CPU time of all processes that this one has started and that have ended.
fn children_seconds() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = [usage.user_time(), usage.system_time()].map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6);
    Ok(seconds.iter().sum())
}
