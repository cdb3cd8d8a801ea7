// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results as tables, and as the page `docs/evidence/silicon.md`.

use super::agree::Agreement;
use super::corner;
use super::device::About;
use super::latency::Figure;
use super::run::{Checked, Outcome, State};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# On silicon

Written by `cargo lab silicon --write`; [gpu.md](gpu.md) describes how it is run and what is compared. It has one section per device.
";

/// When and how the command was run.
pub struct Circumstances {
    /// Year, month and day.
    pub date: String,
    pub seed: u64,
    pub runs: usize,
    /// Why some latencies were not measured; `None`: all were.
    pub unmeasured: Option<String>,
    /// The result for the words of mbarriers as text.
    pub words: String,
}

/// One line about a device.
pub fn device(about: &About) -> String {
    let (major, minor) = about.capability;
    let driver = about.driver.as_ref().map_or(String::new(), |driver| format!("driver {driver}, "));
    let About { name, multiprocessors, cuda: (cuda, point), .. } = about;
    format!("{name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors; {driver}CUDA {cuda}.{point}")
}

/// The first line of each error, as an item of a Markdown list.
fn complaints(outcomes: &[Outcome]) -> String {
    let complaints_of = |outcome: &Outcome| {
        let first = |why: &String| format!("- `{}`: {}\n", outcome.name, why.lines().next().unwrap_or(""));
        outcome.complaints().iter().map(first).collect::<String>()
    };
    outcomes.iter().map(complaints_of).collect()
}

/// The table of kernels and their comparisons.
pub fn kernels(outcomes: &[Outcome]) -> String {
    let mut text =
        String::from("| kernel | program | launches | against the file | against the simulator |\n|---|---|---|---|---|\n");
    for outcome in outcomes {
        let version = outcome.lowered.map_or(String::new(), |(from, to)| format!(", PTX {from} as {to}"));
        let program = if outcome.program.is_empty() { "-" } else { &outcome.program };
        let (file, simulator) = match &outcome.state {
            State::Failed(_) => ("did not end normally".to_string(), "-".to_string()),
            State::Skipped(_) => ("not run".to_string(), "-".to_string()),
            State::Ran { buffers, simulator } => (against_file(buffers), against_simulator(buffers, simulator)),
        };
        text += &format!("| `{}` | {}{version} | {} | {file} | {simulator} |\n", outcome.name, program, outcome.launches);
    }
    text
}

fn against_file(buffers: &[Checked]) -> String {
    let verdicts: Vec<bool> = buffers.iter().filter_map(|buffer| Some(buffer.expectation.as_ref()?.is_ok())).collect();
    match (verdicts.len(), verdicts.iter().filter(|good| !**good).count()) {
        (0, _) => "nothing expected".to_string(),
        (_, 0) => "equal".to_string(),
        (verdicts, wrong) => format!("**differs** in {wrong} of {verdicts} buffers"),
    }
}

fn against_simulator(buffers: &[Checked], simulator: &Result<(), String>) -> String {
    if simulator.is_err() {
        return "**the simulator did not run it**".to_string();
    }
    let differs = |buffer: &Checked| matches!(buffer.simulator, Some(Agreement::Differs(_)));
    let wrong = buffers.iter().filter(|buffer| differs(buffer)).count();
    if wrong > 0 {
        return format!("**differs** in {wrong} of {} buffers", buffers.len());
    }
    let last = buffers.iter().filter_map(|buffer| match &buffer.simulator {
        Some(Agreement::LastBits { differ, elements, steps }) => Some(format!(
            "`{}` within its tolerance: {differ} of {elements} elements by up to {steps} steps",
            buffer.after.name
        )),
        _ => None,
    });
    let last: Vec<String> = last.collect();
    if last.is_empty() {
        "equal".to_string()
    } else {
        last.join("; ")
    }
}

/// The table of programs whose behaviour PTX leaves open.
pub fn corners(outcomes: &[corner::Outcome]) -> String {
    let mut text = String::from("| program | what it does | the device | the unit |\n|---|---|---|---|\n");
    for outcome in outcomes {
        let mark = if outcome.is_good() { "" } else { "**differs**: " };
        text += &format!("| `{}` | {} | {mark}{} | `{}` |\n", outcome.name, outcome.does, outcome.shown(), outcome.unit);
    }
    text
}

/// The table of cycles of barriers.
pub fn latencies(figures: &[Figure]) -> String {
    let mut text = String::from("| what | warps | minimum | median | simulator |\n|---|---|---|---|---|\n");
    for Figure { what, warps, minimum, median, simulated } in figures {
        let simulated = simulated.map_or("not run".to_string(), |cycles| format!("{cycles:.1}"));
        text += &format!("| {what} | {warps} | {minimum:.1} | {median:.1} | {simulated} |\n");
    }
    text
}

/// The section of the page about one device.
pub fn section(
    about: &About,
    with: &Circumstances,
    outcomes: &[Outcome],
    open: &[corner::Outcome],
    figures: &[Figure],
) -> String {
    let Circumstances { date, seed, runs, unmeasured, words } = with;
    let good = outcomes.iter().filter(|outcome| outcome.is_good()).count();
    let mut text = format!("{}\n## {}\n\n{}. {date}, seed {seed}.\n", begin(about), about.name, device(about));
    if !outcomes.is_empty() {
        text += &format!(
            "\n{good} of {} launch files give the expected results and the results of the simulator.\n\n{}",
            outcomes.len(),
            kernels(outcomes)
        );
    }
    let complaints = complaints(outcomes);
    if !complaints.is_empty() {
        text += &format!("\n{complaints}");
    }
    if !open.is_empty() {
        let good = open.iter().filter(|outcome| outcome.is_good()).count();
        text += &format!(
            "\nPrograms whose behaviour PTX leaves open, each in a separate process: it ends (with the values that it stored), hangs, or is stopped by an \
             error of the driver; next to it the result of the simulator: the verdict, or the first fault. {good} of {} are as recorded.\n\n{}",
            open.len(),
            corners(open)
        );
    }
    if !words.is_empty() {
        text += &format!("\n{words}");
    }
    if !figures.is_empty() {
        text += &format!(
            "\nCycles of one round by `%clock64`, 64 rounds in a run, the warp that took longest, of {runs} runs; one block on one multiprocessor. \
             Beside them the cycles of the simulator, in which an instruction takes one.\n\n{}",
            latencies(figures)
        );
    }
    if let Some(why) = unmeasured {
        text += &format!("\nNot all latencies were measured: {why}\n");
    }
    text + END
}

fn begin(about: &About) -> String {
    format!("<!-- silicon begin: {} -->", slug(&about.name))
}

const END: &str = "<!-- silicon end -->\n";

/// The page with `section` in place of the device's previous section or, if there is none, at the end.
pub fn page(before: Option<&str>, about: &About, section: &str) -> String {
    let before = before.filter(|before| before.starts_with(HEAD)).unwrap_or(HEAD);
    let start = before.find(&begin(about));
    let end = start.and_then(|start| Some(start + before.get(start..)?.find(END)? + END.len()));
    match (start, end) {
        (Some(start), Some(end)) => format!("{}{section}{}", &before[..start], &before[end..]),
        _ => format!("{before}\n{section}"),
    }
}

/// The name of a device in lower case, with `-` in place of other characters than letters and
/// digits.
pub fn slug(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        "device".to_string()
    } else {
        words.join("-")
    }
}

/// Writes the page below the project's root, and returns a line with its path.
pub fn write(root: &Path, about: &About, section: &str) -> Result<String> {
    let path = root.join("docs/evidence/silicon.md");
    let before = fs::read_to_string(&path).ok();
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    fs::write(&path, page(before.as_deref(), about, section)).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("written: {}", path.display()))
}

/// The date, as year, month and day in UTC, of a number of seconds since 1970.
pub fn date(seconds: u64) -> String {
    // The days since 1 March of the year 0. Years that begin in March have their leap day at the
    // end.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + u64::from(month < 3);
    format!("{year}-{month:02}-{:02}", of_year - (153 * shifted + 2) / 5 + 1)
}
