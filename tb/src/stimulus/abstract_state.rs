// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An abstract state of the unit: which CTA is in which slot, what was read, and the context switch under way.
//!
//! It only serves to choose operations that make sense. It is no oracle: misuse and broken promises make it drift, and a CTA
//! in which nothing moves any more is released, which brings both together again.

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
    /// Reads that were taken and may still be answered.
    asked: VecDeque<Access>,
    /// Words that were read, the last ones.
    pub words: VecDeque<Word>,
    /// The CTA that is being saved and restored.
    pub switch: Option<Switch>,
    /// Chance, in thousandths, that a launch says it has more warps than there are.
    pub(super) crowd: u64,
}

/// How many words are remembered.
const WORDS: usize = 32;

impl AbstractState {
    pub fn new(shape: Shape) -> Self {
        let ctas = vec![None; shape.slots as usize];
        AbstractState { shape, ctas, asked: VecDeque::new(), words: VecDeque::new(), switch: None, crowd: 0 }
    }

    /// One in which launches may break a promise.
    pub fn crowded(shape: Shape, crowd: u64) -> Self {
        AbstractState { crowd, ..AbstractState::new(shape) }
    }

    pub fn clear(&mut self) {
        *self = AbstractState::crowded(self.shape, self.crowd);
    }

    pub fn cta(&self, slot: usize) -> Option<&Cta> {
        self.ctas.get(slot)?.as_ref()
    }

    /// Warps that belong to some CTA.
    pub fn taken(&self) -> u64 {
        self.ctas.iter().flatten().fold(0, |m, c| m | c.launched)
    }

    /// Takes notice of an operation that the unit has taken and that makes sense.
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
                // More than can be on their way were refused.
                self.asked.truncate(15);
                self.asked.push_back(a);
            }
            // It changes nothing at the barriers.
            Transaction::Fence { .. } => (),
        }
        if let Some(mut switch) = self.switch.take() {
            let free = self.shape.all() & !self.taken();
            let slots = self.ctas.iter().enumerate().filter(|(_, c)| c.is_none()).fold(0, |m, (s, _)| m | 1u64 << s);
            switch.note(&transaction, rng, slots, free);
            self.switch = Some(switch).filter(|s| !s.is_over());
        }
    }

    /// Takes notice of what a Read has read.
    pub fn has_read(&mut self, warp: u64, value: u64) {
        // Those asked before it have been refused.
        let Some(at) = self.asked.iter().position(|a| a.warp as u64 == warp) else { return };
        let asked = self.asked.drain(..=at).next_back();
        if let Some(a) = asked.filter(|a| a.state != StateWord::Result) {
            let word = Word { warp: a.warp, state: a.state, id: a.id, data: value };
            self.words.truncate(WORDS - 1);
            self.words.push_front(word);
            if let Some(switch) = &mut self.switch {
                switch.has_read(a.slot, word);
            }
        }
    }

    /// A warp of a CTA has done something that changes nothing at the barriers.
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
