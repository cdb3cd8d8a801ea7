// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions of instructions.

use super::instr::{Instr, Op};
use super::tensor_core::TensorCore;

/// A function: its instructions in text order.
#[derive(Clone, Debug, Default)]
pub struct Function {
    pub name: String,
    pub instrs: Vec<Instr>,
    /// Names of the registers, by register slot.
    pub registers: Vec<String>,
    /// Bytes of local memory of one call: variables, parameters, arguments and result.
    pub frame: u64,
    /// For each parameter, its bytes in the frame.
    pub parameters: Vec<std::ops::Range<u64>>,
    /// The bytes of the result in the frame.
    pub result: Option<std::ops::Range<u64>>,
}

impl Function {
    /// Whether an instruction reads a register that the instruction `at` writes.
    pub fn uses_result(&self, at: usize) -> bool {
        let Some(instr) = self.instrs.get(at) else { return false };
        self.instrs.iter().flat_map(Instr::reads).any(|read| instr.written().any(|written| written == read))
    }

    /// Whether a branch leads to the instruction `at`.
    pub fn is_target(&self, at: usize) -> bool {
        self.instrs.iter().any(|instr| match &instr.op {
            Op::Branch { target } => *target == at,
            Op::Switch { targets, .. } => targets.contains(&at),
            _ => false,
        })
    }

    /// Whether `tcgen05.wait::ld` follows the instruction `at` without a jump, a call or the end of the function in between.
    pub fn awaits_tensor_loads(&self, at: usize) -> bool {
        let is_jump = |op: &Op| matches!(op, Op::Branch { .. } | Op::Call(_) | Op::Return | Op::Exit | Op::Trap);
        let mut block = self.instrs.iter().skip(at + 1).map(|instr| &instr.op).take_while(|op| !is_jump(op));
        block.any(|op| matches!(op, Op::TensorCore(TensorCore::Wait { stores: false })))
    }
}
