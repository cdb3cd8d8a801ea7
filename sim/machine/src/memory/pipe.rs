// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory pipe of a multiprocessor: accesses that were issued and are not performed yet.

use super::super::describe::Latency;
use super::bank::Bank;
use super::{Access, AccessEffect, Part};
use crate::constraints::SharedConstraints;

/// Accesses in order of issue, each with the cycle in which it is performed.
pub(in super::super) struct Pipe {
    latency: Latency,
    random: fastrand::Rng,
    issued: Vec<Access>,
}

impl Pipe {
    pub fn new(latency: &Latency, seed: u64) -> Pipe {
        // The random stream of the pipe is separate from the scheduler's stream.
        let random = fastrand::Rng::with_seed(seed ^ 0x6d65_6d6f_7279);
        Pipe { latency: latency.clone(), random, issued: vec![] }
    }

    /// Issues an access in cycle `cycle`. Copies from global memory and bulk copies have the latency of global memory. Any other access has
    /// the latency of shared memory if all its parts are in the shared memory of its own CTA or in local memory, else that of global
    /// memory. With a schedule, accesses of all warps to the same bytes are performed in the order of their issue.
    pub fn issue(&mut self, cycle: u64, mut access: Access, constraints: Option<&SharedConstraints>) {
        // The shared memory of another CTA has the latency of global memory.
        let near = |part: &Part| part.bank == Bank::Shared(access.cta) || matches!(part.bank, Bank::Local(..));
        let shared = access.parts.iter().all(near);
        let from_global = matches!(access.effect, AccessEffect::Copy(Bank::Global, _) | AccessEffect::BulkRead(_));
        let due = cycle + self.latency(shared && !from_global);
        let mut touched = std::mem::take(&mut access.touched);
        access.list_ranges(&mut touched);
        access.touched = touched;
        // An access waits for no earlier asynchronous copy. A bulk copy waits for no access of any kind: only a proxy fence orders it.
        let bulk = matches!(access.effect, AccessEffect::BulkRead(_));
        let before = self.issued.iter().filter(|earlier| !bulk && !earlier.asynchronous() && earlier.meets(&access));
        access.due = before.fold(due, |due, earlier| due.max(earlier.due));
        if let Some(constraints) = constraints {
            constraints.borrow_mut().order(cycle, &mut access);
        }
        self.issued.push(access);
    }

    /// Issues the second half of an access whose first half was performed.
    pub fn follow(&mut self, access: Access) {
        let due = access.due + self.latency(false);
        self.issued.push(Access { due, ..access });
    }

    /// The cycle in which shared memory responds to a request of cycle `cycle`.
    pub fn answer(&mut self, cycle: u64) -> u64 {
        cycle + self.latency(true)
    }

    /// Whether a copy that signals an mbarrier of CTA `cta` is in flight.
    pub fn signals(&self, cta: usize) -> bool {
        let signals_cta = |part: &Part| part.signal.is_some() && part.to == Bank::Shared(cta);
        self.issued.iter().any(|access| access.parts.iter().any(signals_cta))
    }

    fn latency(&mut self, shared: bool) -> u64 {
        let latency = if shared { self.latency.shared } else { self.latency.global };
        u64::from(latency.get()) + u64::from(self.random.u32(..=self.latency.spread))
    }

    /// Sets the epoch of the last `newest` issued accesses: each access gets the bit of its warp slot in `epochs`.
    pub fn epoch(&mut self, newest: usize, epochs: u64) {
        for access in self.issued.iter_mut().rev().take(newest) {
            access.epoch = epochs >> access.slot & 1 == 1;
        }
    }

    /// Removes and returns an access that is due by cycle `cycle`; of several accesses, the one with the earliest due cycle.
    pub fn due(&mut self, cycle: u64, constraints: Option<&SharedConstraints>) -> Option<Access> {
        let due =
            self.issued.iter().enumerate().filter(|(at, access)| access.due <= cycle && !self.is_delayed(*at, constraints));
        let (first, _) = due.min_by_key(|(_, access)| access.due)?;
        Some(self.issued.remove(first))
    }

    /// Whether the schedule delays an access, or an earlier access of its warp that must be performed before it.
    fn is_delayed(&self, at: usize, constraints: Option<&SharedConstraints>) -> bool {
        let Some(constraints) = constraints.filter(|constraints| !constraints.borrow().is_over()) else { return false };
        let access = &self.issued[at];
        let mut constraints = constraints.borrow_mut();
        let mut delays = |access: &Access| access.execution.is_some_and(|execution| constraints.delays(execution));
        if delays(access) {
            return true;
        }
        // An access to common bytes waits for an access that waits.
        let mut delayed: Vec<&Access> = vec![];
        for earlier in &self.issued[..at] {
            if earlier.warp == access.warp && (delays(earlier) || delayed.iter().any(|before| earlier.meets(before))) {
                delayed.push(earlier);
            }
        }
        delayed.iter().any(|earlier| access.meets(earlier))
    }

    /// The cycle in which the next access is due.
    pub fn next_due(&self) -> Option<u64> {
        self.issued.iter().map(|access| access.due).min()
    }

    /// The accesses in flight that belong to a copy.
    pub fn of_copy(&self, copy: u64) -> impl Iterator<Item = &Access> {
        self.issued.iter().filter(move |access| access.copy == Some(copy))
    }

    /// The memory and the first byte of a load in flight of warp `index`.
    pub fn load_of(&self, index: usize) -> Option<(Bank, u64)> {
        let loads = self.issued.iter().filter(|access| access.warp == index && access.is_for_result());
        loads.flat_map(|access| &access.parts).find_map(|part| Some((part.bank, part.address?)))
    }

    /// The accesses in flight, in order of issue.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.issued.iter()
    }

    /// Whether an access is in flight.
    pub fn busy(&self) -> bool {
        !self.issued.is_empty()
    }

    /// Whether an access is in flight whose warp is outside of `warps`, or for whose result no lane waits.
    pub fn busy_apart_from(&self, warps: &dyn Fn(usize) -> bool) -> bool {
        self.issued.iter().any(|access| !access.is_for_result() || !warps(access.warp))
    }

    /// The number of accesses of a warp slot that the unit counts. Accesses of earlier warps in this warp slot are included.
    pub fn outstanding(&self, slot: usize) -> usize {
        self.issued.iter().filter(|access| access.slot == slot && access.announced).count()
    }

    /// Whether an access of warp `warp` is in flight; asynchronous copies do not count.
    pub fn under_way(&self, warp: usize) -> bool {
        let plain = |access: &&Access| !access.asynchronous();
        self.issued.iter().filter(plain).any(|access| access.warp == warp)
    }

    /// Whether an acquiring access of warp `warp` is in flight, for which later accesses of the
    /// warp must wait.
    pub fn acquiring(&self, warp: usize) -> bool {
        self.issued.iter().any(|access| access.order.acquire && access.warp == warp)
    }
}
