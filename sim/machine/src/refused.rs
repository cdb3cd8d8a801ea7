// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fault codes that no program can cause, since the machine never issues the operations for which the unit reports them. If the unit
//! reports such a code, the machine or the unit is wrong, and the run ends at once.

use bcu_isa::op::FaultCode;
use bcu_model::op::Code;

/// The codes that no program can cause (`docs/contract/faults.md`).
pub const NO_PROGRAM: [FaultCode; 4] =
    [FaultCode::NotResident, FaultCode::WarpBlocked, FaultCode::SlotOccupied, FaultCode::CannotSave];

/// Whether no program can cause this code.
pub(super) fn has_no_program(code: Code) -> bool {
    NO_PROGRAM.contains(&FaultCode::from_u64(code.value()))
}

/// A refused operation whose code no program can cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: the unit refuses {operation} as `{code}`, which no program can cause{}", .ports.iter().chain([run]).map(|line| format!("\n  {line}")).collect::<String>())]
pub struct ImpossibleFault {
    pub cycle: u64,
    /// The name of the code, as in `docs/contract/faults.md`.
    pub code: String,
    /// The refused operation: its CTA, warp and line.
    pub operation: String,
    /// The values at the ports of the unit in the cycle of the refusal, in a few lines of text.
    pub ports: Vec<String>,
    /// The configuration, the policies and the seed of the run, as text.
    pub run: String,
}
