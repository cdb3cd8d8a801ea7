// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory pipe of a streaming multiprocessor: accesses that were issued and are not performed yet.

use super::super::describe::Latency;
use super::bank::Bank;
use super::{Access, AccessEffect, Part};

/// Accesses in the order of issue, each with the cycle in which its turn comes.
pub(in super::super) struct Pipe {
    latency: Latency,
    random: fastrand::Rng,
    issued: Vec<Access>,
}

impl Pipe {
    pub fn new(latency: &Latency, seed: u64) -> Pipe {
        // Not the stream that the scheduler draws from.
        let random = fastrand::Rng::with_seed(seed ^ 0x6d65_6d6f_7279);
        Pipe { latency: latency.clone(), random, issued: vec![] }
    }

    /// An access is issued in cycle `now`, to memory of this kind if to none other.
    pub fn issue(&mut self, now: u64, mut access: Access) {
        // The memory of another CTA is as far away as global memory.
        let near = |part: &Part| part.bank == Bank::Shared(access.cta) || matches!(part.bank, Bank::Local(..));
        let shared = access.parts.iter().all(near);
        let from_global = matches!(access.effect, AccessEffect::Copy(Bank::Global, _) | AccessEffect::BulkRead(_));
        let due = now + self.latency(shared && !from_global);
        access.touched = access.ranges();
        // What comes behind an asynchronous copy does not wait for it, and a bulk copy for nothing: only a proxy fence orders it.
        let bulk = matches!(access.effect, AccessEffect::BulkRead(_));
        let before = self.issued.iter().filter(|other| !bulk && !other.asynchronous() && other.meets(&access));
        access.due = before.fold(due, |due, other| due.max(other.due));
        self.issued.push(access);
    }

    /// The second half of an access of which the first was performed.
    pub fn follow(&mut self, access: Access) {
        let due = access.due + self.latency(false);
        self.issued.push(Access { due, ..access });
    }

    /// When shared memory answers what it is asked in cycle `now`.
    pub fn answer(&mut self, now: u64) -> u64 {
        now + self.latency(true)
    }

    /// A copy that tells an mbarrier of this CTA is under way.
    pub fn signals(&self, cta: usize) -> bool {
        let tells = |part: &Part| part.signal.is_some() && part.to == Bank::Shared(cta);
        self.issued.iter().any(|access| access.parts.iter().any(tells))
    }

    fn latency(&mut self, shared: bool) -> u64 {
        let latency = if shared { self.latency.shared } else { self.latency.global };
        u64::from(latency.get()) + u64::from(self.random.u32(..=self.latency.spread))
    }

    /// The warp slots of the newest accesses, so many, were in these epochs.
    pub fn epoch(&mut self, newest: usize, epochs: u64) {
        for access in self.issued.iter_mut().rev().take(newest) {
            access.epoch = epochs >> access.slot & 1 == 1;
        }
    }

    /// The access whose turn it is in cycle `now`; of several the one that is due longest.
    pub fn due(&mut self, now: u64) -> Option<Access> {
        let due = self.issued.iter().enumerate().filter(|(_, access)| access.due <= now);
        let (first, _) = due.min_by_key(|(_, access)| access.due)?;
        Some(self.issued.remove(first))
    }

    /// An access is under way.
    pub fn busy(&self) -> bool {
        !self.issued.is_empty()
    }

    /// An access is under way of another warp than these, or one that is not only there for its result.
    pub fn busy_beside(&self, warps: &dyn Fn(usize) -> bool) -> bool {
        self.issued.iter().any(|access| !access.is_for_result() || !warps(access.warp))
    }

    /// How many accesses of a warp slot the unit counts, those of a warp that was there before among them.
    pub fn outstanding(&self, slot: usize) -> usize {
        self.issued.iter().filter(|access| access.slot == slot && access.announced).count()
    }

    /// An access of a warp is under way, copies aside.
    pub fn under_way(&self, warp: usize) -> bool {
        let plain = |access: &&Access| !access.asynchronous();
        self.issued.iter().filter(plain).any(|access| access.warp == warp)
    }

    /// Later accesses of a warp have to wait for one.
    pub fn acquiring(&self, warp: usize) -> bool {
        self.issued.iter().any(|access| access.acquires && access.warp == warp)
    }
}
