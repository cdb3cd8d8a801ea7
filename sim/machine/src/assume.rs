// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ways that are taken for granted where nobody knows whether a guard is true.

use super::report::Assumed;
use bcu_program::{Instr, Op, WarpProgram};
use fastrand::Rng;

/// What a guard is taken to be in lanes in which its value is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// True: the branch is taken, the barrier executed.
    Taken,
    /// False.
    Not,
    /// Drawn with the seed, anew whenever a warp comes by.
    Random,
}

impl Way {
    /// Every way with its name.
    pub const ALL: [(&'static str, Way); 3] = [("taken", Way::Taken), ("not", Way::Not), ("random", Way::Random)];
}

/// The guards of a line of the program are taken to be so where they are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// From 1; of every program that has instructions with guards there.
    pub line: usize,
    pub way: Way,
}

impl Assumption {
    /// Whether a program has an instruction at that line that may depend on it.
    pub fn fits(&self, programs: &[WarpProgram]) -> bool {
        let instrs = programs.iter().flat_map(|program| &program.code.functions).flat_map(|function| &function.instrs);
        instrs.into_iter().any(|instr| instr.place.line == self.line && instr.guard.is_some())
    }
}

/// The assumptions of a run, and how often each was needed.
pub(super) struct Assumptions {
    given: Vec<Assumption>,
    random: Rng,
    pub used: Vec<Assumed>,
}

impl Assumptions {
    pub fn new(given: &[Assumption], seed: u64) -> Assumptions {
        Assumptions { given: given.to_vec(), random: Rng::with_seed(seed), used: vec![] }
    }

    /// Some of them are drawn.
    pub fn are_random(&self) -> bool {
        self.given.iter().any(|assumption| matches!(assumption.way, Way::Random))
    }

    /// What the guard of an instruction, which is unknown, is taken to be; `None` without an assumption.
    pub fn guard(&mut self, instr: &Instr) -> Option<bool> {
        let assumption = self.given.iter().find(|assumption| assumption.line == instr.place.line)?;
        let taken = match assumption.way {
            Way::Taken => true,
            Way::Not => false,
            Way::Random => self.random.bool(),
        };
        let number = self.used.iter().position(|used| used.place == instr.place).unwrap_or(self.used.len());
        if number == self.used.len() {
            let branch = matches!(instr.op, Op::Branch { .. });
            self.used.push(Assumed { place: instr.place.clone(), branch, taken: 0, not: 0 });
        }
        let used = &mut self.used[number];
        *(if taken { &mut used.taken } else { &mut used.not }) += 1;
        Some(taken)
    }
}
