// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An abstract state of Intel's named barriers: the phases in progress, and the notifications that are due.
//!
//! It serves only to choose legal signals and waits; it is no oracle.

use super::rng::Rng;
use super::swarm::Misuse;

/// A message of a warp to the gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub wait: bool,
    pub id: u64,
    pub role: u64,
    pub producers: u64,
    pub consumers: u64,
}

impl Message {
    fn produces(&self) -> bool {
        !self.wait && self.role < 2
    }

    fn consumes(&self) -> bool {
        !self.wait && self.role != 1 && self.role < 3
    }
}

/// A phase in progress: its participants, and the participants that still have to signal.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    producers: u64,
    consumers: u64,
    /// The producers that have not signalled yet, one bit per warp.
    to_produce: u64,
    /// The consumers that have not signalled yet, one bit per warp.
    to_consume: u64,
}

/// A thread group.
#[derive(Clone, Debug)]
struct Group {
    warps: u64,
    declared: u64,
    plans: Vec<Plan>,
    /// By id, the consumers that have signalled and have not yet waited.
    owed: Vec<u64>,
}

/// The thread groups by CTA slot, with the parameters of a seed.
pub struct Signals {
    groups: Vec<Option<Group>>,
    /// The probability, in thousandths, that a warp waits immediately for a notification that is due.
    prompt: u64,
    /// The probability, in thousandths, that all threads are both producer and consumer of a phase.
    baseline: u64,
    /// The probability, in thousandths, that a thread with both roles signals once for each role.
    apart: u64,
    /// Maximum number of ids that are used.
    ids: u64,
}

impl Signals {
    pub fn new(rng: &mut Rng, slots: u64, ids: u64) -> Signals {
        let mut pick = |choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Signals {
            groups: vec![None; slots as usize],
            prompt: pick(&[100, 500, 900, 1000]),
            baseline: pick(&[0, 300, 1000]),
            apart: pick(&[0, 300, 1000]),
            ids: pick(&[1, 2, ids, ids]).min(ids),
        }
    }

    pub fn clear(&mut self) {
        self.groups.iter_mut().for_each(|group| *group = None);
    }

    /// Accounts for the launch into `slot` of a CTA with the warps `warps` and `declared` barriers.
    pub fn enter(&mut self, slot: usize, warps: u64, declared: u64) {
        let group = Group { warps, declared, plans: vec![Plan::default(); 64], owed: vec![0; 64] };
        self.groups.iter_mut().skip(slot).take(1).for_each(|place| *place = Some(group.clone()));
    }

    pub fn leave(&mut self, slot: usize) {
        self.groups.iter_mut().skip(slot).take(1).for_each(|place| *place = None);
    }

    /// The next message of a warp; `None` if the warp takes part in no phase and no phase can be opened for it.
    pub fn next(&mut self, rng: &mut Rng, slot: usize, warp: usize) -> Option<Message> {
        let (prompt, apart) = (self.prompt, self.apart);
        let (baseline, ids) = (self.baseline, self.ids);
        let group = self.groups.get_mut(slot)?.as_mut()?;
        let bit = 1u64 << warp;
        let usable = group.declared.min(ids);
        let owed: Vec<u64> = (0..usable).filter(|id| group.owed[*id as usize] & bit != 0).collect();
        let wait = |rng: &mut Rng| rng.pick(&owed).map(|id| Message { wait: true, id, ..Message::default() });
        if rng.chance(prompt) {
            if let Some(message) = wait(rng) {
                return Some(message);
            }
        }
        let due = |plan: &Plan| (plan.to_produce | plan.to_consume) & bit != 0;
        let mine: Vec<u64> = (0..usable).filter(|id| due(&group.plans[*id as usize])).collect();
        let id = match rng.pick(&mine) {
            Some(id) => id,
            None => {
                let idle = |id: &u64| group.plans[*id as usize].to_produce | group.plans[*id as usize].to_consume == 0;
                let idle: Vec<u64> = (0..usable).filter(idle).collect();
                let Some(id) = rng.pick(&idle) else { return wait(rng) };
                match group.open(rng, id as usize, bit, baseline) {
                    true => id,
                    false => return wait(rng),
                }
            }
        };
        let plan = &group.plans[id as usize];
        let (produces, consumes) = (plan.to_produce & bit != 0, plan.to_consume & bit != 0);
        let role = match (produces, consumes) {
            (true, true) if rng.chance(apart) => 1 + rng.below(2),
            (true, true) => 0,
            (true, false) => 1,
            _ => 2,
        };
        let count = |warps: u64| u64::from(warps.count_ones());
        Some(Message { wait: false, id, role, producers: count(plan.producers), consumers: count(plan.consumers) })
    }

    /// The message `right` with an error of the kind `misuse`.
    pub fn spoil(&self, rng: &mut Rng, misuse: Misuse, slot: usize, right: Message) -> Message {
        let group = self.groups.get(slot).and_then(Option::as_ref);
        let declared = group.map_or(0, |group| group.declared);
        let threads = group.map_or(0, |group| u64::from(group.warps.count_ones()));
        // A number of threads that is too high: by 1 to 3, by one higher bit, or by a random amount.
        let exceeding = |rng: &mut Rng| match rng.below(3) {
            0 => threads + rng.range(1, 3),
            1 => 1 << rng.range(u64::BITS as u64 - u64::from(threads.leading_zeros()), 7),
            _ => (threads + 1) | rng.below(256),
        };
        let any = Message { wait: rng.chance(300), id: rng.below(declared.max(1)), role: rng.below(3), ..right };
        match misuse {
            Misuse::Id if rng.chance(500) => Message { id: declared + rng.below(4), ..right },
            Misuse::Id => Message { id: right.id | 1 << rng.below(8), ..right },
            Misuse::Zero if rng.chance(500) => Message { wait: false, producers: 0, ..right },
            Misuse::Zero => Message { wait: false, consumers: 0, ..right },
            Misuse::Exceeds if rng.chance(500) => Message { wait: false, producers: exceeding(rng), ..right },
            Misuse::Exceeds => Message { wait: false, consumers: exceeding(rng), ..right },
            Misuse::Mismatch => {
                let (producers, consumers) = (rng.range(1, threads.max(1)), rng.range(1, threads.max(1)));
                Message { wait: false, producers, consumers, ..right }
            }
            Misuse::Kind => Message { wait: false, role: 3, ..right },
            Misuse::Double => Message { wait: false, role: rng.below(3), ..right },
            _ => any,
        }
    }

    /// Accounts for a legal message that was transferred.
    pub fn note(&mut self, slot: usize, warp: usize, message: &Message) {
        let Some(group) = self.groups.get_mut(slot).and_then(Option::as_mut) else { return };
        let (id, bit) = (message.id as usize & 63, 1u64 << warp);
        if message.wait {
            group.owed[id] &= !bit;
            return;
        }
        let plan = &mut group.plans[id];
        plan.to_produce &= !if message.produces() { bit } else { 0 };
        plan.to_consume &= !if message.consumes() { bit } else { 0 };
        group.owed[id] |= if message.consumes() { bit } else { 0 };
    }
}

impl Group {
    /// Opens a phase in which the warp `bit` takes part. Returns false if no warp can be a consumer.
    fn open(&mut self, rng: &mut Rng, id: usize, bit: u64, baseline: u64) -> bool {
        // A consumer that has not yet taken a notification of this barrier cannot be notified again.
        let free_warps = self.warps & !self.owed[id];
        if free_warps == 0 {
            return false;
        }
        let uses_all = rng.chance(baseline) && free_warps == self.warps;
        let draw_part = |rng: &mut Rng, warps: u64| {
            let count = rng.range(1, u64::from(warps.count_ones()));
            rng.subset(warps, count)
        };
        let (mut producers, mut consumers) =
            if uses_all { (free_warps, free_warps) } else { (draw_part(rng, self.warps), draw_part(rng, free_warps)) };
        if (producers | consumers) & bit == 0 {
            let consumes = free_warps & bit != 0 && rng.chance(500);
            *(if consumes { &mut consumers } else { &mut producers }) |= bit;
        }
        self.plans[id] = Plan { producers, consumers, to_produce: producers, to_consume: consumers };
        true
    }
}
