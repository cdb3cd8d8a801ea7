// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The launcher of several multiprocessors: assigns CTAs to clusters and grids.
//!
//! A cluster begins when as many CTA slots are free as the cluster has CTAs. While the cluster waits for free CTA slots, and until all its
//! CTAs are resident, no other CTA is launched, so a cluster is always launched as a whole. The number of a cluster is reused when every
//! multiprocessor that had CTAs of the cluster has reported it on `closed`.

use super::shape::Shape;
use super::Rng;

/// The cluster and grid that a launch gives to its CTA.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    slot: usize,
    warps: u64,
    /// The number of the CTA's cluster, and the CTA's rank; `None` for a CTA without a cluster.
    member: Option<(usize, u64)>,
    pub cluster: u64,
    pub rank: u64,
    pub size: u64,
    pub grid: Option<usize>,
}

/// A cluster that is not closed.
struct Running {
    size: u64,
    /// Ranks without a CTA.
    absent_ranks: Vec<u64>,
    /// The number of resident CTAs.
    resident_ctas: u64,
    /// Multiprocessors that have or had CTAs of the cluster, one bit each.
    homes: u64,
    /// Multiprocessors that have reported the cluster on the strobe `closed`, one bit each.
    closed: u64,
}

/// A resident CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Mask of the CTA's warp slots.
    pub warps: u64,
    /// The CTA belongs to a cluster of several CTAs, or to a grid.
    pub bound: bool,
    cluster: Option<usize>,
    /// The CTA's retirement was transferred and not refused.
    leaves: bool,
}

/// The state of one multiprocessor, derived from its outputs.
#[derive(Clone, Debug)]
struct Home {
    /// The CTA in each CTA slot, including a CTA whose launch is on offer.
    ctas: Vec<Option<Resident>>,
    /// Grids that the multiprocessor has reported on the strobe `opened`, one bit each.
    opened: u64,
}

pub struct Launcher {
    shape: Shape,
    homes: Vec<Home>,
    clusters: Vec<Option<Running>>,
    filling: Option<usize>,
    /// The number of CTAs of the cluster that waits for free CTA slots.
    wanted: Option<u64>,
    /// Whether a launch is offered even while its CTA slot or warp slots still belong to CTAs that retire.
    hasty: bool,
    /// In thousandths: the probability that a cluster begins.
    begins: u64,
    /// In thousandths: the probability that a CTA belongs to a grid.
    grids: u64,
    /// The maximum number of CTAs of a cluster.
    most: u64,
}

impl Launcher {
    pub fn new(rng: &mut Rng, shape: Shape) -> Self {
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let home = Home { ctas: vec![None; shape.slots as usize], opened: 0 };
        Launcher {
            homes: vec![home; shape.sms as usize],
            clusters: (0..shape.cluster_slots).map(|_| None).collect(),
            filling: None,
            wanted: None,
            hasty: rng.chance(100),
            begins: pick(rng, &[100, 500, 1000, 1000]),
            grids: pick(rng, &[0, 300, 900]),
            most: pick(rng, &[2, 3, shape.cluster_size, shape.cluster_size]).min(shape.cluster_size),
            shape,
        }
    }

    pub fn clear(&mut self) {
        self.clusters.iter_mut().for_each(|cluster| *cluster = None);
        (self.filling, self.wanted) = (None, None);
        for home in &mut self.homes {
            home.ctas.fill(None);
            home.opened = 0;
        }
    }

    /// The largest number of warps per CTA at which every CTA slot can hold a CTA at the same time.
    pub fn most_warps(&self) -> u64 {
        self.shape.warps / self.shape.slots
    }

    pub fn cta(&self, sm: usize, slot: u64) -> Option<Resident> {
        *self.homes[sm].ctas.get(slot as usize)?
    }

    pub fn has_retired(&mut self, sm: usize, slot: u64) {
        self.homes[sm].ctas[slot as usize] = None;
    }

    /// Accounts for the retirement of the CTA in `slot`. A saved retirement is refused if the CTA belongs to a cluster or a grid.
    pub fn retires(&mut self, sm: usize, slot: u64, saved: bool) {
        let cta = self.homes[sm].ctas.get_mut(slot as usize).and_then(Option::as_mut);
        cta.into_iter().for_each(|cta| cta.leaves |= !(saved && cta.bound));
    }

    pub fn has_closed(&mut self, sm: usize, number: u64) {
        let place = &mut self.clusters[number as usize];
        if let Some(cluster) = place.as_mut().filter(|cluster| cluster.resident_ctas == cluster.size) {
            cluster.closed |= 1 << sm;
            if cluster.homes & !cluster.closed == 0 {
                *place = None;
            }
        }
    }

    /// Accounts for the strobe `opened`: from now on multiprocessor `sm` may launch CTAs of `grid`.
    pub fn has_opened(&mut self, sm: usize, grid: u64) {
        self.homes[sm].opened |= 1 << grid;
    }

    /// Accounts for a new grid that the host opens in the grid slot `grid`.
    pub fn opens(&mut self, grid: usize) {
        self.homes.iter_mut().for_each(|home| home.opened &= !(1 << grid));
    }

    /// The cluster and grid for a launch of `warps` into `slot`; `None` if the launch must wait. `unlaunched` holds for each grid the
    /// number of CTAs still to be launched; `may_launch` are the grids whose CTAs may be launched.
    pub fn grant(
        &mut self,
        rng: &mut Rng,
        sm: usize,
        slot: usize,
        warps: u64,
        unlaunched: &mut [u64],
        may_launch: u64,
    ) -> Option<Grant> {
        let home = &self.homes[sm];
        let opened = home.opened;
        let in_the_way = |(at, cta): (usize, &Option<Resident>)| cta.filter(|cta| at == slot || cta.warps & warps != 0);
        let mut others = home.ctas.iter().enumerate().filter_map(in_the_way).peekable();
        // Whether the launch is certain to succeed: its CTA slot and warp slots exist and are free. Otherwise it is refused, or waits until
        // a CTA has retired.
        let sure = slot < home.ctas.len() && warps != 0 && others.peek().is_none();
        if !self.hasty && others.peek().is_some() && others.all(|cta| cta.leaves) {
            return None;
        }
        let member = if sure { self.member(rng) } else { None };
        if sure && member.is_none() && (self.filling.is_some() || self.wanted.is_some()) {
            return None;
        }
        let alone = [rng.below(self.shape.cluster_slots), 0, rng.range(0, 1)];
        let [cluster, rank, size] = match member {
            Some((number, rank)) => [number as u64, rank, self.clusters[number].as_ref().map_or(1, |cluster| cluster.size)],
            None => alone,
        };
        let open = (0..unlaunched.len()).filter(|grid| unlaunched[*grid] > 0).fold(0, |mask, grid| mask | 1 << grid);
        let grid = rng.bit(open & may_launch & opened).filter(|_| sure && rng.chance(self.grids));
        grid.iter().for_each(|grid| unlaunched[*grid] -= 1);
        if sure {
            let cluster = member.map(|(number, _)| number);
            self.homes[sm].ctas[slot] = Some(Resident { warps, bound: size > 1 || grid.is_some(), cluster, leaves: false });
        }
        Some(Grant { slot, warps, member, cluster, rank, size, grid })
    }

    /// A cluster number, and a rank in this cluster. The cluster is the one that is being launched, or else a new one. `None` if no cluster
    /// is to be launched, or if the new cluster still waits for free CTA slots.
    fn member(&mut self, rng: &mut Rng) -> Option<(usize, u64)> {
        if self.filling.is_none() {
            let slots = self.homes.iter().flat_map(|home| &home.ctas);
            let free_slots = slots.clone().filter(|cta| cta.is_none()).count() as u64;
            let most = self.most.min(slots.count() as u64);
            let unused =
                (0..self.clusters.len()).filter(|number| self.clusters[*number].is_none()).fold(0, |mask, n| mask | 1 << n);
            if self.wanted.is_none() && unused != 0 && rng.chance(self.begins) {
                self.wanted = Some(rng.range(2, most));
            }
            let size = self.wanted.filter(|size| *size <= free_slots)?;
            let number = rng.bit(unused)?;
            let mut absent_ranks: Vec<u64> = (0..size).collect();
            (0..absent_ranks.len()).for_each(|at| absent_ranks.swap(at, rng.below(size) as usize));
            self.clusters[number] = Some(Running { size, absent_ranks, resident_ctas: 0, homes: 0, closed: 0 });
            (self.filling, self.wanted) = (Some(number), None);
        }
        let number = self.filling?;
        let rank = self.clusters[number].as_mut()?.absent_ranks.pop()?;
        Some((number, rank))
    }

    /// Whether the CTA in `slot` belongs to the cluster that is being launched.
    pub fn is_filling(&self, sm: usize, slot: u64) -> bool {
        self.filling.is_some() && self.cta(sm, slot).is_some_and(|cta| cta.cluster == self.filling)
    }

    /// Accounts for the outcome of a launch: `slot` is its CTA slot, or `None` if it was refused.
    pub fn settle(&mut self, sm: usize, grant: Grant, slot: Option<u64>, unlaunched: &mut [u64]) {
        match slot {
            Some(slot) => {
                let bound = grant.size > 1 || grant.grid.is_some();
                let cluster = grant.member.map(|(number, _)| number);
                self.homes[sm].ctas[slot as usize] = Some(Resident { warps: grant.warps, bound, cluster, leaves: false });
            }
            None => grant.grid.iter().for_each(|grid| unlaunched[*grid] += 1),
        }
        let Some((number, rank)) = grant.member else { return };
        let Some(cluster) = self.clusters[number].as_mut() else { return };
        match slot {
            Some(_) => {
                cluster.resident_ctas += 1;
                cluster.homes |= 1 << sm;
                if cluster.resident_ctas == cluster.size {
                    self.filling = None;
                }
            }
            None => {
                self.homes[sm].ctas[grant.slot] = None;
                cluster.absent_ranks.push(rank);
            }
        }
    }
}
