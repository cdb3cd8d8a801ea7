// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs tools on all cores. Each tool is in a separate process group, which is ended on Ctrl-C, TERM and HUP, so that no tool outlives this
//! program.

use anyhow::{bail, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The running process groups, by the id of their first process.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
static STOPPED: AtomicBool = AtomicBool::new(false);
/// The time from SIGTERM to SIGKILL, in which SymbiYosys ends its solvers.
const GRACE: Duration = Duration::from_secs(5);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// After this call, a signal ends all running process groups, and no further tool is started.
pub fn end_with_me() -> Result<()> {
    ctrlc::set_handler(|| {
        STOPPED.store(true, Ordering::SeqCst);
        let groups = locked(&RUNNING).clone();
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            // It is no error if a group has already ended.
            for group in groups.intersection(&locked(&RUNNING)) {
                let _ = killpg(Pid::from_raw(*group), signal);
            }
            thread::sleep(GRACE);
        }
    })
    .context("cannot catch signals")
}

/// Runs a tool to its end in a separate process group.
pub fn output(command: &mut Command) -> Result<Output> {
    let name = command.get_program().to_owned();
    let child = {
        // The lock is held until the new group is in the list. So either the signal handler finds
        // the group there, or the handler has set `STOPPED` before, and the tool is not started.
        let mut running = locked(&RUNNING);
        if STOPPED.load(Ordering::SeqCst) {
            bail!("stopped by a signal");
        }
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {}", name.display()))?;
        running.insert(child.id().cast_signed());
        child
    };
    let group = child.id().cast_signed();
    let done = child.wait_with_output();
    locked(&RUNNING).remove(&group);
    if STOPPED.load(Ordering::SeqCst) {
        bail!("stopped by a signal");
    }
    done.with_context(|| format!("cannot run {}", name.display()))
}

/// Calls `work` for each of `jobs` on `cores` threads; `None`: all cores. Displays the running jobs
/// on a terminal, and prints the line that `work` returns for each job. Returns one result per job,
/// in the order of the jobs; after a signal, jobs that were not started have `None`.
pub fn each<J: Sync, R: Send>(
    jobs: &[J],
    cores: Option<NonZeroUsize>,
    name: impl Fn(&J) -> String + Sync,
    work: impl Fn(&J) -> (String, R) + Sync,
) -> Vec<Option<R>> {
    each_until(|| false, jobs, cores, name, work)
}

/// As [`each`]; starts no further job once `is_stopped` returns true.
pub fn each_until<J: Sync, R: Send>(
    is_stopped: impl Fn() -> bool + Sync,
    jobs: &[J],
    cores: Option<NonZeroUsize>,
    name: impl Fn(&J) -> String + Sync,
    work: impl Fn(&J) -> (String, R) + Sync,
) -> Vec<Option<R>> {
    let cores = cores.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let bar = ProgressBar::new(jobs.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed_precise} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    let (next, running) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    let show = |names: &BTreeSet<String>| bar.set_message(names.iter().cloned().collect::<Vec<_>>().join(", "));
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::SeqCst);
                let Some(job) = jobs.get(index) else { return };
                if STOPPED.load(Ordering::SeqCst) || is_stopped() {
                    return;
                }
                let mut names = locked(&running);
                names.insert(name(job));
                show(&names);
                drop(names);
                let (line, result) = work(job);
                bar.suspend(|| println!("{line}"));
                bar.inc(1);
                let mut names = locked(&running);
                names.remove(&name(job));
                show(&names);
                locked(&results)[index] = Some(result);
            });
        }
    });
    bar.finish_and_clear();
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_results_keep_their_order() {
        let jobs: Vec<usize> = (0..50).collect();
        let done = each(&jobs, NonZeroUsize::new(4), usize::to_string, |job| (format!("job {job}"), job * 2));
        assert_eq!(done, jobs.iter().map(|j| Some(j * 2)).collect::<Vec<_>>());
    }

    #[test]
    fn a_job_that_is_not_started_after_a_signal_has_no_result() {
        let (jobs, stopped): (Vec<usize>, _) = ((0..9).collect(), AtomicBool::new(false));
        // The signal comes during job 3.
        let work = |job: &usize| {
            stopped.fetch_or(*job == 3, Ordering::SeqCst);
            (format!("job {job}"), job * 2)
        };
        let done = each_until(|| stopped.load(Ordering::SeqCst), &jobs, NonZeroUsize::new(1), usize::to_string, work);
        assert_eq!(done, [Some(0), Some(2), Some(4), Some(6), None, None, None, None, None]);
    }

    #[test]
    fn a_tool_is_a_group_of_its_own() {
        let done = output(Command::new("sh").args(["-c", "ps -o pgid= -p $$; echo $$"])).unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let (group, id) = text.trim().split_once('\n').unwrap();
        assert_eq!(group.trim(), id.trim());
    }
}
