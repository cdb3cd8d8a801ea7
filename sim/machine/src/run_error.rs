// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of a run without a report.

use super::execute::Stopped;
use super::reference::Contradiction;
use super::refused::ImpossibleFault;
use super::report::Report;
use super::wires::MissingPort;
use bcu_isa::diag::Diagnostic;
use bcu_model::sizes::SizeError;

/// The reason that a run has no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    MissingPort(#[from] MissingPort),
    /// The machine, the programs and the configuration do not fit together; the span is in the text of the machine description.
    #[error("{}", .0.message)]
    Misfit(Diagnostic),
    /// The model of the unit cannot be built with the sizes of the configuration.
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The unit refuses an operation that the machine never issues.
    #[error(transparent)]
    ImpossibleFault(#[from] Box<ImpossibleFault>),
    /// The program of a warp cannot continue; the span is in the text of the program. The report has the events up to this cycle.
    #[error("{}", .stopped.diagnostic.message)]
    Program { cta: usize, warp: usize, stopped: Box<Stopped>, report: Option<Box<Report>> },
}
