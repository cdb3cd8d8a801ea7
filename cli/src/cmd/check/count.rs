// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts findings.

use bcu_machine::check::finding::Finding;
use bcu_machine::check::Severity;

/// The number of findings of a severity.
pub fn count(found: &[Finding], severity: Severity) -> usize {
    found.iter().filter(|f| f.severity == severity).count()
}
