// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts runs before their end.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends every run of this process at its next cycle. The report of such a run has the verdict `unfinished`, and all events so far.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether [`interrupt`] was called.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
