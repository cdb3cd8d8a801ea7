// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fault codes that no program can cause, since the machine never issues the refused operations. A run in which the unit reports such a
//! code exposes an error of the machine or of the unit, and ends at once.

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
    /// The name as in `docs/contract/faults.md`.
    pub code: String,
    /// The refused operation: its CTA, warp and line.
    pub operation: String,
    /// The ports of the unit in that cycle, in a few lines.
    pub ports: Vec<String>,
    /// Configuration, policies and seed.
    pub run: String,
}
