// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A thread group of the legal user of the gateway: its threads signal and wait in planned phases, and each planned phase completes.

use super::reference::{Kind, Op};
use crate::stimulus::Rng;
use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub number: u64,
    /// The thread's exit is among its tasks.
    is_leaving: bool,
    pub is_live: bool,
    pub tasks: VecDeque<Op>,
    /// Barriers, one bit each, at which the thread is a consumer of a planned phase and has no wait for that phase among its tasks yet.
    owed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    /// Number of phases that are planned and not complete.
    planned: u64,
    /// The consumers of the last planned phase, one bit for each thread index.
    consumers: u64,
    /// The consumers that have a wait for the last planned phase among their tasks, one bit for each thread index.
    waiters: u64,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub slot: u64,
    pub threads: Vec<Thread>,
    declared: u64,
    barriers: Vec<Barrier>,
    generations_left: u64,
}

impl Group {
    pub fn new(slot: u64, warps: u64, declared: u64, generations_left: u64) -> Group {
        let numbers = (0..64).filter(|warp| warps >> warp & 1 == 1);
        let threads = numbers.map(|number| Thread { number, is_live: true, ..Thread::default() }).collect();
        Group { slot, threads, declared, barriers: vec![Barrier::default(); 32], generations_left }
    }

    pub fn mask(&self) -> u64 {
        self.threads.iter().fold(0, |mask, thread| mask | 1 << thread.number)
    }

    pub fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| !thread.is_live)
    }

    pub fn completed(&mut self, id: u64) {
        let barrier = &mut self.barriers[id as usize];
        barrier.planned = barrier.planned.saturating_sub(1);
    }

    fn wait(&mut self, place: usize, id: u64) {
        self.threads[place].owed &= !(1 << id);
        self.threads[place].tasks.push_back(Op { kind: Kind::Wait, id, ..Op::default() });
        let barrier = &mut self.barriers[id as usize];
        barrier.waiters |= 1 << place & barrier.consumers;
    }

    /// Adds owed waits of a thread to its tasks: a random part of them, or all of them before an exit.
    fn settle(&mut self, rng: &mut Rng, place: usize, permille: u64) {
        for id in (0..32).filter(|id| self.threads[place].owed >> id & 1 == 1).collect::<Vec<_>>() {
            if rng.chance(permille) {
                self.wait(place, id);
            }
        }
    }

    /// Plans a phase at one of `ids` barriers, or the exits once no phase is left to plan. In thousandths, `prompt` is the probability that
    /// a consumer waits right after its signal, and `apart` the probability that a thread with both roles sends one signal for each role.
    pub fn plan(&mut self, rng: &mut Rng, ids: u64, prompt: u64, apart: u64) {
        let staying: Vec<usize> = (0..self.threads.len()).filter(|place| !self.threads[*place].is_leaving).collect();
        for place in &staying {
            self.settle(rng, *place, prompt / 4);
            if self.generations_left == 0 || staying.len() > 1 && rng.chance(3) {
                self.settle(rng, *place, 1000);
                self.threads[*place].is_leaving = true;
                self.threads[*place].tasks.push_back(Op { kind: Kind::Exit, ..Op::default() });
            }
        }
        let staying = staying.into_iter().filter(|place| !self.threads[*place].is_leaving);
        let members = staying.fold(0u64, |mask, place| mask | 1 << place);
        if members == 0 {
            return;
        }
        self.generations_left = self.generations_left.saturating_sub(1);
        let id = rng.below(self.declared.min(ids));
        let draw_part = |rng: &mut Rng| {
            let size = rng.range(1, members.count_ones().into());
            if rng.chance(300) {
                members
            } else {
                rng.subset(members, size)
            }
        };
        let (producers, consumers) = (draw_part(rng), draw_part(rng));
        let barrier = self.barriers[id as usize];
        let owing =
            (0..self.threads.len()).filter(|place| self.threads[*place].owed >> id & 1 == 1).fold(0u64, |m, p| m | 1 << p);
        // A consumer must take the notification of the previous phase first.
        for place in (0..64).filter(|place| (owing & consumers) >> place & 1 == 1) {
            self.wait(place, id);
        }
        let waiters = self.barriers[id as usize].waiters;
        // A thread that does not wait for the previous phase could signal for this phase too early.
        if barrier.planned > 0 && (producers | consumers) & !waiters != 0 {
            return;
        }
        self.barriers[id as usize] = Barrier { planned: barrier.planned + 1, consumers, waiters: 0 };
        let numbers = [producers, consumers].map(|mask| u64::from(mask.count_ones()));
        for place in (0..self.threads.len()).filter(|place| (producers | consumers) >> place & 1 == 1) {
            let signal = Op { kind: Kind::Signal, id, producers: numbers[0], consumers: numbers[1], ..Op::default() };
            let roles: &[u64] = match (producers >> place & 1 == 1, consumers >> place & 1 == 1) {
                (true, true) if rng.chance(apart) => [&[1, 2], &[2, 1]][rng.below(2) as usize],
                (true, true) => &[0],
                (true, false) => &[1],
                _ => &[2],
            };
            self.threads[place].tasks.extend(roles.iter().map(|role| Op { role: *role, ..signal }));
            if consumers >> place & 1 == 1 {
                self.threads[place].owed |= 1 << id;
                if rng.chance(prompt) {
                    self.wait(place, id);
                }
            }
        }
    }
}
