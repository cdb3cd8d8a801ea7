// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why there is no report.

use super::execute::Stopped;
use super::reference::Contradiction;
use super::refused::ImpossibleFault;
use super::report::Report;
use super::wires::MissingPort;
use bcu_isa::diag::Diagnostic;
use bcu_model::sizes::SizeError;

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    MissingPort(#[from] MissingPort),
    /// The machine, the programs and the configuration do not fit; the span is a place in the text of the machine description.
    #[error("{}", .0.message)]
    Misfit(Diagnostic),
    /// The model of the unit, which runs beside it, cannot have this size.
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The unit refuses what the machine never issues.
    #[error(transparent)]
    ImpossibleFault(#[from] Box<ImpossibleFault>),
    /// The program of a warp cannot go on; the span is a place in its text. The report has what happened until then.
    #[error("{}", .stopped.diagnostic.message)]
    Program { cta: usize, warp: usize, stopped: Box<Stopped>, report: Option<Box<Report>> },
}
