// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One note for each kernel with accesses that are not executed, and one for each kernel with instructions `tcgen05`
//! that only take time.

use super::codes::{ACCESS_NOT_CHECKED, TCGEN05_NOT_CHECKED};
use super::finding::{At, Case, Finding, Kernel};
use bcu_program::launch::kernel_title;
use bcu_program::{Instr, Op};

/// Instructions with an address that access no memory of the program.
const NO_ACCESS: [&str; 3] = ["prefetch", "prefetchu", "applypriority"];

pub fn find(case: &Case) -> Vec<Finding> {
    let mut found = vec![];
    for Kernel { program, file, functions } in case.kernels() {
        let instrs: Vec<&Instr> = functions.into_iter().flat_map(|function| &function.instrs).collect();
        let at = |instr: &Instr| Some(At::of(file, instr));
        let is_only_timed = |instr: &&&Instr| matches!(instr.op, Op::Busy { .. }) && instr.opcode().starts_with("tcgen05.");
        if let Some(first) = instrs.iter().find(is_only_timed) {
            let message = format!("`{}` has `{}`, whose result is unknown", kernel_title(&program.name), first.opcode());
            found.push(Finding::new(&TCGEN05_NOT_CHECKED, at(first), message));
        }
        let accesses: Vec<&&Instr> = instrs.iter().filter(|instr| is_unchecked_access(instr)).collect();
        if let Some(first) = accesses.first() {
            let others = match accesses.len() - 1 {
                0 => String::new(),
                1 => " and another access".to_string(),
                others => format!(" and {others} other accesses"),
            };
            let message =
                format!("`{}` has `{}`{others}, not executed and not checked", kernel_title(&program.name), first.opcode());
            found.push(Finding::new(&ACCESS_NOT_CHECKED, at(first), message));
        }
    }
    found
}

/// Whether the instruction only takes time, although it accesses memory.
pub(super) fn is_unchecked_access(instr: &Instr) -> bool {
    let name = instr.opcode().split('.').next().unwrap_or("");
    let only_takes_time = match &instr.op {
        Op::Busy { .. } => true,
        Op::Access(access) => access.address.is_none() && instr.is_unevaluated(),
        _ => false,
    };
    only_takes_time && instr.place.text.contains('[') && !NO_ACCESS.contains(&name) && name != "tcgen05"
}
