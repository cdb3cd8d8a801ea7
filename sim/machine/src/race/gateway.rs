// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by Intel's gateway. A signal does not wait for accesses, so it releases only what its warp did before its last fence, and what the
//! warp has acquired from other warps.

use super::clocks::{Clocks, Thread};
use super::vector::VectorClock;
use super::Races;
use std::collections::VecDeque;

impl Races {
    /// Records a fence, which waits for the accesses of its warp.
    pub fn fences(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let clock = clocks.warps[thread.warp].clone();
        clocks.gateway.fenced.insert(thread.warp, clock);
        clocks.tick(thread.warp);
    }

    /// Records that the unit accepts a signal of a warp.
    pub fn sends(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let clock = clocks.gateway.fenced.get(&thread.warp).cloned().unwrap_or_default();
        clocks.gateway.signals_in_flight.entry(thread.warp).or_default().push_back(clock);
    }

    /// Records that the oldest signal in flight of a warp counts at barrier `id`, or is refused if `id` is `None`.
    pub fn signals(&mut self, cta: usize, warp: usize, id: Option<u8>) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let clock = clocks.gateway.signals_in_flight.get_mut(&warp).and_then(VecDeque::pop_front);
        let Some((clock, id)) = clock.zip(id) else { return };
        clocks.gateway.phases.entry(id).or_default().join(&clock);
    }

    /// Records that a phase is complete: the warps `woken` resume, and the consumers `notified` have not waited yet.
    pub fn completes(&mut self, cta: usize, id: u8, woken: &[usize], notified: &[usize]) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let Some(released) = clocks.gateway.phases.remove(&id) else { return };
        woken.iter().for_each(|warp| clocks.acquire(*warp, &released));
        clocks.gateway.notified.extend(notified.iter().map(|warp| ((id, *warp), released.clone())));
    }

    /// Records that a wait consumes the notification of its warp.
    pub fn takes(&mut self, cta: usize, warp: usize, id: u8) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        if let Some(released) = clocks.gateway.notified.remove(&(id, warp)) {
            clocks.acquire(warp, &released);
        }
    }
}

impl Clocks {
    /// A warp acquires clocks that other warps have released. The accesses of these clocks are already in memory, so the warp's next
    /// signals also release them.
    fn acquire(&mut self, warp: usize, released: &VectorClock) {
        self.warps[warp].join(released);
        self.gateway.fenced.entry(warp).or_default().join(released);
        self.meet_all(warp);
    }
}
