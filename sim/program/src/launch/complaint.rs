// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Complaints of parts of a launch.

use bcu_isa::diag::Diagnostic;

/// A complaint whose place is known further out.
pub(super) fn complaint(message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
    Diagnostic::new(0..0, message, label)
}
