// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fault codes that no program can cause: the machine does not issue what they are about, so a run in which the unit reports one shows
//! an error of the machine or of the unit, and ends at once.

use bcu_isa::op::FaultCode;
use bcu_model::op::Code;

/// The codes that no program can cause (`docs/contract/faults.md`).
pub const NO_PROGRAM: [FaultCode; 4] =
    [FaultCode::NotResident, FaultCode::WarpBlocked, FaultCode::SlotOccupied, FaultCode::CannotSave];

/// Whether no program can cause this code.
pub(super) fn has_no_program(code: Code) -> bool {
    NO_PROGRAM.contains(&FaultCode::from_u64(code.value()))
}

/// The unit refused an operation with one of these codes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: the unit refuses {operation} as `{code}`, which no program can cause{}", .ports.iter().chain([run]).map(|line| format!("\n  {line}")).collect::<String>())]
pub struct ImpossibleFault {
    pub cycle: u64,
    /// As in `docs/contract/faults.md`.
    pub code: String,
    /// What was refused: of which CTA and warp, and its line.
    pub operation: String,
    /// The ports of the unit in that cycle, in a few lines.
    pub ports: Vec<String>,
    /// Configuration, policies and seed.
    pub run: String,
}
