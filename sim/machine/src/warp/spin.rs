// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp that repeats a loop in which it only reads memory: with the same registers after each round, it leaves the loop only if
//! other warps change the words that it reads.

use super::super::memory::{Access, Bank};
use super::threads::At;

/// Rounds after which a warp is taken to spin.
const ROUNDS: u32 = 2;
/// Other branches of one round: after more of them the loop has been left.
const MOST_BRANCHES: u32 = 64;
/// Words of one round that are kept.
const MOST: usize = 8;

/// What a warp was like at one visit of a branch, and how often it was like that again.
#[derive(Clone, Debug)]
pub(in super::super) struct Spin {
    /// The branch back, the state of the warp there, and what had changed in the machine by then.
    at: At,
    digest: u64,
    changes: u64,
    rounds: u32,
    /// Visits of the branch since the last change.
    visits: u32,
    /// Other branches since it was last there.
    branches: u32,
    /// What it has read in this round: the instruction, the memory, first byte and bytes.
    words: Vec<(At, Bank, u64, u64)>,
}

impl Spin {
    /// A warp in this state has executed a branch, when so much had changed in the machine.
    pub fn comes_round(spin: &mut Option<Spin>, at: At, digest: u64, changes: u64) {
        match spin {
            Some(spin) if spin.at == at => {
                spin.branches = 0;
                spin.visits += 1;
                if (spin.digest, spin.changes) == (digest, changes) {
                    spin.rounds += 1;
                } else if spin.changes != changes || spin.visits.is_power_of_two() {
                    // The state may come back after several visits: later and later ones are compared with.
                    let visits = if spin.changes == changes { spin.visits } else { 0 };
                    *spin = Spin { at, digest, changes, rounds: 0, visits, branches: 0, words: vec![] };
                }
            }
            // Another branch of the round.
            Some(spin) if spin.branches < MOST_BRANCHES => spin.branches += 1,
            _ => *spin = Some(Spin { at, digest, changes, rounds: 0, visits: 0, branches: 0, words: vec![] }),
        }
    }

    /// It has gone on since the last change in the machine.
    pub fn goes_on(&self, changes: u64) -> bool {
        self.rounds >= ROUNDS && self.changes == changes
    }

    /// It reads memory.
    pub fn reads(&mut self, at: At, access: &Access) {
        let parts = access.parts.iter().flat_map(|part| access.pieces(part).map(|(first, bytes, _)| (part.bank, first, bytes)));
        for (bank, first, bytes) in parts.filter(|(bank, ..)| !matches!(bank, Bank::Local(..))) {
            let word = first.map(|first| (at, bank, first, bytes));
            if let Some(word) = word.filter(|word| self.words.len() < MOST && !self.words.contains(word)) {
                self.words.push(word);
            }
        }
    }

    /// The branch with which a round ends.
    pub fn at(&self) -> At {
        self.at
    }

    /// The words that it reads in each round: the instruction, the memory, first byte and bytes.
    pub fn words(&self) -> &[(At, Bank, u64, u64)] {
        &self.words
    }
}
