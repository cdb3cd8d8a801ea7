// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cost of `bcu check`: its CPU time divided by that of `bcu run`, for each kernel of examples/kernels, and its memory for runs of different
//! lengths. With `--against OTHER`, the path of another build of `bcu`, also its CPU time divided by that of the other build.
//!
//! `cargo bench --manifest-path lab/Cargo.toml --target-dir target --profile dev --bench races [-- FILTER] [--against OTHER]`; FILTER is a part of the
//! names of the kernels. Uses the development build of `bcu`, as the README does.

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
    let mut arguments = env::args().skip(1);
    let (mut filter, mut against) = (String::new(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--against" => {
                against = Some(PathBuf::from(arguments.next().ok_or("`--against` needs the path of a build of bcu")?))
            }
            option if option.starts_with("--") => {}
            _ => filter = argument,
        }
    }
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
    // Each is compared with a check of `bcu`.
    let mut compared = vec![(bcu.clone(), "run")];
    compared.extend(against.map(|other| (other, "check")));
    println!(
        "| kernel | check, CPU ms | to a run{} |\n|---|---|---{}|",
        ["", " | to the other build"][compared.len() - 1],
        ["", "|---"][compared.len() - 1]
    );
    let mut ratios = vec![vec![]; compared.len()];
    for kernel in &kernels {
        let mut best = vec![f64::INFINITY; compared.len()];
        let mut check = f64::INFINITY;
        for _ in 0..ROUNDS {
            check = check.min(cpu_seconds(&bcu, "check", kernel)?);
            for ((bcu, command), best) in compared.iter().zip(&mut best) {
                *best = best.min(cpu_seconds(bcu, command, kernel)?);
            }
        }
        let of_kernel: Vec<f64> = best.iter().map(|other| check / other).collect();
        let cells: String = of_kernel.iter().map(|ratio| format!(" {ratio:.2} |")).collect();
        println!("| {} | {:.0} |{cells}", name(kernel), 1000.0 * check);
        of_kernel.into_iter().zip(&mut ratios).for_each(|(ratio, ratios)| ratios.push(ratio));
    }
    for (mut ratios, to) in ratios.into_iter().zip(["run", "check of the other build"]) {
        ratios.sort_by(f64::total_cmp);
        println!(
            "{} kernels, to a {to}: median {:.2}, highest {:.2}",
            ratios.len(),
            ratios[ratios.len() / 2],
            ratios[ratios.len() - 1]
        );
    }
    memory(&root, &bcu)
}

/// Prints the memory of checks of `runs/roles.ptx` that differ only in their length.
fn memory(root: &Path, bcu: &Path) -> Result<(), Failure> {
    let text = std::fs::read_to_string(root.join("lab/benches/runs/roles.ptx"))?;
    let file = root.join("target/roles.ptx");
    println!("\n| tiles | memory of the check, MB |\n|---|---|");
    for tiles in [640, 2560, 10240] {
        // Every tile is a copy of the same bytes.
        let text = text.replace("tile, 64;", &format!("tile, {tiles};")).replace("from, from, 1024;", "from, from, 0;");
        std::fs::write(&file, text)?;
        let mut check = Command::new(bcu);
        check.args(["check", "--arg", "tiles=u32:[256]:0", "--max-cycles", "100000000"]).arg(&file).env_remove("CARGO");
        println!("| {tiles} | {:.1} |", peak_megabytes(check.stdout(Stdio::null()))?);
    }
    Ok(())
}

/// The highest memory of a command, as the system reports it until shortly before its end.
fn peak_megabytes(command: &mut Command) -> Result<f64, Failure> {
    let mut child = command.spawn()?;
    let mut kilobytes = 0.0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let of_process = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = of_process.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        kilobytes = peak.unwrap_or(kilobytes);
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    match status.success() {
        true => Ok(kilobytes / 1024.0),
        false => Err(format!("{command:?}: {status}").into()),
    }
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
