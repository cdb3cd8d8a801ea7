// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A context switch. Every live warp reads its state words. The CTA is released with `saved` and launched again in another CTA slot and
//! other warp slots. Then every word is written back, the words of the barriers first.

use super::cta::Cta;
use super::rng::Rng;
use super::state_word::Word;
use super::transaction::{Access, Transaction};
use bcu_isa::op::StateWord;
use std::collections::VecDeque;

pub struct Switch {
    /// `cta`: the CTA before the switch. `slot`: its old CTA slot until the release, then its new one.
    cta: Cta,
    slot: usize,
    /// The remaining operations of the switch, in order.
    steps: VecDeque<Transaction>,
    /// The state words read so far.
    words: Vec<Word>,
    /// The number of state words expected.
    wanted: usize,
    /// Number of further calls of [`Switch::next`] that wait for missing state words. After the last call the CTA is released without the
    /// missing words.
    patience: usize,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Read,
    Release,
    Launch,
    Write,
}

impl Switch {
    pub fn new(slot: usize, cta: &Cta) -> Self {
        let open = (0..cta.declared).filter(|id| cta.plans[*id as usize].count != 0);
        let live: Vec<usize> = (0..64).filter(|w| cta.live >> w & 1 == 1).collect();
        let read = |state, id: u64, warp: &usize| Transaction::Read(Access { slot, warp: *warp, state, id, data: 0 });
        let mut steps: VecDeque<Transaction> = VecDeque::new();
        open.for_each(|id| steps.extend(live.iter().map(|warp| read(StateWord::Barrier, id, warp))));
        steps.extend(live.iter().map(|warp| read(StateWord::Warp, 0, warp)));
        let wanted = steps.len();
        Switch { cta: cta.clone(), slot, steps, words: vec![], wanted, patience: 40, stage: Stage::Read }
    }

    /// The CTA slot for which no other operation may be sent during the switch.
    pub fn slot(&self) -> usize {
        self.slot
    }

    pub fn is_over(&self) -> bool {
        self.stage == Stage::Write && self.steps.is_empty()
    }

    /// The next operation of the switch; `None` while words are still in flight.
    pub fn next(&mut self) -> Option<Transaction> {
        if self.stage == Stage::Read && self.steps.is_empty() {
            self.patience -= 1;
            if self.words.len() < self.wanted && self.patience > 0 {
                return None;
            }
            self.steps.push_back(Transaction::Release { slot: self.slot, saved: true });
            self.stage = Stage::Release;
        }
        self.steps.front().copied()
    }

    /// Notes a state word that was read, of this CTA or of another one.
    pub fn has_read(&mut self, slot: usize, word: Word) {
        if slot == self.slot && matches!(self.stage, Stage::Read) {
            self.words.push(word);
        }
    }

    /// Accounts for an operation that was transferred; `slots` and `warps` are the CTA slots and warp slots that are free at that time.
    pub fn note(&mut self, transaction: &Transaction, rng: &mut Rng, slots: u64, warps: u64) {
        if self.steps.front() != Some(transaction) {
            return;
        }
        self.steps.pop_front();
        match self.stage {
            Stage::Release => {
                let warps = rng.subset(warps, self.cta.launched.count_ones() as u64);
                self.slot = rng.bit(slots).unwrap_or(self.slot);
                let exited = moved(self.cta.launched & !self.cta.live, self.cta.launched, warps);
                self.steps.push_back(Transaction::Launch(self.cta.again(self.slot, warps, exited)));
                self.stage = Stage::Launch;
            }
            Stage::Launch => {
                let Transaction::Launch(launch) = transaction else { return };
                let access_of = |word: &Word| Access {
                    slot: self.slot,
                    warp: moved(1 << word.warp, self.cta.launched, launch.warps).trailing_zeros() as usize & 63,
                    state: word.state,
                    id: word.id,
                    data: word.data,
                };
                let of_state =
                    |state| self.words.iter().filter(move |w| w.state == state).map(access_of).map(Transaction::Write);
                let writes: Vec<Transaction> = of_state(StateWord::Barrier).chain(of_state(StateWord::Warp)).collect();
                self.steps.extend(writes);
                self.stage = Stage::Write;
            }
            Stage::Read | Stage::Write => {}
        }
    }
}

/// Maps the warps `mask`, a subset of `from`, to the corresponding warps of `to`, in order.
fn moved(mask: u64, from: u64, to: u64) -> u64 {
    let old = (0..64).filter(|w| from >> w & 1 == 1);
    let new = (0..64).filter(|w| to >> w & 1 == 1);
    old.zip(new).filter(|(old, _)| mask >> old & 1 == 1).fold(0, |m, (_, new)| m | 1 << new)
}
