// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Diagnostics about parts of a launch.

use bcu_isa::diag::Diagnostic;

/// A diagnostic without a span; the caller adds the span.
pub(super) fn complaint(message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
    Diagnostic::new(0..0, message, label)
}
