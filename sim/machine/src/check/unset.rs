// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads of variables that have neither an initial value nor data from a launch.
//!
//! Correct programs use variables of `.global` that begin at 0 as counters and flags. So such a variable is reported only if the kernels of
//! the run cannot write it: no store, atomic operation or call uses an address that is computed from its address.

use super::codes::VARIABLE_NOT_SET;
use super::finding::{Case, Finding};
use crate::report::{UnsetRead, Verdict};
use bcu_program::launch::written;
use bcu_program::{Access, AccessKind, Function, Op, Operand};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub fn find(case: &Case) -> Vec<Finding> {
    // A hang or a limit of cycles has other findings. A run that was stopped may have used what it has read, such as a pointer that is 0.
    let is_whole = matches!(case.report.verdict, Verdict::Completed | Verdict::Stopped);
    let kernels = case.kernels();
    let functions: Vec<&Function> = kernels.into_iter().flat_map(|kernel| kernel.functions).collect();
    let is_written = |read: &UnsetRead| {
        let addresses = read.address..=read.address.saturating_add(read.bytes);
        functions.iter().any(|function| may_write(function, &addresses))
    };
    let reads = case.report.unset_reads.iter();
    reads.filter(|read| read.is_constant || is_whole && !is_written(read)).map(|read| describe(case, read)).collect()
}

fn describe(case: &Case, read: &UnsetRead) -> Finding {
    let UnsetRead { variable, is_constant, cta, warp, place, .. } = read;
    let name = written(variable);
    let (space, who) = if *is_constant { ("constant", "") } else { ("global", ", and no kernel of the run writes it") };
    let message =
        format!("`{name}` in {space} memory has neither an initial value nor data from the launch{who}: it is 0, as in CUDA");
    let mut finding = Finding::new(&VARIABLE_NOT_SET, case.locate_in(*cta, *warp, place), message);
    finding.help = finding.help.replace("NAME", &name);
    (finding.cta, finding.warp) = (Some(*cta), Some(*warp));
    finding
}

/// Whether the function may store to a variable with these addresses: a register that is computed from an address of the variable, or the
/// address itself, is the address of a store or an atomic operation, or is passed on by any other instruction than a calculation.
fn may_write(function: &Function, addresses: &RangeInclusive<u64>) -> bool {
    let mut computed = BTreeSet::new();
    loop {
        let before = computed.len();
        for instr in &function.instrs {
            let is_in = |operand: &Operand| match operand {
                Operand::Immediate(at) => addresses.contains(&(*at as u64)),
                Operand::Register { slot, .. } => computed.contains(slot),
                _ => false,
            };
            if !instr.operands().any(is_in) {
                continue;
            }
            match &instr.op {
                Op::Access(Access { kind: AccessKind::Load | AccessKind::Prefetch { .. } | AccessKind::Nothing, .. }) => {}
                Op::Calc { .. } => computed.extend(instr.written()),
                _ => return true,
            }
        }
        if computed.len() == before {
            return false;
        }
    }
}
