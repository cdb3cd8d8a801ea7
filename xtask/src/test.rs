// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs every test of the project in a separate process, the tests of all crates in parallel. Prints the wall-clock time of each test, and
//! its processor time, which does not depend on the other load of the machine.

use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use xtask::pool;

#[derive(clap::Args)]
pub struct Args {
    /// Only tests whose crate and name contain this.
    #[arg(default_value = "", hide_default_value = true)]
    filter: String,
    /// Prints the names instead of running the tests.
    #[arg(long)]
    list: bool,
    /// How many tests run in parallel; default: all cores.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// How many of the slowest tests are listed again at the end.
    #[arg(long, value_name = "N", default_value_t = 20)]
    slowest: usize,
}

/// A line of cargo's messages, with the fields that are used here.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    profile: Option<Profile>,
    #[serde(default)]
    target: Target,
    /// The warning or error, if this is a message of the compiler.
    #[serde(default)]
    message: Option<Said>,
}

#[derive(Deserialize)]
struct Said {
    level: String,
    rendered: Option<String>,
}

#[derive(Default, Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// A test binary and the folder of its crate.
struct Binary {
    path: PathBuf,
    folder: PathBuf,
}

struct Test<'a> {
    binary: &'a Binary,
    name: String,
}

impl Test<'_> {
    /// The test's name, with its crate.
    fn full(&self) -> String {
        format!("{}::{}", self.binary.krate(), self.name)
    }
}

impl Binary {
    fn krate(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A command that runs this test binary with the environment that cargo gives tests.
    fn command(&self) -> Command {
        // Every shell has the command `times`, which prints the processor time of the processes that the shell ran.
        let mut command = Command::new("sh");
        command.args(["-c", "\"$0\" \"$@\"; code=$?; times >&2; exit $code"]).arg(&self.path).current_dir(&self.folder);
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }

    fn tests(&self) -> Result<Vec<String>> {
        let listed = pool::output(Command::new(&self.path).args(["--list", "--format", "terse"]).current_dir(&self.folder))?;
        if !listed.status.success() {
            bail!("{} does not list its tests: {}", self.path.display(), String::from_utf8_lossy(&listed.stderr));
        }
        let text = String::from_utf8_lossy(&listed.stdout);
        Ok(text.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_string())).collect())
    }
}

/// The result of a test.
struct Done {
    passed: bool,
    wall: f64,
    processor: f64,
}

/// Builds and runs the tests. Returns false if a test failed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    pool::end_with_me()?;
    let start = Instant::now();
    let binaries = build(root)?;
    let built = start.elapsed().as_secs_f64();
    let mut tests = vec![];
    for binary in &binaries {
        tests.extend(binary.tests()?.into_iter().map(|name| Test { binary, name }));
    }
    tests.retain(|test| test.full().contains(&args.filter));
    if tests.is_empty() {
        bail!("no test's name contains `{}`: `cargo xtask test --list` shows them", args.filter);
    }
    if args.list {
        tests.iter().for_each(|test| println!("{}", test.full()));
        return Ok(true);
    }
    let done: Vec<Option<Option<Done>>> = pool::each(&tests, args.jobs, Test::full, |test| {
        let (line, done) = run_one(test);
        (line, done.ok())
    });
    let done: Vec<Option<Done>> = done.into_iter().map(Option::flatten).collect();
    let results: Vec<(&Test, &Option<Done>)> = tests.iter().zip(&done).collect();
    println!("{}", slowest(&results, args.slowest));
    let undone = done.len() - done.iter().flatten().count();
    let failed = done.iter().flatten().filter(|d| !d.passed).count();
    let processor: f64 = done.iter().flatten().map(|d| d.processor).sum();
    println!(
        "test: {} tests, {failed} failed, {undone} not run; built in {built:.0} s, run in {:.0} s ({processor:.0} s of processor)",
        tests.len(),
        start.elapsed().as_secs_f64() - built
    );
    if undone > 0 {
        bail!("{undone} tests could not be run; see the messages above");
    }
    Ok(failed == 0)
}

/// Builds with cargo: first the commands that tests start, then all test binaries, and the benchmarks to check that they compile. Cargo
/// prints to the terminal. A warning is a failure, because unused code may be a test that is not run.
fn build(root: &Path) -> Result<Vec<Binary>> {
    let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let commands = cargo().args(["build", "--workspace", "--bins", "--quiet"]).current_dir(root).status();
    if !commands.context("cannot start cargo")?.success() {
        bail!("the commands cannot be built");
    }
    let mut cargo = cargo();
    cargo.args(["test", "--workspace", "--all-targets", "--no-run", "--quiet", "--message-format=json"]).current_dir(root);
    let done = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    let (mut binaries, mut warnings) = (vec![], 0);
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let message: Message = serde_json::from_str(line).with_context(|| format!("unexpected output of cargo: {line}"))?;
        if let Some(Said { level, rendered }) = &message.message {
            eprint!("{}", rendered.as_deref().unwrap_or(""));
            warnings += usize::from(level == "warning");
        }
        let Message { reason, manifest_path, executable: Some(path), profile: Some(Profile { test: true }), target, .. } =
            message
        else {
            continue;
        };
        if reason == "compiler-artifact" && !target.kind.iter().any(|kind| kind == "bench") {
            binaries.push(Binary { path, folder: manifest_path.parent().map(Path::to_path_buf).unwrap_or_default() });
        }
    }
    match (done.status.success(), warnings) {
        (false, _) => bail!("the tests cannot be built"),
        (true, 0) => Ok(binaries),
        (true, _) => bail!("the compiler printed warnings about the tests; see above"),
    }
}

/// Runs one test. Returns the line with its result and, if the test failed, all that it printed.
fn run_one(test: &Test) -> (String, Result<Done>) {
    let start = Instant::now();
    let output = match pool::output(test.binary.command().args(["--exact", &test.name, "--nocapture"])) {
        Ok(output) => output,
        Err(error) => return (format!("??   {}\n     {error:#}", test.full()), Err(error)),
    };
    let wall = start.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let (passed, processor) = (output.status.success(), processor_time(&said).unwrap_or(wall));
    let mut line = format!("{} {wall:7.2} s {processor:7.2} s  {}", if passed { "ok  " } else { "FAIL" }, test.full());
    if !passed {
        line += &format!("\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    }
    (line, Ok(Done { passed, wall, processor }))
}

/// The processor time in seconds, from the last line of `times`, which is for the children: `0m1.23s 0m0.04s`.
fn processor_time(said: &str) -> Option<f64> {
    let seconds = |text: &str| {
        let (minutes, rest) = text.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + rest.replace(',', ".").parse::<f64>().ok()?)
    };
    let (user, system) = said.lines().last()?.split_once(' ')?;
    Some(seconds(user)? + seconds(system)?)
}

fn slowest(results: &[(&Test, &Option<Done>)], count: usize) -> String {
    let mut sorted: Vec<(&Test, &Done)> = results.iter().filter_map(|(test, done)| Some((*test, done.as_ref()?))).collect();
    sorted.sort_by(|a, b| b.1.processor.total_cmp(&a.1.processor));
    let row = |(test, done): &(&Test, &Done)| format!("\n{:9.2} {:9.2}  {}", done.wall, done.processor, test.full());
    let rows: String = sorted.iter().take(count).map(row).collect();
    format!("{:>9} {:>9}  the slowest tests, in seconds{rows}", "wall", "processor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_time_is_that_of_the_children() {
        assert_eq!(processor_time("a test's own words\n0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n"), Some(62.75));
        assert_eq!(processor_time("no times"), None);
        let binary = Binary { path: "false".into(), folder: ".".into() };
        let (line, done) = run_one(&Test { binary: &binary, name: "x".into() });
        let done = done.unwrap();
        assert!(line.starts_with("FAIL") && !done.passed && done.processor < done.wall + 1.0, "{line}");
    }
}
