// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions that made values in memory unknown, for messages about values that are loaded later.

use super::bank::Bank;
use crate::warp::threads::At;
use std::collections::HashMap;

/// Bytes of a word, the unit of the record.
const WORD: u64 = 4;

/// The maximum number of words with a recorded origin; further stores of unknown values are not recorded.
const MOST: usize = 1 << 16;

/// An instruction, with the address of its code: warps may execute different programs.
pub(in super::super) type Source = (usize, At);

/// The origins of unknown values in memory.
#[derive(Debug, Default)]
pub(in super::super) struct Origins {
    /// By memory and word, what made the value of the last issued store unknown.
    words: HashMap<(Bank, u64), Source>,
    /// By memory, the last store at an unknown address: after it, all of that memory is unknown.
    everywhere: Vec<(Bank, Source)>,
}

/// The words that contain these bytes.
fn words(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    address / WORD..address.saturating_add(bytes).div_ceil(WORD)
}

impl Origins {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.everywhere.is_empty()
    }

    /// Records a store; `source` is what made its value unknown, `None` if the value is known.
    pub fn store(&mut self, bank: Bank, address: u64, bytes: u64, source: Option<Source>) {
        match source {
            Some(source) if self.words.len() < MOST => {
                words(address, bytes).for_each(|word| _ = self.words.insert((bank, word), source));
            }
            Some(_) => {}
            None if self.words.is_empty() => {}
            None => words(address, bytes).for_each(|word| _ = self.words.remove(&(bank, word))),
        }
    }

    /// Records a store at an unknown address.
    pub fn store_anywhere(&mut self, bank: Bank, source: Source) {
        self.everywhere.retain(|(known, _)| *known != bank);
        self.everywhere.push((bank, source));
    }

    /// Copies the origins of bytes within a memory.
    pub fn copy(&mut self, bank: Bank, from: u64, to: u64, bytes: u64) {
        if self.words.is_empty() {
            return;
        }
        for (from, to) in words(from, bytes).zip(words(to, bytes)) {
            match self.words.get(&(bank, from)).copied() {
                Some(source) => _ = self.words.insert((bank, to), source),
                None => _ = self.words.remove(&(bank, to)),
            }
        }
    }

    /// What made the value of these bytes unknown, among the instructions of this code; `None` if no store did.
    pub fn find(&self, bank: Bank, address: u64, bytes: u64, code: usize) -> Option<At> {
        let stored = words(address, bytes).find_map(|word| self.words.get(&(bank, word)));
        let anywhere = self.everywhere.iter().find(|(known, _)| *known == bank).map(|(_, source)| source);
        stored.or(anywhere).filter(|(of, _)| *of == code).map(|(_, at)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_follows_copies_until_a_known_value_is_stored() {
        let (bank, at) = (Bank::Local(0, 1), |instr: usize| At { function: 0, instr });
        let mut origins = Origins::default();
        origins.store(bank, 8, 8, Some((7, at(3))));
        assert_eq!(origins.find(bank, 12, 4, 7), Some(at(3)));
        assert_eq!([origins.find(bank, 12, 4, 8), origins.find(bank, 16, 4, 7)], [None; 2]);
        origins.copy(bank, 8, 64, 4);
        origins.store(bank, 8, 8, None);
        assert_eq!([8, 64, 68].map(|from| origins.find(bank, from, 4, 7)), [None, Some(at(3)), None]);
        origins.store_anywhere(bank, (7, at(5)));
        assert_eq!([8, 64].map(|from| origins.find(bank, from, 4, 7)), [Some(at(5)), Some(at(3))]);
        assert_eq!(origins.find(Bank::Global, 8, 4, 7), None);
    }
}
