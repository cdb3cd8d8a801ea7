// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host of a legal user of `cta_table`: it launches CTAs, and retires a CTA when all its warps have exited or when it is saved.

use super::{Cta, CtaTableUser, Stage};

impl CtaTableUser {
    /// Offers a launch of a CTA whose CTA slot and warp slots are free, or belong to CTAs that are leaving.
    pub(super) fn launches(&mut self, outputs: &[u64]) {
        self.launch.begin(&mut self.base.pins);
        if !self.launch.is_pending() && self.rng.chance(50) {
            // A CTA of a cluster is launched only after `retired` has reported the previous CTA in the CTA slot.
            let size = if self.shape.cluster_size > 1 && self.rng.chance(400) {
                self.rng.range(1, self.shape.cluster_size)
            } else {
                1
            };
            let holds = |cta: &&Cta| size > 1 || !matches!(cta.stage, Stage::Leaving(_));
            let taken_warps = self.ctas.iter().filter(holds).fold(0, |mask, cta| mask | cta.warps);
            let free_warps = u64::MAX >> (64 - self.shape.warps) & !taken_warps;
            let slots: Vec<u64> =
                (0..self.shape.slots).filter(|slot| !self.ctas.iter().filter(holds).any(|cta| cta.slot == *slot)).collect();
            if let (Some(slot), true) = (self.rng.pick(&slots), free_warps != 0) {
                let wanted = self.rng.range(1, self.shape.warps);
                let warps = self.rng.subset(free_warps, wanted);
                let exited = if self.rng.chance(150) { warps & (warps - 1) & self.rng.draw() } else { 0 };
                let all_lanes = u64::MAX >> (64 - self.shape.lanes);
                let lanes = self.rng.range(1, all_lanes);
                let has_grid = u64::from(self.shape.has_grids && self.rng.chance(300));
                let rank = self.rng.below(size);
                let cluster = self.rng.below(self.shape.cluster_slots);
                let grid = self.rng.below(self.shape.grids);
                let fields = [slot, warps, exited, lanes, self.rng.below(64), cluster, rank, size, has_grid, grid];
                self.launch.put(&mut self.base.pins, &fields);
                let since = self.base.ledger.cycle;
                self.ctas.push(Cta { slot, stage: Stage::Launching, warps, launch: fields, saved: false, since });
            }
        }
        if self.launch.take(outputs) {
            self.base.ledger.count("launches");
        }
    }

    /// Offers the retirement of a CTA whose warps have all exited, or that is saved.
    pub(super) fn retires(&mut self, outputs: &[u64]) {
        self.retire.begin(&mut self.base.pins);
        if !self.retire.is_pending() && self.rng.chance(100) {
            let live: Vec<usize> = (0..self.ctas.len()).filter(|place| self.ctas[*place].stage == Stage::Live).collect();
            if let Some(place) = self.rng.pick(&live) {
                let (cycle, cta) = (self.base.ledger.cycle, self.ctas[place]);
                let exits = (0..64).any(|warp| cta.warps >> warp & 1 == 1 && self.warps[warp].exits);
                let exiting = self.exited.iter().any(|(_, warp)| cta.warps >> warp & 1 == 1);
                let alone = cta.launch[7] <= 1 && cta.launch[8] == 0 && self.shape.gateway_ids == 0;
                let is_over = cta.warps & self.live == 0 && !exits && !exiting;
                let saved = alone && !exits && !exiting && self.rng.chance(30);
                if is_over || saved {
                    let cta = &mut self.ctas[place];
                    (cta.stage, cta.saved, cta.since) = (Stage::Retiring, saved, cycle);
                    self.retire.put(&mut self.base.pins, &[cta.slot, saved.into()]);
                }
            }
        }
        if self.retire.take(outputs) {
            self.base.ledger.count("retirements");
        }
    }
}
