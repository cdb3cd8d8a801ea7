// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the uses of an mbarrier's token, the state that an arrival returns.

use super::arith::Operation;
use super::mbarrier::MbarrierOp;
use super::{Function, Instr, Op, Operand, Slot};
use std::collections::BTreeSet;

/// Whether the results of the instruction `at` are used as nothing but the phase of waits. Only the phase in a token is the same in every
/// order of the arrivals; its counts are not.
pub fn is_only_phase(function: &Function, at: usize) -> bool {
    let Some(first) = function.instrs.get(at) else { return true };
    let mut tokens: BTreeSet<Slot> = first.written().collect();
    loop {
        let before = tokens.len();
        for instr in &function.instrs {
            if !instr.reads().any(|slot| tokens.contains(&slot)) {
                continue;
            }
            match &instr.op {
                Op::Mbarrier(mbarrier) => match &mbarrier.op {
                    MbarrierOp::Wait(wait) if !wait.parity && reads_once(instr, &wait.phase, &tokens) => {}
                    _ => return false,
                },
                Op::Calc { calc, .. } if matches!(calc.op, Operation::Move(_)) => tokens.extend(instr.written()),
                _ => return false,
            }
        }
        if tokens.len() == before {
            return true;
        }
    }
}

/// Whether `operand` is the only operand of the instruction that is a token.
fn reads_once(instr: &Instr, operand: &Operand, tokens: &BTreeSet<Slot>) -> bool {
    let is_token = |operand: &Operand| matches!(operand, Operand::Register { slot, .. } if tokens.contains(slot));
    is_token(operand) && instr.operands().filter(|operand| is_token(operand)).count() == 1
}
