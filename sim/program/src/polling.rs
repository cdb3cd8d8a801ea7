// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the loads that a loop repeats until they return another value.

use super::{Function, Op, Slot};
use std::collections::BTreeSet;

/// Whether the instruction `at` is in a loop and writes a register on which a guarded branch, return or exit of the loop depends. A loop is
/// the instructions from the target of a backward branch to the branch.
pub fn is_polled(function: &Function, at: usize) -> bool {
    let branches = function.instrs.iter().enumerate().skip(at);
    let loops = branches.filter_map(|(end, instr)| match instr.op {
        Op::Branch { target } if target <= at => Some(target..=end),
        _ => None,
    });
    loops.into_iter().any(|body| {
        let instrs = &function.instrs[body.clone()];
        let is_branch = |op: &Op| matches!(op, Op::Branch { .. } | Op::Return | Op::Exit);
        let guards = instrs.iter().filter(|instr| is_branch(&instr.op)).filter_map(|instr| instr.guard.map(|guard| guard.slot));
        let mut deciding: BTreeSet<Slot> = guards.collect();
        // Adds the registers on which these guards depend, whatever the order of the instructions in the loop.
        loop {
            let writes = |slots: &BTreeSet<Slot>, instr: &super::Instr| instr.written().any(|slot| slots.contains(&slot));
            let sources: BTreeSet<Slot> =
                instrs.iter().filter(|instr| writes(&deciding, instr)).flat_map(|instr| instr.reads()).collect();
            let before = deciding.len();
            deciding.extend(sources);
            if deciding.len() == before {
                return writes(&deciding, &function.instrs[at]);
            }
        }
    })
}
