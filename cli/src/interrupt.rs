// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles Ctrl-C, TERM and HUP. A run ends at its next cycle and reports the cycles up to there. Any other command removes its incomplete
//! files, prints how to resume it if that is possible, and exits at once.

use crate::failure::complain;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code that a shell reports for a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Whether a run is in progress. An interrupt then ends the run at its next cycle, and not the process.
static RUNS: AtomicBool = AtomicBool::new(false);
/// Files that do not have their final names yet.
static STAGED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// The text that an interrupted command prints; if it is empty, nothing is printed.
static EXPLANATION: Mutex<String> = Mutex::new(String::new());

fn staged() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs the signal handler. A second signal ends a run at once.
pub fn catch() {
    // A signal that the parent process ignores must remain ignored: HUP under `nohup`, or Ctrl-C in a background job of a script. `ctrlc`
    // installs its handler for all three signals, so those that were ignored are set to ignored again afterwards.
    let ignored = ignored();
    // If the handler cannot be installed, a signal ends the process; that is no reason to refuse a run.
    let _ = ctrlc::set_handler(|| {
        if RUNS.swap(false, Ordering::SeqCst) {
            bcu_machine::interrupt();
            return;
        }
        staged().iter().for_each(|file| fs::remove_file(file).unwrap_or_default());
        let text = EXPLANATION.lock().unwrap_or_else(PoisonError::into_inner);
        if !text.is_empty() {
            complain(&text);
        }
        exit(INTERRUPTED);
    });
    ignore(&ignored);
}

/// Those of the signals INT, TERM and HUP that this process ignores.
#[cfg(unix)]
fn ignored() -> Vec<i32> {
    let is_ignored = |signal: &i32| {
        // Safety: `sigaction` without a new action only writes the current one to `action`, for which zeros are valid.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(*signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
        }
    };
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect()
}

#[cfg(unix)]
fn ignore(signals: &[i32]) {
    for signal in signals {
        // Safety: no handler of this process is called for an ignored signal.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
fn ignored() -> Vec<i32> {
    vec![]
}

#[cfg(not(unix))]
fn ignore(_: &[i32]) {}

/// Sets the text that this command prints if it is interrupted.
pub fn explain(text: String) {
    *EXPLANATION.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// Executes `work`, during which an interrupt ends a run and not the process.
pub fn running<T>(work: impl FnOnce() -> T) -> T {
    RUNS.store(true, Ordering::SeqCst);
    let done = work();
    RUNS.store(false, Ordering::SeqCst);
    done
}

/// Registers a file that is being written.
pub fn stage(file: &Path) {
    staged().insert(file.to_path_buf());
}

/// Removes a file from the register: it has its final name, or it is deleted.
pub fn unstage(file: &Path) {
    staged().remove(file);
}
