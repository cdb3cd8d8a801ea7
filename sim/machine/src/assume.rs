// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assumed values of guards, for lanes in which the value of a guard is unknown.

use super::report::Assumed;
use bcu_program::{Instr, Op, WarpProgram};
use fastrand::Rng;

/// The assumed value of a guard in lanes in which its value is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// True: the branch is taken, the barrier is executed.
    Taken,
    /// False.
    Not,
    /// Drawn by the seed, again each time that a warp executes the instruction.
    Random,
}

impl Way {
    /// All values with their names.
    pub const ALL: [(&'static str, Way); 3] = [("taken", Way::Taken), ("not", Way::Not), ("random", Way::Random)];
}

/// The assumed value of unknown guards in a line of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// Counted from 1; applies to every program that has an instruction with a guard in this line.
    pub line: usize,
    pub way: Way,
}

impl Assumption {
    /// Whether a program has an instruction in that line that may depend on the assumption.
    pub fn fits(&self, programs: &[WarpProgram]) -> bool {
        let instrs = programs.iter().flat_map(|program| &program.code.functions).flat_map(|function| &function.instrs);
        instrs.into_iter().any(|instr| instr.place.line == self.line && instr.guard.is_some())
    }
}

/// The assumptions of a run, and the number of uses of each.
pub(super) struct Assumptions {
    given: Vec<Assumption>,
    random: Rng,
    pub used: Vec<Assumed>,
}

impl Assumptions {
    pub fn new(given: &[Assumption], seed: u64) -> Assumptions {
        Assumptions { given: given.to_vec(), random: Rng::with_seed(seed), used: vec![] }
    }

    /// Whether some of them are drawn by the seed.
    pub fn are_random(&self) -> bool {
        self.given.iter().any(|assumption| matches!(assumption.way, Way::Random))
    }

    /// The assumed value of an instruction's unknown guard; `None` without an assumption.
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
