// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assumed values of guards, for lanes in which the value of a guard is unknown.

use super::report::Assumed;
use bcu_program::{Instr, Op, WarpProgram};
use fastrand::Rng;

/// The assumed value of a guard in lanes in which its value is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumedGuard {
    /// The guard counts as true: a branch is taken, any other instruction is executed.
    True,
    /// The guard counts as false: a branch is not taken, any other instruction is not executed.
    False,
    /// A random value for all unknown lanes, drawn each time that a warp executes the instruction.
    Random,
}

impl AssumedGuard {
    /// All values with their names.
    pub const ALL: [(&'static str, AssumedGuard); 3] =
        [("taken", AssumedGuard::True), ("not", AssumedGuard::False), ("random", AssumedGuard::Random)];
}

/// The assumed value of unknown guards in a line of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The line number in the text of a program, from 1. The assumption applies to the guarded
    /// instructions in this line of every program.
    pub line: usize,
    pub way: AssumedGuard,
}

impl Assumption {
    /// Whether at least one of `programs` has a guarded instruction in the line of the assumption.
    pub fn fits(&self, programs: &[WarpProgram]) -> bool {
        let instrs = programs.iter().flat_map(|program| &program.code.functions).flat_map(|function| &function.instrs);
        instrs.into_iter().any(|instr| instr.place.line == self.line && instr.guard.is_some())
    }
}

/// The assumptions of a run, and how often each assumption was used.
pub(super) struct Assumptions {
    assumptions: Vec<Assumption>,
    random: Rng,
    pub used: Vec<Assumed>,
}

impl Assumptions {
    pub fn new(given: &[Assumption], seed: u64) -> Assumptions {
        Assumptions { assumptions: given.to_vec(), random: Rng::with_seed(seed), used: vec![] }
    }

    /// Whether at least one assumption uses random values.
    pub fn are_random(&self) -> bool {
        self.assumptions.iter().any(|assumption| matches!(assumption.way, AssumedGuard::Random))
    }

    /// Returns the assumed value for the unknown guard of `instr` and counts the use; returns
    /// `None` if no assumption names the line of `instr`.
    pub fn guard(&mut self, instr: &Instr) -> Option<bool> {
        let assumption = self.assumptions.iter().find(|assumption| assumption.line == instr.place.line)?;
        let guard_value = match assumption.way {
            AssumedGuard::True => true,
            AssumedGuard::False => false,
            AssumedGuard::Random => self.random.bool(),
        };
        let number = self.used.iter().position(|used| used.place == instr.place).unwrap_or(self.used.len());
        if number == self.used.len() {
            let branch = matches!(instr.op, Op::Branch { .. });
            self.used.push(Assumed { place: instr.place.clone(), branch, times_true: 0, times_false: 0 });
        }
        let used = &mut self.used[number];
        *(if guard_value { &mut used.times_true } else { &mut used.times_false }) += 1;
        Some(guard_value)
    }
}
