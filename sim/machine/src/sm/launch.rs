// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches CTAs on a multiprocessor: the block scheduler gives them slots, and they are offered one by one on the launch channel.

use super::super::plan::CtaPlan;
use super::super::warp::{Home, Warp};
use super::free_slots::{FreeSlots, Placed};
use super::{Sm, Stage};

impl Sm<'_> {
    /// The free slots; `None` until the unit has accepted the launches of all placed CTAs.
    pub fn free_slots(&self) -> Option<FreeSlots> {
        let offered = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Offered))));
        let cta_slots = self.cta_slots.iter().filter(|slot| slot.is_none()).count();
        let warp_slots = self.free_warp_slots();
        (!offered).then_some(FreeSlots { cta_slots, warp_slots, occupied_warp_slots: self.warp_slots.len() - warp_slots })
    }

    pub fn free_warp_slots(&self) -> usize {
        self.warp_slots.len() - self.resident_slots.count_ones() as usize
    }

    /// Assigns a CTA slot and warp slots to a CTA, and returns the CTA slot. `cluster` is the cluster slot in the unit. `grid` is the slot
    /// of the CTA's grid in the hub; `None` if the run has one grid.
    pub fn place(&mut self, plan: &CtaPlan, cluster: usize, grid: Option<usize>) -> Option<usize> {
        let (cta, count) = (plan.cta, plan.programs.len());
        let free_warp_slots = (0..self.sizes.warps).filter(|s| self.warp_slots[*s].is_none());
        let slots: Vec<usize> = free_warp_slots.take(count).collect();
        let slot = self.cta_slots.iter().position(Option::is_none)?;
        let (mut warps, mut last) = (0u64, 0);
        for (warp, (program, slot)) in plan.programs.iter().zip(slots).enumerate() {
            let lanes = (plan.threads - warp * self.sizes.lanes).min(self.sizes.lanes);
            warps |= 1 << slot;
            self.warp_slots[slot] = Some(self.warps.len());
            last = u64::MAX >> (64 - lanes);
            let home = Home { cta, grid: plan.grid, warps: count, ctas: plan.cluster.clone(), rank: plan.rank };
            self.warps.push(Warp::new((home, warp), slot, (last, self.sizes.lanes), program.clone()));
        }
        self.list_residents();
        self.cta_slots[slot] = Some((cta, Stage::Offered));
        self.live_warps[slot] = count;
        let (barriers, size) = (plan.barriers, plan.cluster.len());
        self.placed.push_back(Placed { slot, warps, lanes: last, barriers, cluster, rank: plan.rank, size, grid });
        Some(slot)
    }

    /// Offers the next placed CTA on the launch channel, when the channel is free.
    pub fn offer_launch(&mut self) {
        let at = self.pins.at.clone();
        if self.pins.driven(at.launch_valid) == 1 {
            return;
        }
        let Some(placed) = self.placed.pop_front() else { return };
        let Placed { slot, warps, lanes, barriers, cluster, rank, size, grid } = placed;
        let values = [(at.launch_valid, 1), (at.launch_cta, slot as u64), (at.launch_warps, warps), (at.launch_exited, 0)];
        values.iter().for_each(|(port, value)| self.pins.set(*port, *value));
        self.pins.set(at.launch_lanes, lanes);
        self.pins.set(at.launch_barriers, barriers as u64);
        self.pins.set(at.launch_cluster, cluster as u64);
        self.pins.set(at.launch_rank, rank as u64);
        self.pins.set(at.launch_size, size as u64);
        self.pins.set(at.launch_has_grid, grid.is_some().into());
        self.pins.set(at.launch_grid, grid.unwrap_or(0) as u64);
    }

    /// Processes the acceptance of the launch on the channel.
    pub(super) fn resident(&mut self) {
        let slot = self.pins.driven(self.pins.at.launch_cta) as usize;
        let Some((cta, _)) = self.cta_slots.get(slot).copied().flatten() else { return };
        self.cta_slots[slot] = Some((cta, Stage::Resident));
        let of_cta = self.warp_slots.iter().flatten().filter(|index| self.warps[**index].cta == cta);
        let warps: Vec<usize> = of_cta.map(|index| self.warps[*index].slot).collect();
        self.record.launched(cta, slot, &warps);
        if let Some(first) = self.warps.iter().find(|warp| warp.cta == cta) {
            self.record.mbarriers.declares(cta, &first.code().shared);
        }
    }
}
