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
        let held = clocks.warps[thread.warp].clone();
        clocks.gateway.fenced.insert(thread.warp, held);
        clocks.tick(thread.warp);
    }

    /// The unit accepts a signal of a warp.
    pub fn sends(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let held = clocks.gateway.fenced.get(&thread.warp).cloned().unwrap_or_default();
        clocks.gateway.sent.entry(thread.warp).or_default().push_back(held);
    }

    /// The signal counts at a barrier, or is refused.
    pub fn signals(&mut self, cta: usize, warp: usize, id: Option<u8>) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let held = clocks.gateway.sent.get_mut(&warp).and_then(VecDeque::pop_front);
        let Some((held, id)) = held.zip(id) else { return };
        clocks.gateway.phases.entry(id).or_default().join(&held);
    }

    /// A phase is complete: the waiting warps resume, and the other consumers are notified.
    pub fn completes(&mut self, cta: usize, id: u8, woken: &[usize], notified: &[usize]) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let Some(all) = clocks.gateway.phases.remove(&id) else { return };
        woken.iter().for_each(|warp| clocks.gets(*warp, &all));
        clocks.gateway.notified.extend(notified.iter().map(|warp| ((id, *warp), all.clone())));
    }

    /// A wait consumes its notification.
    pub fn takes(&mut self, cta: usize, warp: usize, id: u8) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        if let Some(all) = clocks.gateway.notified.remove(&(id, warp)) {
            clocks.gets(warp, &all);
        }
    }
}

impl Clocks {
    /// A warp acquires clocks that others released. Those accesses are already in memory, so the warp's own signals release them too.
    fn gets(&mut self, warp: usize, all: &VectorClock) {
        self.warps[warp].join(all);
        self.gateway.fenced.entry(warp).or_default().join(all);
        self.meet_all(warp);
    }
}
