// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTAs of a legal user of `named`: the planned generations of their warps, each of which completes, and their state while they are
//! saved.

use super::reference::{Kind, Op};
use crate::stimulus::Rng;
use std::collections::VecDeque;

/// A warp of a CTA; a saved CTA may be restored into other warp slots.
#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// The warp slot in which the warp is resident.
    pub number: u64,
    pub is_live: bool,
    /// The warp's exit is among its tasks, so it gets no further tasks.
    pub is_leaving: bool,
    /// The warp's tasks in order, without warp slot and CTA slot, which are filled in when a task is sent.
    pub tasks: VecDeque<Op>,
    /// The state words of the barriers that the warp has read.
    pub words: Vec<u64>,
    /// The state word of the warp itself that the warp has read.
    pub state: u64,
}

/// The generations of one barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Barrier {
    /// Generations that are planned and not complete.
    pub planned: u64,
    /// Warps that wait in the last planned generation, by index in the CTA.
    pub waiters: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Running,
    /// The CTA's state words are read; then the CTA is released.
    Saving,
    /// The CTA is not resident.
    Saved,
    /// The CTA's state words are written.
    Restoring,
}

#[derive(Clone, Debug)]
pub struct Cta {
    pub slot: u64,
    pub stage: Stage,
    pub warps: Vec<Warp>,
    pub declared: u64,
    pub barriers: Vec<Barrier>,
    /// Operations that are still to be sent while the CTA is saved or restored.
    pub script: VecDeque<Op>,
    /// Number of generations that may still begin.
    pub generations_left: u64,
}

impl Cta {
    pub fn live(&self) -> u64 {
        self.warps.iter().filter(|warp| warp.is_live).count() as u64
    }

    pub fn mask(&self) -> u64 {
        self.warps.iter().fold(0, |mask, warp| mask | 1 << warp.number)
    }

    /// The launch operation of the CTA, with the declared sizes.
    pub fn launch(&self) -> Op {
        let (warps, mask) = (self.warps.len() as u64, self.mask());
        Op { kind: Kind::Launch, cta: self.slot, warps, live: self.live(), barriers: self.declared, mask, ..Op::default() }
    }

    fn staying(&self) -> Vec<usize> {
        (0..self.warps.len()).filter(|warp| self.warps[*warp].is_live && !self.warps[*warp].is_leaving).collect()
    }

    /// Plans a generation that all its warps can complete: its arrivals come after the existing tasks of each warp.
    pub fn plan(&mut self, rng: &mut Rng, lanes: u64, ids: u64) {
        let staying = self.staying();
        if self.generations_left == 0 || staying.is_empty() {
            return;
        }
        self.generations_left -= 1;
        let id = rng.below(self.declared.min(ids)) as usize;
        let count_given = rng.chance(600);
        let mut chosen = staying.clone();
        if count_given {
            let size = rng.range(1, staying.len() as u64) as usize;
            while chosen.len() > size {
                chosen.swap_remove(rng.below(chosen.len() as u64) as usize);
            }
        }
        let chosen_mask = chosen.iter().fold(0, |mask, warp| mask | 1u64 << warp);
        let barrier = &mut self.barriers[id];
        // A warp that does not wait in the previous generation could arrive for the new generation too early.
        if barrier.planned > 0 && chosen_mask & !barrier.waiters != 0 {
            return;
        }
        barrier.planned += 1;
        barrier.waiters = 0;
        let reduces = rng.chance(400);
        let redop = rng.below(3);
        let arrivers = if count_given && !reduces { rng.pick(&[0, 300, 1000]).unwrap_or(0) } else { 0 };
        let count = if count_given { chosen.len() as u64 * lanes } else { 0 };
        for warp in chosen {
            let (kind, value) = match reduces {
                true if redop == 2 => (Kind::Reduce, rng.below(lanes + 1)),
                true => (Kind::Reduce, u64::from(rng.chance(200))),
                false if rng.chance(arrivers) => (Kind::Arrive, 0),
                false => (Kind::Sync, 0),
            };
            if kind != Kind::Arrive {
                self.barriers[id].waiters |= 1 << warp;
            }
            self.warps[warp].tasks.push_back(Op { kind, id: id as u64, count, redop, value, ..Op::default() });
        }
    }

    /// Plans the exit of one warp after its tasks, or of all warps if no generation is left to begin.
    pub fn let_exit(&mut self, rng: &mut Rng, permille: u64) {
        let staying = self.staying();
        for place in staying {
            if self.generations_left == 0 || rng.chance(permille) {
                self.warps[place].is_leaving = true;
                self.warps[place].tasks.push_back(Op { kind: Kind::Exit, ..Op::default() });
                if self.generations_left > 0 {
                    return;
                }
            }
        }
    }

    /// Accounts for the completion of a generation of barrier `id`.
    pub fn completed(&mut self, id: u64) {
        let barrier = &mut self.barriers[id as usize];
        barrier.planned = barrier.planned.saturating_sub(1);
    }
}
