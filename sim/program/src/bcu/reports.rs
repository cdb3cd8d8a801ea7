// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Diagnostics of a text, up to a fixed number.

use bcu_isa::diag::Diagnostic;

/// Maximum number of errors, and of warnings, that one parse reports.
pub const MAX_REPORTS: usize = 20;

/// Errors and warnings so far.
#[derive(Default)]
pub(super) struct Reports {
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
}

impl Reports {
    pub fn full(&self) -> bool {
        self.errors.len() > MAX_REPORTS
    }

    pub fn error(&mut self, error: Diagnostic) {
        match self.errors.len() {
            n if n < MAX_REPORTS => self.errors.push(error),
            MAX_REPORTS => {
                let more = format!("more than {MAX_REPORTS} errors; the rest is not shown");
                self.errors.push(Diagnostic::new(error.span, more, "the first error that is not shown is here"));
            }
            _ => {}
        }
    }

    /// Reports a warning once, even if several warps cause it.
    pub fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MAX_REPORTS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}
