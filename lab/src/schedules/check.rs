// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run of `bcu check` with a time limit: what its JSON states, and the CPU time.

use anyhow::{bail, Context, Result};
use nix::libc::{rusage, timeval, wait4, WNOHANG};
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;
use std::thread::{self, sleep, JoinHandle};
use std::time::{Duration, Instant};

/// The machine file of the random schedules, from the root of the project.
pub const MACHINE: &str = "target/schedules/random.toml";
/// Its contents.
pub const RANDOM: &str = "policy = \"random\"\n[latency]\nspread = 300\n";

/// How programs are checked.
pub struct Checker<'a> {
    pub bcu: PathBuf,
    pub root: &'a Path,
    /// The time that a check may take.
    pub limit: Duration,
}

/// A check that ended within its limit.
pub struct Checked {
    pub cpu_seconds: f64,
    pub report: Report,
}

/// The keys of the JSON that the tables need; docs/guide/check.md describes them.
#[derive(Deserialize)]
pub struct Report {
    run: String,
    pub errors: usize,
    findings: Vec<Finding>,
    schedules: Schedules,
}

#[derive(Deserialize)]
struct Finding {
    code: String,
    severity: String,
    place: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    line: usize,
}

#[derive(Deserialize)]
struct Schedules {
    verdict: String,
    reasons: Vec<Reason>,
    explored: Option<Explored>,
}

#[derive(Deserialize)]
struct Reason {
    message: String,
    operation: Option<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    place: Option<Place>,
}

/// What an exploration executed.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Explored {
    pub runs: usize,
    pub orders: usize,
    pub results: usize,
    pub complete: bool,
}

impl Checker<'_> {
    /// Checks a launch file. `None` if the check does not end within the limit.
    ///
    /// # Errors
    /// If `bcu` cannot be started, or does not print a report.
    pub fn check(&self, file: &str, options: &[String]) -> Result<Option<Checked>> {
        let mut command = Command::new(&self.bcu);
        // If `CARGO` is set, `bcu` starts cargo in each run, to bring its companions up to date.
        command.env_remove("CARGO").current_dir(self.root).arg("check").arg(file).args(options).args(["--format", "json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot start bcu")?;
        let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let cpu_seconds = cpu_seconds(&mut child, self.limit)?;
        let [stdout, stderr] = [stdout, stderr].map(|text| text.join().unwrap_or_default());
        let Some(cpu_seconds) = cpu_seconds else { return Ok(None) };
        let report = serde_json::from_str(&stdout).with_context(|| format!("{}: {}", repeat(file, options), stderr.trim()))?;
        Ok(Some(Checked { cpu_seconds, report }))
    }
}

impl Report {
    /// The errors in the notation of the launch files with planted bugs: `code line`, or `values` for a buffer with other contents than
    /// expected. The errors of a run that its program stopped are also `stopped line`.
    pub fn found(&self) -> Vec<String> {
        let errors = self.findings.iter().filter(|finding| finding.severity == "error");
        let mut found = vec![];
        for Finding { code, place, .. } in errors {
            let line = place.as_ref().map_or(String::new(), |place| format!(" {}", place.line));
            found.push(if code == "wrong_result" { "values".to_string() } else { format!("{code}{line}") });
            if self.run == "stopped" {
                found.push(format!("stopped{line}"));
            }
        }
        found
    }

    /// Whether the run itself fails, without what the check finds: it does not complete, or gives wrong contents of buffers.
    pub fn run_fails(&self) -> bool {
        self.run != "completed" || self.found().contains(&"values".to_string())
    }

    pub fn is_proved(&self) -> bool {
        self.schedules.verdict == "every_schedule"
    }

    /// `every schedule`, or why the run is no proof: the first reason, with its line.
    pub fn verdict(&self) -> String {
        let Some(Reason { message, operation }) = self.schedules.reasons.first() else { return "every schedule".to_string() };
        let line = operation.as_ref().and_then(|operation| Some(operation.place.as_ref()?.line));
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        format!("not proved: {message}{line}")
    }

    pub fn explored(&self) -> Option<Explored> {
        self.schedules.explored
    }
}

/// The command line that repeats a check.
pub fn repeat(file: &str, options: &[String]) -> String {
    [&["bcu".to_string(), "check".to_string(), file.to_string()], options].concat().join(" ")
}

/// Reads a pipe to its end, in a thread of its own.
fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = vec![];
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end of a process and returns its CPU time. Kills the process after the limit and returns `None`.
fn cpu_seconds(child: &mut Child, limit: Duration) -> Result<Option<f64>> {
    let begin = Instant::now();
    let pid = i32::try_from(child.id()).context("process number")?;
    let mut is_late = false;
    loop {
        // SAFETY: every field of `rusage` is an integer, so zeroes are valid; `wait4` may write to `usage`, and permits a null status.
        let (ended, usage) = unsafe {
            let mut usage: rusage = std::mem::zeroed();
            (wait4(pid, null_mut(), WNOHANG, &raw mut usage), usage)
        };
        let seconds = |time: timeval| Duration::new(time.tv_sec.unsigned_abs(), 0).as_secs_f64() + time.tv_usec as f64 / 1e6;
        match ended {
            0 if !is_late && begin.elapsed() > limit => {
                child.kill().context("cannot end bcu")?;
                is_late = true;
            }
            0 => sleep(Duration::from_millis(5)),
            -1 => bail!("cannot wait for bcu: {}", std::io::Error::last_os_error()),
            _ if is_late => return Ok(None),
            _ => return Ok(Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))),
        }
    }
}
