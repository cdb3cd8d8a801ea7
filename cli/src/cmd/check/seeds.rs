// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs with consecutive seeds, whose findings are reported once.

use super::ran::{run_silent, Run};
use crate::cmd::case::args::CaseArgs;
use crate::cmd::case::Progress;
use crate::failure::{Failure, Result};
use crate::interrupt::running;
use bcu_machine::check::finding::Finding;
use bcu_machine::check::is_same_misuse;
use bcu_machine::is_interrupted;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::thread::{scope, ScopedJoinHandle};

/// The seeds that show a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Showing {
    /// The first of these seeds.
    pub first: u64,
    /// How many of the seeds show the finding.
    pub count: u32,
    /// The command that repeats the run of the first seed.
    pub command: String,
}

/// The runs with consecutive seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Seeds {
    pub first: u64,
    pub runs: u32,
    /// The number of runs with a finding of the severity from which the check fails, and of runs without a verdict.
    pub failed: u32,
    /// For each finding.
    #[serde(skip)]
    showing: Vec<Showing>,
}

impl Seeds {
    /// The seeds that show the finding of this number.
    pub fn of(&self, finding: usize) -> Option<&Showing> {
        self.showing.get(finding)
    }
}

/// A run of a seed; of all but the first only the findings are kept.
enum Ran {
    First(Box<Run>),
    Other(Vec<Finding>),
}

/// Runs `runs` seeds from `first` on. Returns the run of the first seed with the findings of all, each once.
pub fn run(
    args: (&CaseArgs, &[PathBuf]),
    (first, runs, threads): (u64, u32, NonZeroUsize),
    strict: bool,
    is_failed: &dyn Fn(&[Finding]) -> bool,
) -> Result<(Run, Seeds)> {
    let mut ran = run_all(args, (first, runs, threads), strict)?.into_iter();
    let Some((_, Ran::First(whole))) = ran.next() else { return Err(Failure::plain("no seed was run", None)) };
    let mut whole = *whole;
    let mut failed = u32::from(is_failed(&whole.checked.findings));
    let show = |seed: u64| Showing { first: seed, count: 1, command: command(seed) };
    let mut showing: Vec<Showing> = whole.checked.findings.iter().map(|_| show(first)).collect();
    for (seed, run) in ran {
        let Ran::Other(findings) = run else { continue };
        failed += u32::from(is_failed(&findings));
        let mut counted: Vec<usize> = vec![];
        for finding in findings {
            let known = whole.checked.findings.iter().position(|known| is_same_misuse(known, &finding));
            match known {
                Some(known) if !counted.contains(&known) => showing[known].count += 1,
                Some(_) => continue,
                None => {
                    whole.checked.findings.push(finding);
                    showing.push(show(seed));
                }
            }
            counted.push(known.unwrap_or(showing.len() - 1));
        }
    }
    let mut sorted: Vec<(Finding, Showing)> = std::mem::take(&mut whole.checked.findings).into_iter().zip(showing).collect();
    sorted.sort_by_key(|(finding, _)| finding.severity);
    let (findings, showing) = sorted.into_iter().unzip();
    whole.checked.findings = findings;
    Ok((whole, Seeds { first, runs, failed, showing }))
}

/// The runs in the order of their seeds, whatever the number of threads.
fn run_all(
    (case, programs): (&CaseArgs, &[PathBuf]),
    (first, runs, threads): (u64, u32, NonZeroUsize),
    strict: bool,
) -> Result<Vec<(u64, Ran)>> {
    let next = AtomicU64::new(0);
    let progress = Mutex::new((Progress::of_seeds(), 0));
    let one = |seed: u64| -> Result<Ran> {
        let mut case = case.load_seed(programs, Some(seed))?;
        case.session.detect_races();
        let run = run_silent(&case, strict);
        if let Ok(mut progress) = progress.lock() {
            progress.1 += 1;
            let done = progress.1;
            progress.0.reach(done);
        }
        Ok(match run? {
            run if seed == first => Ran::First(Box::new(run)),
            run => Ran::Other(run.checked.findings),
        })
    };
    let work = || -> Vec<(u64, Result<Ran>)> {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let seeds = numbers.take_while(|number| *number < runs.into() && !is_interrupted());
        seeds.map(|number| (first.wrapping_add(number), one(first.wrapping_add(number)))).collect()
    };
    let joined = |worker: ScopedJoinHandle<Vec<(u64, Result<Ran>)>>| {
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    };
    let mut ran: Vec<(u64, Result<Ran>)> = running(|| {
        scope(|scope| {
            let workers: Vec<_> = (0..threads.get().min(runs as usize)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(joined).collect()
        })
    });
    if is_interrupted() {
        return Err(Failure::plain("the runs of the seeds were interrupted", None));
    }
    ran.sort_by_key(|(seed, _)| seed.wrapping_sub(first));
    ran.into_iter().map(|(seed, run)| Ok((seed, run?))).collect()
}

/// This command with one seed in place of several.
fn command(seed: u64) -> String {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words = with_seed(&words, seed);
    let words: Vec<&str> = std::iter::once("bcu").chain(words.iter().map(String::as_str)).collect();
    shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
}

/// The words with one seed in place of the options that select seeds and threads.
fn with_seed(words: &[String], seed: u64) -> Vec<String> {
    let mut kept = vec![];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        match ["--seeds", "--seed", "--jobs"].contains(&name) {
            true if value.is_none() => drop(words.next()),
            true => {}
            false => kept.push(word.clone()),
        }
    }
    // A project file may have `seeds`. After `--` there are only programs.
    let at = kept.iter().position(|word| word == "--").unwrap_or(kept.len());
    kept.splice(at..at, ["--seeds".to_string(), "1".to_string(), "--seed".to_string(), seed.to_string()]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_repeated_with_one_seed() {
        let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        let kept = with_seed(&words("check k.ptx --seeds 9 --seed=4 --jobs 2 --format json"), 7);
        assert_eq!(kept, words("check k.ptx --format json --seeds 1 --seed 7"));
        assert_eq!(with_seed(&words("check --seeds 9 -- k.ptx"), 7), words("check --seeds 1 --seed 7 -- k.ptx"));
    }
}
