// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction for the unit.

use bcu_model::decode::Instruction;

/// An instruction for the unit, still without word and operands. `active` is the mask of its lanes; only the lanes in the mask `guard`
/// execute it.
pub(super) fn issue(active: u64, guard: u64) -> Instruction {
    Instruction { active, guard, uniform: true, ..Instruction::default() }
}
