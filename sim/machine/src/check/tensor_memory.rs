// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One note for each kernel with instructions `tcgen05`, which are not executed.

use super::codes::TCGEN05_NOT_CHECKED;
use super::finding::{At, Case, Finding};
use bcu_program::{Function, Instr, Op};

pub fn find(case: &Case) -> Vec<Finding> {
    let mut entries: Vec<(usize, usize)> = vec![];
    let mut found = vec![];
    for (program, file) in case.subject.programs.iter().zip(case.subject.owners) {
        if entries.contains(&(*file, program.entry)) {
            continue;
        }
        entries.push((*file, program.entry));
        // A kernel also has the instructions of the functions that it may call.
        let calls = program.function().is_some_and(|entry| entry.instrs.iter().any(|instr| matches!(instr.op, Op::Call(_))));
        let is_entry = |other: usize| case.subject.programs.iter().any(|program| program.entry == other);
        let functions = program.code.functions.iter().enumerate();
        let of_kernel = functions.filter(|(number, _)| *number == program.entry || calls && !is_entry(*number));
        let Some(first) = of_kernel.flat_map(|(_, function)| of_tensor_core(function)).next() else { continue };
        let at = At { file: *file, start: first.span.start, end: first.span.end };
        let message = format!("`{}` has instructions `tcgen05`, which are met and not checked", program.name);
        found.push(Finding::new(&TCGEN05_NOT_CHECKED, Some(at), message));
    }
    found
}

fn of_tensor_core(function: &Function) -> impl Iterator<Item = &Instr> {
    function.instrs.iter().filter(|instr| instr.place.text.split_whitespace().any(|word| word.starts_with("tcgen05.")))
}
