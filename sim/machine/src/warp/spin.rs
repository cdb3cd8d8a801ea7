// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects a warp that repeats a loop in which it only reads memory. If the registers are the same after each round, the warp leaves the
//! loop only when other warps change the words that it reads.

use super::super::memory::{Access, Bank};
use super::threads::At;

/// The number of equal rounds after which a warp counts as spinning.
const ROUNDS: u32 = 2;
/// The maximum number of executions of other branches in one round; after more of them the warp has left the loop.
const MOST_BRANCHES: u32 = 64;
/// The maximum number of words recorded in one round.
const MOST: usize = 8;

/// The state of a warp at one execution of a branch, and how often that state has repeated.
#[derive(Clone, Debug)]
pub(in super::super) struct Spin {
    /// The location of the branch that ends a round of the loop.
    at: At,
    /// The digest of the warp's state at the branch.
    digest: u64,
    /// The number of changes in the machine until the branch.
    changes: u64,
    rounds: u32,
    /// The number of executions of the branch since the last change in the machine.
    visits: u32,
    /// The number of other branches executed since the last execution of this branch.
    branches: u32,
    /// The reads in the loop: instruction, memory, first byte and number of bytes.
    words: Vec<(At, Bank, u64, u64)>,
}

impl Spin {
    /// Records that a warp has executed a branch. `digest` is the state of the warp, and `changes` the number of changes in the machine so
    /// far.
    pub fn complete_round(spin: &mut Option<Spin>, at: At, digest: u64, changes: u64) {
        match spin {
            Some(spin) if spin.at == at => {
                spin.branches = 0;
                spin.visits += 1;
                if (spin.digest, spin.changes) == (digest, changes) {
                    spin.rounds += 1;
                } else if spin.changes != changes || spin.visits.is_power_of_two() {
                    // The state may repeat only after several executions of the branch, so the state to compare with is replaced at longer
                    // and longer intervals.
                    let visits = if spin.changes == changes { spin.visits } else { 0 };
                    *spin = Spin { at, digest, changes, rounds: 0, visits, branches: 0, words: vec![] };
                }
            }
            // This is another branch in the same round.
            Some(spin) if spin.branches < MOST_BRANCHES => spin.branches += 1,
            _ => *spin = Some(Spin { at, digest, changes, rounds: 0, visits: 0, branches: 0, words: vec![] }),
        }
    }

    /// Whether the warp has been spinning since the last change in the machine; `changes` is the number of changes so far.
    pub fn is_spinning(&self, changes: u64) -> bool {
        self.rounds >= ROUNDS && self.changes == changes
    }

    /// Records a read of memory.
    pub fn reads(&mut self, at: At, access: &Access) {
        let parts = access.parts.iter().flat_map(|part| access.pieces(part).map(|(first, bytes, _)| (part.bank, first, bytes)));
        for (bank, first, bytes) in parts.filter(|(bank, ..)| !matches!(bank, Bank::Local(..))) {
            let word = first.map(|first| (at, bank, first, bytes));
            if let Some(word) = word.filter(|word| self.words.len() < MOST && !self.words.contains(word)) {
                self.words.push(word);
            }
        }
    }

    /// The branch that ends a round.
    pub fn branch(&self) -> At {
        self.at
    }

    /// The words that the warp reads in each round: instruction, memory, first byte and number of bytes.
    pub fn words(&self) -> &[(At, Bank, u64, u64)] {
        &self.words
    }
}
