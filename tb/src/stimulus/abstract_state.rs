// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An abstract state of the unit: the CTA in each CTA slot, the words that were read, and the context switch in progress.
//!
//! It serves only to choose legal operations and is no oracle: misuse and broken promises make it drift from the unit. A CTA that makes
//! no progress is released, which brings the abstract state back in step.

use super::cta::Cta;
use super::rng::Rng;
use super::shape::Shape;
use super::state_word::Word;
use super::swarm::Swarm;
use super::switch::Switch;
use super::transaction::{Access, Launch, Transaction};
use bcu_isa::op::StateWord;
use std::collections::VecDeque;

pub struct AbstractState {
    pub shape: Shape,
    pub ctas: Vec<Option<Cta>>,
    /// Reads that were transferred and that the unit may still answer.
    open_reads: VecDeque<Access>,
    /// The state words that were read most recently.
    pub words: VecDeque<Word>,
    /// The CTA that is being saved and restored.
    pub switch: Option<Switch>,
    /// Probability, in thousandths, that a launch declares more warps than the unit has, which breaks a promise.
    pub(super) crowd: u64,
}

/// Number of state words that are stored.
const WORDS: usize = 32;

impl AbstractState {
    pub fn new(shape: Shape) -> Self {
        let ctas = vec![None; shape.slots as usize];
        AbstractState { shape, ctas, open_reads: VecDeque::new(), words: VecDeque::new(), switch: None, crowd: 0 }
    }

    /// Creates a state without CTAs; `crowd` is the probability of the field of that name.
    pub fn crowded(shape: Shape, crowd: u64) -> Self {
        AbstractState { crowd, ..AbstractState::new(shape) }
    }

    pub fn clear(&mut self) {
        *self = AbstractState::crowded(self.shape, self.crowd);
    }

    pub fn cta(&self, slot: usize) -> Option<&Cta> {
        self.ctas.get(slot)?.as_ref()
    }

    /// Warps that belong to a CTA.
    pub fn taken_warps(&self) -> u64 {
        self.ctas.iter().flatten().fold(0, |m, c| m | c.launched)
    }

    /// Accounts for an operation that was transferred and was not drawn as misuse.
    pub fn note(&mut self, transaction: Transaction, rng: &mut Rng, swarm: &Swarm) {
        match transaction {
            Transaction::Launch(l) => self.launch(&l, rng.range(swarm.life[0], swarm.life[1])),
            Transaction::Release { slot, .. } => self.ctas.iter_mut().skip(slot).take(1).for_each(|place| *place = None),
            Transaction::Exit { slot, warp } => self.with(slot, |cta| cta.exit(warp)),
            Transaction::Arrive(a) => {
                let lanes = self.shape.lanes;
                self.with(a.slot, |cta| cta.arrive(&a, lanes));
            }
            Transaction::Write(a) => self.with(a.slot, |cta| cta.write(&a)),
            Transaction::Read(a) => {
                // At most 15 reads can be in flight, and refused reads get no answer. So the list is limited to 16 reads.
                self.open_reads.truncate(15);
                self.open_reads.push_back(a);
            }
            // A fence does not change the barriers.
            Transaction::Fence { .. } => (),
        }
        if let Some(mut switch) = self.switch.take() {
            let free_warps = self.shape.all_warps() & !self.taken_warps();
            let slots = self.ctas.iter().enumerate().filter(|(_, c)| c.is_none()).fold(0, |m, (s, _)| m | 1u64 << s);
            switch.note(&transaction, rng, slots, free_warps);
            self.switch = Some(switch).filter(|s| !s.is_over());
        }
    }

    /// Accounts for the answer to a Read of `warp`.
    pub fn has_read(&mut self, warp: u64, value: u64) {
        // Reads before this one that are still pending have been refused.
        let Some(at) = self.open_reads.iter().position(|a| a.warp as u64 == warp) else { return };
        let open_read = self.open_reads.drain(..=at).next_back();
        if let Some(a) = open_read.filter(|a| a.state != StateWord::Result) {
            let word = Word { warp: a.warp, state: a.state, id: a.id, data: value };
            self.words.truncate(WORDS - 1);
            self.words.push_front(word);
            if let Some(switch) = &mut self.switch {
                switch.has_read(a.slot, word);
            }
        }
    }

    /// Counts an operation that does not change the barriers, by a warp of the CTA in `slot`: the operation only shortens the CTA's life.
    pub fn age(&mut self, slot: usize) {
        self.with(slot, |cta| cta.life = cta.life.saturating_sub(1));
    }

    fn with(&mut self, slot: usize, change: impl FnOnce(&mut Cta)) {
        if let Some(cta) = self.ctas.get_mut(slot).and_then(Option::as_mut) {
            change(cta);
        }
    }

    fn launch(&mut self, l: &Launch, life: u64) {
        if let Some(place) = self.ctas.get_mut(l.slot) {
            *place = Some(Cta::new(l, self.shape.barriers, life));
        }
    }
}
