// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ctrl-C and TERM: a run ends at its next cycle and is reported as far as it has come; anything else ends at once. Files that are not complete
//! are taken away.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a shell gives a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// A run is under way that ends by itself when it is interrupted.
static RUNS: AtomicBool = AtomicBool::new(false);
/// Files that have not taken their names.
static STAGED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn staged() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Catches signals from here on. A second one ends a run at once.
pub fn catch() {
    // A signal that is ignored from outside, as under `nohup`, stays so; without a handler it ends the process, which is no reason to run nothing.
    let _ = ctrlc::try_set_handler(|| {
        if RUNS.swap(false, Ordering::SeqCst) {
            bcu_machine::interrupt();
            return;
        }
        staged().iter().for_each(|file| fs::remove_file(file).unwrap_or_default());
        exit(INTERRUPTED);
    });
}

/// Does what can be interrupted.
pub fn running<T>(work: impl FnOnce() -> T) -> T {
    RUNS.store(true, Ordering::SeqCst);
    let done = work();
    RUNS.store(false, Ordering::SeqCst);
    done
}

/// A file is being written.
pub fn stage(file: &Path) {
    staged().insert(file.to_path_buf());
}

/// It has its name, or is gone.
pub fn unstage(file: &Path) {
    staged().remove(file);
}
