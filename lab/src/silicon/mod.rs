// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cargo lab silicon`: runs launch files on a real GPU, and compares the results with their
//! expected values and with the simulator. Runs programs whose behaviour PTX leaves open, compares
//! the words of mbarriers with the model, and measures latencies.
//!
//! `docs/evidence/gpu.md` describes how to run it. It needs only the driver, which is opened at run time and compiles the PTX.

mod agree;
mod case;
mod choice;
mod corner;
mod device;
mod driver;
mod latency;
mod page;
mod params;
mod run;
mod simulate;
#[cfg(test)]
mod tests;
mod words;

use anyhow::{Context, Result};
use case::Case;
use driver::Device;
pub use page::date;
use run::{Bench, Outcome};
use simulate::Simulator;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(clap::Args)]
pub struct Args {
    /// Launch files, or folders with a launch.toml; default: those in all subfolders of the kernels' folder.
    #[arg(value_name = "FILE", conflicts_with = "write")]
    files: Vec<PathBuf>,
    /// Folder of the kernels; default: examples/kernels of the project, or of the current folder if the project is not on this machine.
    #[arg(long, value_name = "DIR")]
    kernels: Option<PathBuf>,
    /// Write docs/evidence/silicon.md.
    #[arg(long)]
    write: bool,
    /// Folder below which `--write` writes; default: the project, or the current folder.
    #[arg(long, value_name = "DIR", requires = "write")]
    into: Option<PathBuf>,
    /// Number of the device in the driver's order.
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: u32,
    /// Seed of random buffers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Runs of each latency.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,
    /// Run only this program of those that PTX leaves open, and print its end.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "write"])]
    corner: Option<String>,
    /// Skip the programs that PTX leaves open.
    #[arg(long)]
    no_corners: bool,
    /// Skip the latencies.
    #[arg(long)]
    no_latency: bool,
    /// Seconds after which a launch counts as a hang.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The driver's library.
    #[arg(long, value_name = "FILE", default_value = "libcuda.so.1")]
    library: String,
}

/// Runs and compares everything. Returns whether all results are as expected.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let device = Device::open(&args.library, args.device)?;
    let good = on(&device, root, args);
    if device.is_lost() {
        let code = match &good {
            Ok(_) => 1,
            Err(error) => {
                eprintln!("error: {error:#}");
                2
            }
        };
        driver::leave(code);
    }
    good
}

/// Runs everything on an open device.
fn on(device: &Device, root: &Path, args: &Args) -> Result<bool> {
    if let Some(name) = &args.corner {
        corner::run_one(device, name)?;
    }
    println!("{}", page::device(&device.about));
    // If the project's folder does not exist, because this command was built on another machine,
    // the current folder is used instead.
    let root = if root.is_dir() { root } else { Path::new(".") };
    let into = args.into.as_deref().unwrap_or(root);
    if args.write && !into.is_dir() {
        anyhow::bail!("there is no folder {}; name the output folder with `--into DIR`", into.display());
    }
    let paths = match (&args.files[..], &args.kernels) {
        ([], folder) => case::launch_files(folder.as_deref().unwrap_or(&root.join("examples/kernels")))?,
        (files, _) => files.to_vec(),
    };
    let cases = paths.iter().map(|path| Case::read(path, args.seed)).collect::<Result<Vec<Case>>>()?;
    let mut simulator = Simulator::new()?;
    let limit = Duration::from_secs(args.timeout);
    let mut bench = Bench { device, simulator: &mut simulator, limit };
    let mut outcomes: Vec<Outcome> = vec![];
    for case in &cases {
        let outcome = bench.case(case);
        eprintln!("{}: {}", outcome.name, if outcome.is_good() { "good" } else { "not good" });
        outcomes.push(outcome);
    }
    let corners =
        if args.files.is_empty() && !args.no_corners { corner::run(&device.about, &|name| child(args, name))? } else { vec![] };
    // The comparison of mbarrier words is skipped if an error has made the device unusable.
    let words = (!device.is_lost()).then(|| words::check(device, limit));
    let words_text = words.as_ref().map_or_else(String::new, words::Outcome::describe);
    let broken = device.is_lost();
    let (mut figures, mut unmeasured) = (vec![], None);
    if !args.no_latency && !broken {
        unmeasured = latency::measure(device, &mut simulator, args.runs as usize, limit, &mut figures).err();
    }
    print!("\n{}", page::kernels(&outcomes));
    if !corners.is_empty() {
        print!("\n{}", page::corners(&corners));
    }
    print!("\n{words_text}");
    if !figures.is_empty() {
        print!("\ncycles of a round\n{}", page::latencies(&figures));
    }
    for outcome in &outcomes {
        outcome.complaints().iter().for_each(|why| println!("\n{}: {why}", outcome.name));
    }
    if let Some(error) = &unmeasured {
        println!("\nlatencies: {error:#}");
    }
    if args.write && broken {
        println!("\nnothing is written, since not every kernel was run");
    } else if args.write {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock of this machine is before 1970")?;
        let unmeasured = unmeasured.as_ref().map(|error| format!("{error:#}"));
        let with = page::Circumstances {
            date: page::date(now.as_secs()),
            seed: args.seed,
            runs: args.runs as usize,
            unmeasured,
            words: words_text,
        };
        let section = page::section(&device.about, &with, &outcomes, &corners, &figures);
        println!("\n{}", page::write(into, &device.about, &section)?);
    }
    let good = outcomes.iter().filter(|outcome| outcome.is_good()).count();
    let as_recorded = corners.iter().filter(|outcome| outcome.is_good()).count();
    println!(
        "\nsilicon: {good} of {} launch files as expected, {as_recorded} of {} programs that PTX leaves open as recorded, {} latencies",
        outcomes.len(),
        corners.len(),
        figures.len()
    );
    let compared = good == outcomes.len() && as_recorded == corners.len();
    Ok(compared && unmeasured.is_none() && words.is_some_and(|words| words.is_good()))
}

/// The command that runs one of the programs whose behaviour PTX leaves open, on the same device.
fn child(args: &Args, name: &str) -> Command {
    // The path of this executable is unknown if /proc is not mounted. Then the command below does
    // not exist, and its start fails with an error.
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "lab".into()));
    command.args(["silicon", "--corner", name, "--library", &args.library, "--device", &args.device.to_string()]);
    command
}
