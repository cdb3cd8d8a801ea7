// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The block scheduler: launches the clusters of a run in order, each as a whole, on multiprocessors with free slots for its CTAs.

use super::grids::Grids;
use super::plan::CtaPlan;
use super::sm::{FreeSlots, Sm};
use super::uncore::Blocks;
use bcu_isa::config::Config;
use bcu_program::WarpProgram;
use std::collections::HashMap;
use std::rc::Rc;

impl Blocks {
    /// The scheduler for the multiprocessors of a configuration.
    pub fn new(plans: Vec<CtaPlan>, sizes: &Config) -> Blocks {
        let slot_bits = sizes.cta_slots.next_power_of_two().ilog2().max(1);
        Blocks {
            plans,
            placed_count: 0,
            slots: vec![0; sizes.cluster_slots],
            slot_bits,
            owners: HashMap::new(),
            remote_ops: HashMap::new(),
        }
    }

    /// The CTA that sent an operation over the network; `None` if the slot never held a CTA. In
    /// `source`, the unit encodes the CTA slot of the sender: the low `slot_bits` bits are the
    /// number of the CTA slot, the bits above them the number of the multiprocessor.
    pub fn sender(&self, source: u8) -> Option<usize> {
        let (sm, slot) = (source >> self.slot_bits, source & ((1 << self.slot_bits) - 1));
        self.owners.get(&(sm.into(), slot.into())).copied()
    }

    /// The numbers of the CTAs that have not been launched yet.
    pub fn unlaunched(&self) -> Vec<usize> {
        self.plans[self.placed_count..].iter().map(|plan| plan.cta).collect()
    }

    /// The number of CTAs that have not been launched yet.
    pub fn unplaced_ctas(&self) -> usize {
        self.plans.len() - self.placed_count
    }

    /// For each grid, the numbers of its CTAs.
    pub fn grids(&self) -> Vec<Vec<usize>> {
        let mut grids: Vec<Vec<usize>> = vec![];
        for plan in &self.plans {
            grids.resize(grids.len().max(plan.grid + 1), vec![]);
            grids[plan.grid].push(plan.cta);
        }
        grids.iter_mut().for_each(|ctas| ctas.sort_unstable());
        grids
    }

    /// The program of the first warp of a CTA.
    pub fn program(&self, cta: usize) -> Option<&WarpProgram> {
        self.plans.iter().find(|plan| plan.cta == cta)?.programs.first().map(Rc::as_ref)
    }

    /// Records that multiprocessor `sm` has reported the cluster in cluster slot `slot` as closed.
    pub fn closed(&mut self, sm: usize, slot: usize) {
        if let Some(open) = self.slots.get_mut(slot) {
            *open &= !(1 << sm);
        }
    }

    /// Launches the next cluster in `cycle`, if the hub admits the cluster's grid and all CTAs of the cluster fit; returns whether it was
    /// launched.
    pub fn launch(&mut self, sms: &mut [Sm], grids: &mut Grids, cycle: u64) -> bool {
        let Some(first) = self.plans.get(self.placed_count) else { return false };
        // In most cycles no multiprocessor has warp slots for another CTA.
        if sms.iter().all(|sm| sm.free_warp_slots() < first.programs.len()) {
            return false;
        }
        let cluster = &self.plans[self.placed_count..self.placed_count + first.cluster.len()];
        // A cluster of one CTA needs no cluster slot; 0 is a placeholder.
        let slot = match cluster.len() {
            1 => Some(0),
            _ => self.slots.iter().position(|open| *open == 0),
        };
        let admitted = |sm: &&Sm| grids.admits(first.grid, sm.number);
        let mut free_slots: Vec<Option<FreeSlots>> =
            sms.iter().map(|sm| Some(sm).filter(admitted).and_then(Sm::free_slots)).collect();
        let places = cluster.iter().map(|plan| place(plan, &mut free_slots)).collect::<Option<Vec<usize>>>();
        let Some((slot, places)) = slot.zip(places) else { return false };
        for (plan, sm) in cluster.iter().zip(places) {
            self.owners.extend(sms[sm].place(plan, slot, grids.slot(plan.grid)).map(|slot| ((sm, slot), plan.cta)));
            if cluster.len() > 1 {
                self.slots[slot] |= 1 << sm;
            }
        }
        grids.launches(first.grid, cycle);
        self.placed_count += cluster.len();
        true
    }
}

/// The multiprocessor for a CTA: among the multiprocessors with enough free slots, the one with the fewest occupied warp slots.
fn place(plan: &CtaPlan, free_slots: &mut [Option<FreeSlots>]) -> Option<usize> {
    let warps = plan.programs.len();
    let fits = free_slots.iter().enumerate().filter_map(|(sm, slots)| Some((sm, (*slots)?)));
    let fits = fits.filter(|(_, slots)| slots.cta_slots > 0 && slots.warp_slots >= warps);
    let (sm, _) = fits.min_by_key(|(_, slots)| slots.occupied_warp_slots)?;
    if let Some(slots) = &mut free_slots[sm] {
        (slots.cta_slots, slots.warp_slots, slots.occupied_warp_slots) =
            (slots.cta_slots - 1, slots.warp_slots - warps, slots.occupied_warp_slots + warps);
    }
    Some(sm)
}
