// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector clocks over the warps of all CTAs.

/// For each warp of each CTA, the number of its steps that precede the warp or lane to which this clock belongs. CTAs are in ascending
/// order; an absent CTA or warp has 0 steps.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct VectorClock {
    ctas: Vec<(usize, Vec<u32>)>,
}

impl VectorClock {
    pub(super) fn get(&self, (cta, warp): (usize, usize)) -> u32 {
        let found = self.ctas.binary_search_by_key(&cta, |(of, _)| *of).ok();
        found.and_then(|at| self.ctas[at].1.get(warp)).copied().unwrap_or(0)
    }

    /// Starts the next step of a warp.
    pub(super) fn tick(&mut self, (cta, warp): (usize, usize)) {
        let steps = self.cta_steps(cta);
        steps.resize(steps.len().max(warp + 1), 0);
        steps[warp] += 1;
    }

    /// Adds `added`: whatever precedes `added` now also precedes this clock.
    pub(super) fn join(&mut self, added: &VectorClock) {
        for (cta, steps) in &added.ctas {
            let own_steps = self.cta_steps(*cta);
            own_steps.resize(own_steps.len().max(steps.len()), 0);
            own_steps.iter_mut().zip(steps).for_each(|(own_step, added_step)| *own_step = (*own_step).max(*added_step));
        }
    }

    /// Drops a CTA that has ended.
    pub(super) fn forget(&mut self, cta: usize) {
        self.ctas.retain(|(of, _)| *of != cta);
    }

    fn cta_steps(&mut self, cta: usize) -> &mut Vec<u32> {
        let at = self.ctas.binary_search_by_key(&cta, |(of, _)| *of).unwrap_or_else(|at| {
            self.ctas.insert(at, (cta, vec![]));
            at
        });
        &mut self.ctas[at].1
    }
}
