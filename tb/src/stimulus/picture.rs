// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A light picture of the unit's state: which warps are in which CTA slot, and how far each generation has come.
//!
//! It only serves to choose operations that make sense. It is no oracle: misuse and broken promises make it drift, and a CTA
//! in which nothing moves any more is released, which brings both together again.

use super::rng::Rng;
use super::state_word::{self, Word};
use super::swarm::Swarm;
use super::switch::Switch;
use super::wish::{Access, Arrival, Launch, Wish};
use super::Shape;
use bcu_hw::unit::op::{RedOp, StateWord};
use std::collections::VecDeque;

/// A generation in the making.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// Warps that have arrived, as far as they count for a second arrival.
    pub arrived: u64,
    /// Those of them that wait.
    pub waiting: u64,
    /// How many have arrived; 0 is a closed generation.
    pub count: u64,
    /// Warps that complete it, 0 for all live ones.
    pub expected: u64,
    /// What it reduces, if it does.
    pub redop: Option<RedOp>,
}

#[derive(Clone, Debug)]
pub struct Cta {
    pub launched: u64,
    pub live: u64,
    /// Barriers, as the launch gave them and as they count.
    pub barriers: u64,
    pub declared: u64,
    pub plans: [Plan; 16],
    /// Warps that have the result of a reduction.
    pub reduced: u64,
    /// Last id used without a count.
    pub last: usize,
    /// Operations until it ends.
    pub life: u64,
}

impl Cta {
    /// Everyone who waits at one of its barriers.
    pub fn waiting(&self) -> u64 {
        self.plans.iter().fold(0, |all, plan| all | plan.waiting)
    }

    /// The generation of an id is complete.
    fn complete(&mut self, id: usize) {
        let plan = std::mem::take(&mut self.plans[id]);
        if plan.redop.is_some() {
            self.reduced |= plan.waiting;
        }
    }

    fn arrive(&mut self, a: &Arrival, lanes: u64) {
        let (id, bit, live) = (a.id as usize & 15, 1 << a.warp, self.live.count_ones() as u64);
        let plan = &mut self.plans[id];
        let waiting = plan.waiting | if a.sync { bit } else { 0 };
        let expected = a.count / lanes;
        *plan = Plan { arrived: plan.arrived | bit, waiting, count: plan.count + 1, expected, redop: a.redop };
        if plan.count == if expected == 0 { live } else { expected } {
            self.complete(id);
        }
        if expected == 0 {
            self.last = id;
        }
        self.life = self.life.saturating_sub(1);
    }

    fn exit(&mut self, warp: usize) {
        self.live &= !(1 << warp);
        let plan = &self.plans[self.last];
        if plan.count != 0 && plan.expected == 0 && plan.count == self.live.count_ones() as u64 {
            self.complete(self.last);
        }
    }

    /// A written word, if it is possible.
    fn write(&mut self, a: &Access) {
        let (id, bit) = (a.id as usize & 15, 1u64 << a.warp);
        match a.state {
            StateWord::Barrier => {
                let before = self.plans[id];
                let arrived = before.arrived & !bit | if a.data >> 31 & 1 == 1 { bit } else { 0 };
                let plan = Plan { arrived, ..state_word::plan(a.data) };
                self.plans[id] = if plan.count == 0 { Plan::default() } else { plan };
                if plan.count != 0 && plan.expected == 0 {
                    self.last = id;
                    if plan.count == self.live.count_ones() as u64 {
                        self.complete(id);
                    }
                }
            }
            _ => {
                let has_result = a.data >> 12 & 3 != 3;
                self.reduced = self.reduced & !bit | if has_result { bit } else { 0 };
                if a.data >> 14 & 1 == 1 {
                    self.plans[a.data as usize >> 15 & 15].waiting |= bit;
                }
            }
        }
        self.life = self.life.saturating_sub(1);
    }
}

pub struct Picture {
    pub shape: Shape,
    pub ctas: Vec<Option<Cta>>,
    /// Reads that were taken and may still be answered.
    asked: VecDeque<Access>,
    /// Words that were read, the last ones.
    pub words: VecDeque<Word>,
    /// The CTA that is being saved and restored.
    pub switch: Option<Switch>,
}

/// How many words are remembered.
const WORDS: usize = 32;

impl Picture {
    pub fn new(shape: Shape) -> Self {
        let ctas = vec![None; shape.slots as usize];
        Picture { shape, ctas, asked: VecDeque::new(), words: VecDeque::new(), switch: None }
    }

    pub fn clear(&mut self) {
        *self = Picture::new(self.shape);
    }

    pub fn cta(&self, slot: usize) -> Option<&Cta> {
        self.ctas.get(slot)?.as_ref()
    }

    /// Warps that belong to some CTA.
    pub fn taken(&self) -> u64 {
        self.ctas.iter().flatten().fold(0, |m, c| m | c.launched)
    }

    /// Takes notice of an operation that the unit has taken and that makes sense.
    pub fn note(&mut self, wish: Wish, rng: &mut Rng, swarm: &Swarm) {
        match wish {
            Wish::Launch(l) => self.launch(l, rng.range(swarm.life[0], swarm.life[1])),
            Wish::Release { slot, .. } => self.ctas.iter_mut().skip(slot).take(1).for_each(|place| *place = None),
            Wish::Exit { slot, warp } => self.with(slot, |cta| cta.exit(warp)),
            Wish::Arrive(a) => {
                let lanes = self.shape.lanes;
                self.with(a.slot, |cta| cta.arrive(&a, lanes));
            }
            Wish::Write(a) => self.with(a.slot, |cta| cta.write(&a)),
            Wish::Read(a) => {
                // More than can be on their way were refused.
                self.asked.truncate(15);
                self.asked.push_back(a);
            }
        }
        if let Some(mut switch) = self.switch.take() {
            let free = self.shape.all() & !self.taken();
            let slots = self.ctas.iter().enumerate().filter(|(_, c)| c.is_none()).fold(0, |m, (s, _)| m | 1u64 << s);
            switch.note(&wish, rng, slots, free);
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

    fn with(&mut self, slot: usize, change: impl FnOnce(&mut Cta)) {
        if let Some(cta) = self.ctas.get_mut(slot).and_then(Option::as_mut) {
            change(cta);
        }
    }

    fn launch(&mut self, l: Launch, life: u64) {
        let cta = Cta {
            launched: l.warps,
            live: l.warps & !l.exited,
            barriers: l.barriers,
            declared: l.barriers.min(self.shape.barriers),
            plans: [Plan::default(); 16],
            reduced: 0,
            last: 0,
            life,
        };
        if let Some(place) = self.ctas.get_mut(l.slot) {
            *place = Some(cta);
        }
    }
}
