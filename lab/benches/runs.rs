// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cost of `bcu run` on the model: CPU time of runs that stress different parts, divided by the time of a fixed loop in the same round, so
//! that the figures of different days can be compared. Fails if a ratio is more than half above that in `runs.toml`.
//!
//! `cargo bench --manifest-path lab/Cargo.toml --target-dir target --profile dev --bench runs [-- --write] [-- --against BCU] [-- --bcu BCU]`;
//! `--write` replaces the ratios in `runs.toml`, `--against BCU` also runs another program `bcu` and prints the factors between the two,
//! `--bcu BCU` runs this program in place of the development build.

use nix::sys::resource::{getrusage, UsageWho};
use std::env;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use toml::{Table, Value};

type Failure = Box<dyn Error>;

/// The comment at the start of `runs.toml`.
const HEAD: &str = "# SPDX-License-Identifier: Apache-2.0 OR MIT\n# CPU time of each run of benches/runs.rs, divided by that of the reference loop; written by its option --write.\n\n";

/// All programs run once per round, so that a slow period of the computer affects all of them. The fastest round of each counts.
const ROUNDS: usize = 5;
/// Lanes of a warp.
const LANES: f64 = 32.0;
/// A ratio may grow by this factor.
const LIMIT: f64 = 1.5;
/// The rows: name, program in `benches/runs`, and arguments.
const ROWS: [(&str, &str, &str); 6] = [
    ("busy", "reduction.ptx", "--grid 8"),
    ("busy_on_4_sms", "reduction.ptx", "--grid 8 --sms 4"),
    ("waits_for_memory", "chase.ptx", "--arg list=u64:[4]:0"),
    ("specialised_warps", "roles.ptx", "--arg tiles=u32:[16384]:iota"),
    ("start", "start.ptx", ""),
    ("start_on_4_sms", "start.ptx", "--sms 4"),
];
/// The first argument of this program when it runs `bcu` and prints the peak memory.
const PEAK: &str = "--peak";
/// Megabytes of the buffer whose cost in memory is measured, and the limit of that cost.
const BUFFER: f64 = 256.0;
const MOST_OF_BUFFER: f64 = 1.3;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((first, command)) if first == PEAK => print_peak(command),
        _ => measure(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

fn measure(arguments: &[String]) -> Result<bool, Failure> {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let writes = arguments.iter().any(|argument| argument == "--write");
    let value = |option: &str| arguments.iter().position(|argument| argument == option).and_then(|at| arguments.get(at + 1));
    let (given, against) = (value("--bcu").map(PathBuf::from), value("--against"));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if given.is_none()
        && !Command::new(cargo).args(["build", "--package", "bcu-cli"]).current_dir(lab.join("..")).status()?.success()
    {
        return Err("bcu cannot be built; see cargo's messages above".into());
    }
    let measured = given.unwrap_or_else(|| lab.join("../target/debug/bcu"));
    let programs: Vec<PathBuf> = [measured].into_iter().chain(against.map(PathBuf::from)).collect();
    let file = lab.join("benches/runs.toml");
    let mut committed: Table = std::fs::read_to_string(&file)?.parse()?;

    let mut reference = f64::INFINITY;
    let mut best = vec![[f64::INFINITY; ROWS.len()]; programs.len()];
    for _ in 0..ROUNDS {
        reference = reference.min(reference_seconds()?);
        for (program, best) in programs.iter().zip(&mut best) {
            for ((_, kernel, options), best) in ROWS.iter().zip(best) {
                let options: Vec<&str> = options.split_whitespace().collect();
                *best = best.min(run(program, &lab.join("benches/runs").join(kernel), &options)?);
            }
        }
    }

    let factors = if against.is_some() { " other bcu, CPU ms | factor |" } else { "" };
    println!("reference loop: {:.0} CPU ms", 1000.0 * reference);
    println!(
        "| run | CPU ms | to the loop | committed |{factors}\n|---|---|---|---|{}",
        if against.is_some() { "---|---|" } else { "" }
    );
    let mut holds = true;
    for (at, (name, ..)) in ROWS.iter().enumerate() {
        let ratio = best[0][at] / reference;
        let known = committed.get(*name).and_then(Value::as_float);
        let is_worse = known.is_none_or(|known| ratio > LIMIT * known);
        holds &= !is_worse;
        let known = known.map_or("–".to_string(), |known| format!("{known:.3}"));
        let other =
            best.get(1).map_or(String::new(), |other| format!(" {:.1} | {:.1} |", 1000.0 * other[at], other[at] / best[0][at]));
        let mark = if is_worse { " worse" } else { "" };
        println!("| {name} | {:.1} | {ratio:.3} | {known}{mark} |{other}", 1000.0 * best[0][at]);
        committed.insert(name.to_string(), Value::Float((1000.0 * ratio).round() / 1000.0));
    }
    let instructions = warp_instructions(&programs[0], &lab.join("benches/runs").join(ROWS[0].1), ROWS[0].2)? as f64;
    let rate = instructions / best[0][0];
    println!("{}: {:.0} k warp instructions/s, {:.1} M thread instructions/s", ROWS[0].0, rate / 1e3, rate * LANES / 1e6);
    let of_buffer = buffer_cost(&programs[0], &lab.join("benches/runs/chase.ptx"))?;
    println!("a buffer of {BUFFER} MB: {of_buffer:.2} times its size, limit {MOST_OF_BUFFER}");
    if writes {
        std::fs::write(&file, format!("{HEAD}{committed}"))?;
        return Ok(of_buffer <= MOST_OF_BUFFER);
    }
    Ok(holds && of_buffer <= MOST_OF_BUFFER)
}

/// The number of instructions that the warps of a run execute.
fn warp_instructions(bcu: &Path, kernel: &Path, options: &str) -> Result<u64, Failure> {
    let mut command = Command::new(bcu);
    command.arg("run").arg(kernel).args(options.split_whitespace()).args(["--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&command.env_remove("CARGO").output()?.stdout)?;
    let warps = report["warps"].as_array().ok_or("the report has no warps")?;
    Ok(warps.iter().filter_map(|warp| warp["steps"].as_u64()).sum())
}

/// The CPU time of the fixed loop.
fn reference_seconds() -> Result<f64, Failure> {
    let before = cpu_seconds(UsageWho::RUSAGE_SELF)?;
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..100_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
    Ok(cpu_seconds(UsageWho::RUSAGE_SELF)? - before)
}

/// The CPU time of a run.
fn run(bcu: &Path, kernel: &Path, options: &[&str]) -> Result<f64, Failure> {
    let before = cpu_seconds(UsageWho::RUSAGE_CHILDREN)?;
    let mut command = Command::new(bcu);
    command.arg("run").arg(kernel).args(options).args(["--max-cycles", "10000000"]);
    let status = command.env_remove("CARGO").stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("{} run {} {}: {status}", bcu.display(), kernel.display(), options.join(" ")).into());
    }
    Ok(cpu_seconds(UsageWho::RUSAGE_CHILDREN)? - before)
}

fn cpu_seconds(who: UsageWho) -> Result<f64, Failure> {
    let usage = getrusage(who)?;
    let times = [usage.user_time(), usage.system_time()];
    Ok(times.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum())
}

/// The peak memory that a buffer adds to a run, divided by its size.
fn buffer_cost(bcu: &Path, kernel: &Path) -> Result<f64, Failure> {
    let megabytes = |elements: u64| -> Result<f64, Failure> {
        // The peak of all earlier children would count too, so another process runs `bcu`.
        let mut command = Command::new(env::current_exe()?);
        command.arg(PEAK).arg(bcu).arg("run").arg(kernel).args(["--arg", &format!("list=u64:[{elements}]:0")]);
        let output = command.args(["--max-cycles", "10000000"]).env_remove("CARGO").output()?;
        let text = String::from_utf8(output.stdout)?;
        let kilobytes: f64 =
            text.trim().parse().map_err(|_| format!("no peak memory: {}", String::from_utf8_lossy(&output.stderr)))?;
        Ok(kilobytes / 1024.0)
    };
    let elements = (BUFFER * 1024.0 * 1024.0) as u64 / 8;
    Ok((megabytes(elements)? - megabytes(4)?) / BUFFER)
}

/// Runs a command and prints its peak memory in kilobytes.
fn print_peak(command: &[String]) -> Result<bool, Failure> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
    println!("{}", getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss());
    Ok(status.success())
}
