// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The formats of findings, and the severity from which a check fails.

use bcu_machine::check::finding::Finding;
use bcu_machine::check::{CheckVerdict, Severity};

/// How to print findings.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
    Sarif,
    Github,
}

/// The least severe finding that makes a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Note,
}

impl FailOn {
    /// Whether a finding of this severity makes the check fail.
    fn includes(self, severity: Severity) -> bool {
        match self {
            FailOn::Error => severity == Severity::Error,
            FailOn::Warning => severity != Severity::Note,
            FailOn::Note => true,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            FailOn::Error => "error",
            FailOn::Warning => "warning",
            FailOn::Note => "note",
        }
    }

    /// The verdict on findings.
    pub fn verdict(self, findings: &[Finding]) -> CheckVerdict {
        match CheckVerdict::from_findings(findings) {
            CheckVerdict::Pass if findings.iter().any(|finding| self.includes(finding.severity)) => CheckVerdict::Fail,
            verdict => verdict,
        }
    }
}
