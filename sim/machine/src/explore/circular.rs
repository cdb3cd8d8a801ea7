// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constraints that no run can follow.

use crate::schedule_file::{Constraint, Execution};

/// Whether no run can follow the constraints, because an execution would wait for itself.
pub(super) fn is_circular(constraints: &[Constraint]) -> bool {
    let mut executions: Vec<Execution> =
        constraints.iter().flat_map(|constraint| [constraint.delayed, constraint.after]).collect();
    executions.sort_unstable();
    executions.dedup();
    let number = |of: &Execution| executions.binary_search(of).unwrap_or(0);
    // Executions of one instruction by a warp are next to each other, in the order of their times.
    let same = |pair: &[Execution]| Execution { time: 0, ..pair[0] } == Execution { time: 0, ..pair[1] };
    let in_program = executions.windows(2).enumerate().filter(|(_, pair)| same(pair)).map(|(at, _)| (at, at + 1));
    let waits = constraints.iter().map(|constraint| (number(&constraint.after), number(&constraint.delayed)));
    // Executions that wait for none of the remaining ones are removed, until no such execution remains.
    let mut waits_for = vec![0_usize; executions.len()];
    let mut later = vec![vec![]; executions.len()];
    for (from, to) in waits.chain(in_program) {
        waits_for[to] += 1;
        later[from].push(to);
    }
    let mut removed: Vec<usize> = (0..executions.len()).filter(|of| waits_for[*of] == 0).collect();
    let mut next = 0;
    while let Some(of) = removed.get(next).copied() {
        next += 1;
        for to in &later[of] {
            waits_for[*to] -= 1;
            if waits_for[*to] == 0 {
                removed.push(*to);
            }
        }
    }
    removed.len() < executions.len()
}
