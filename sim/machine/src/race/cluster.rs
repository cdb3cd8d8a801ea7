// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by fences and by the barrier of a cluster. A releasing arrival releases everything that its warp did before; a relaxed arrival
//! releases only what fences of its warp have released. Only accesses of warps of one CTA are compared.

use super::barriers::Released;
use super::clocks::Thread;
use super::vector::VectorClock;
use super::Races;
use bcu_program::FenceRelease;

impl Released {
    fn join(&mut self, released: &Released) {
        self.accesses.join(&released.accesses);
        self.inits.join(&released.inits);
    }
}

impl Races {
    /// Records that a warp executes a fence.
    pub fn fence(&mut self, thread: Thread, releases: FenceRelease) {
        let clocks = self.cta(thread);
        let inits = clocks.warps[thread.warp].clone();
        let accesses = match releases {
            FenceRelease::Nothing => return,
            FenceRelease::Inits => VectorClock::default(),
            FenceRelease::WithinCta | FenceRelease::Accesses => inits.clone(),
        };
        clocks.cluster.fences.entry(thread.warp).or_default().join(&Released { accesses, inits });
        clocks.tick(thread.warp);
    }

    /// Records that a warp arrives in phase `phase` of the barrier of its cluster.
    pub fn at_cluster(&mut self, thread: Thread, phase: u64, releases: bool) {
        let clocks = self.cta(thread);
        let handed = match releases {
            true => Released { accesses: clocks.warps[thread.warp].clone(), inits: VectorClock::default() },
            false => clocks.cluster.fences.get(&thread.warp).cloned().unwrap_or_default(),
        };
        clocks.cluster.phases.entry(phase).or_default().join(&handed);
        clocks.tick(thread.warp);
        // A warp is at most one phase late, so older phases are dropped.
        clocks.cluster.phases.retain(|of, _| *of + 1 >= phase);
    }

    /// Records that a warp has waited for phase `phase` of the barrier of its cluster.
    pub fn after_cluster(&mut self, thread: Thread, phase: u64) {
        let clocks = self.cta(thread);
        let Some(handed) = clocks.cluster.phases.get(&phase).cloned() else { return };
        clocks.warps[thread.warp].join(&handed.accesses);
        clocks.cluster.inits.entry(thread.warp).or_default().join(&handed.inits);
        clocks.meet_all(thread.warp);
    }
}
