// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CTAs and warps of a legal user of `mbarrier`, and the planning of their next phases.

use super::object::*;
use crate::stimulus::Rng;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    #[default]
    Idle,
    /// `Sending`: the warp's operation is offered. `UnderWay`: the operation is in the unit. `Suspended`: the warp's wait is suspended.
    Sending,
    UnderWay,
    Suspended,
}

#[derive(Clone, Debug, Default)]
pub struct Warp {
    pub cta: Option<usize>,
    pub tasks: VecDeque<Task>,
    pub doing: Doing,
    pub task: Task,
    /// `since`: the cycle in which the warp's operation was transferred or, if the warp is suspended, the first cycle of its suspension.
    /// `limit`: the limit of the suspension, in ticks.
    pub since: u64,
    pub limit: u64,
    pub can_suspend: bool,
    /// The destination of the operation's result: register and predicate register.
    pub place: [u64; 2],
    /// The warp sends nothing before this cycle.
    pub pause: u64,
    /// The phase was already complete when the warp's wait was sent.
    pub is_late: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Running,
    /// The CTA sends nothing more, and is retired when nothing of it is in flight.
    Stopping,
    Retiring,
}

#[derive(Clone, Debug)]
pub struct Cta {
    pub stage: Stage,
    pub warps: Vec<usize>,
    /// Cluster slot, rank, and number of CTAs of the cluster.
    pub place: [u64; 3],
    pub objects: Vec<Object>,
    pub rounds_left: u64,
    pub saved: bool,
    /// The cycle of the launch; while `Retiring`, the cycle of the retirement.
    pub since: u64,
    /// The first cycle, after the CTA has stopped, in which nothing of it is in flight.
    pub still: Option<u64>,
    /// Number of operations on the CTA's objects in progress: offers of copy engines that were not transferred, and operations of other
    /// CTAs that were not answered.
    pub unanswered: u64,
    /// Number of operations of the CTA on objects of other CTAs without an acknowledgement.
    pub unacknowledged: u64,
    /// Operations on the CTA's objects that are still to be sent: `copies` by copy engines, `network` by other CTAs.
    pub copies: Vec<Task>,
    pub network: Vec<Task>,
    /// The numbers and values of the words that memory must hold after the CTA has retired.
    pub words: Vec<(u64, u64)>,
}

impl Cta {
    /// Plans the next step of a randomly chosen object.
    pub fn plan(&mut self, rng: &mut Rng, warps: &mut [Warp], has_network: bool, phase_length: u64) {
        let number = rng.below(self.objects.len() as u64) as usize;
        let object = &mut self.objects[number];
        let any = |rng: &mut Rng| rng.pick(&self.warps).unwrap_or(0);
        match object.life {
            Life::Changing => {}
            Life::Raw if self.rounds_left > 0 => {
                let expected = if rng.chance(50) { rng.range(1, (1 << 20) - 1) } else { rng.range(1, 10) };
                let word = object.word;
                *object = Object { life: Life::Changing, expected, pending: expected, ..Object::new(word) };
                let task = Task { kind: INIT, object: number, count: expected, ..Task::default() };
                warps[any(rng)].tasks.push_back(task);
            }
            Life::Raw => {}
            Life::Live if object.is_planned => {
                // All waits have been answered, so the phase has ended for every warp.
                if object.is_complete && object.waits == 0 {
                    object.phase += 1;
                    (object.is_planned, object.is_complete, object.tx_unknown) = (false, false, 0);
                    object.pending = object.expected;
                }
            }
            Life::Live if self.rounds_left == 0 || rng.chance(50) => {
                if rng.chance(300) || self.rounds_left > 0 {
                    object.life = Life::Changing;
                    warps[any(rng)].tasks.push_back(Task { kind: INVAL, object: number, ..Task::default() });
                }
            }
            Life::Live => {
                self.rounds_left -= 1;
                let phase = object.phase;
                let parts = split(rng, number, object.expected, has_network, phase_length);
                object.unsent = parts.iter().map(|(_, tasks)| tasks.len() as u64).sum();
                object.is_planned = true;
                for (source, tasks) in parts {
                    let tasks = tasks.into_iter().map(|task| Task { phase, ..task });
                    match source {
                        Source::Warp => warps[any(rng)].tasks.extend(tasks),
                        Source::Copies => self.copies.extend(tasks),
                        Source::Network => self.network.extend(tasks),
                    }
                }
                let wanted = rng.range(1, self.warps.len() as u64);
                let members = self.warps.iter().fold(0u64, |mask, warp| mask | 1 << warp);
                let waiters = rng.subset(members, wanted);
                self.objects[number].waits = u64::from(waiters.count_ones());
                for warp in (0..64).filter(|warp| waiters >> warp & 1 == 1) {
                    let kind = if rng.chance(200) { TEST_WAIT } else { TRY_WAIT };
                    warps[warp].tasks.push_back(Task { kind, object: number, phase, ..Task::default() });
                }
                if self.place[2] > 1 && rng.chance(400) {
                    let rank = (self.place[1] + rng.range(1, self.place[2] - 1)) % self.place[2];
                    let kind = rng.range(ARRIVE, COMPLETE);
                    let count = if kind < EXPECT { rng.range(1, 9) } else { 0 };
                    let bytes =
                        if matches!(kind, ARRIVE_EXPECT | DROP_EXPECT | EXPECT | COMPLETE) { rng.below(1000) } else { 0 };
                    let task = Task { kind, object: number, count, bytes, phase, rank: Some(rank) };
                    warps[any(rng)].tasks.push_back(task);
                }
            }
        }
    }

    /// Whether every planned operation of the CTA is done.
    pub fn is_over(&self, warps: &[Warp]) -> bool {
        let idle = self.warps.iter().all(|warp| warps[*warp].tasks.is_empty() && warps[*warp].doing == Doing::Idle);
        let is_settled = |object: &Object| object.life != Life::Changing && !object.is_planned;
        idle && self.rounds_left == 0
            && self.copies.is_empty()
            && self.network.is_empty()
            && self.objects.iter().all(is_settled)
    }

    /// Whether, according to the outputs, no operation on an object of the CTA and no operation of its warps is in flight in the unit.
    pub fn is_still(&self, warps: &[Warp]) -> bool {
        let still = |warp: &usize| matches!(warps[*warp].doing, Doing::Idle | Doing::Suspended);
        let known = |object: &Object| object.tx_unknown == 0 || object.is_complete;
        self.warps.iter().all(still) && self.unanswered + self.unacknowledged == 0 && self.objects.iter().all(known)
    }
}
