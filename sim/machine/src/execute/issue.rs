// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction for the unit.

use bcu_model::decode::Instruction;

/// An instruction for the unit without word and operands; `active` are its lanes, of which those in `guard` execute it.
pub(super) fn issue(active: u64, guard: u64) -> Instruction {
    Instruction { active, guard, uniform: true, ..Instruction::default() }
}
