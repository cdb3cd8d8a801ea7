// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs that are to end before their time.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends every run of this process at its next cycle. It is reported as unfinished, with all that happened so far.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether [`interrupt`] was called.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
