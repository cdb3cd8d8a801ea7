// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers with their noun.

use bcu_machine::check::finding::Finding;
use bcu_machine::check::Severity;

/// How many findings there are of a severity.
pub fn count(found: &[Finding], severity: Severity) -> usize {
    found.iter().filter(|f| f.severity == severity).count()
}
