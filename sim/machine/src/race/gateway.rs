// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by Intel's gateway. A signal waits for no accesses, so it releases only what its warp did before its last fence, and what the warp
//! has acquired from others.

use super::clocks::{Clocks, Thread};
use super::vector::VectorClock;
use super::Races;
use std::collections::VecDeque;

impl Races {
    /// A warp executes a fence, which waits for its accesses.
    pub fn fences(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let clock = clocks.warps[thread.warp].clone();
        clocks.gateway.fenced.insert(thread.warp, clock);
        clocks.tick(thread.warp);
    }

    /// The unit accepts a signal of a warp.
    pub fn sends(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let clock = clocks.gateway.fenced.get(&thread.warp).cloned().unwrap_or_default();
        clocks.gateway.signals_in_flight.entry(thread.warp).or_default().push_back(clock);
    }

    /// The signal counts at a barrier, or is refused.
    pub fn signals(&mut self, cta: usize, warp: usize, id: Option<u8>) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let clock = clocks.gateway.signals_in_flight.get_mut(&warp).and_then(VecDeque::pop_front);
        let Some((clock, id)) = clock.zip(id) else { return };
        clocks.gateway.phases.entry(id).or_default().join(&clock);
    }

    /// A phase is complete: the waiting warps resume, and the other consumers are notified.
    pub fn completes(&mut self, cta: usize, id: u8, woken: &[usize], notified: &[usize]) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let Some(released) = clocks.gateway.phases.remove(&id) else { return };
        woken.iter().for_each(|warp| clocks.acquire(*warp, &released));
        clocks.gateway.notified.extend(notified.iter().map(|warp| ((id, *warp), released.clone())));
    }

    /// A wait consumes its notification.
    pub fn takes(&mut self, cta: usize, warp: usize, id: u8) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        if let Some(released) = clocks.gateway.notified.remove(&(id, warp)) {
            clocks.acquire(warp, &released);
        }
    }
}

impl Clocks {
    /// A warp acquires clocks that others released. Those accesses are already in memory, so the warp's own signals release them too.
    fn acquire(&mut self, warp: usize, released: &VectorClock) {
        self.warps[warp].join(released);
        self.gateway.fenced.entry(warp).or_default().join(released);
        self.meet_all(warp);
    }
}
