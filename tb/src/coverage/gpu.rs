// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gpu`: clusters and grids over several multiprocessors, and operations that meet in the network.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::bcu::BcuOut;
use bcu_model::network::{Network, Side};
use bcu_model::{Clocked, Gpu as Unit, Sizes};

pub fn list(config: &Config, points: &mut Points) {
    let alone = (config.cta_slots == 1).then_some("a multiprocessor has one CTA slot");
    for size in 2..=config.cluster_size.min(config.cta_slots * config.sms) {
        let several = (size > config.cta_slots).then_some("no multiprocessor has so many CTA slots");
        points.list(format!("a cluster of {size} on one multiprocessor"), several);
        points.list(format!("a cluster of {size} on several multiprocessors"), None);
    }
    points.list_all(&[
        "a cluster is closed",
        "a cluster slot is named again",
        "released: a cluster on several multiprocessors",
    ]);
    points.list("a cluster slot is named before it is closed", Some("the launcher waits for the cluster to be closed"));
    points.list("a rank twice in a cluster", Some("the launcher gives each rank once"));
    points.list_all(&[
        "a grid is opened",
        "CTAs of a grid on several multiprocessors",
        "released: a grid on several multiprocessors",
    ]);
    points.list("a CTA of a grid before the grid is opened", Some("the launcher waits for the grid to be opened"));
    points.list_all(&["a grid is flushed", "a CTA of a cluster and of a grid"]);
    points.list_all(&[
        "operation: for another multiprocessor",
        "operation: no target CTA",
        "operation: its target CTA is no longer reachable",
    ]);
    points.list_all(&["reply: an effect", "reply: absent", "reset with an operation"]);
    // An operation waits only if another one is in the link in front of it and two are at the end of the link.
    let few = alone.filter(|_| config.max_remote < 4).map(|_| "this number of operations is never in flight");
    ["operation: not taken at once", "operation: waits for another"].iter().for_each(|name| points.list(*name, few));
    points.list("operation: for its own multiprocessor", alone);
    // With two multiprocessors, the other CTA of a cluster is on the other multiprocessor.
    let pair = alone.filter(|_| config.sms == 2);
    points.list("operation: waits for its turn", pair);
    points.list("replies: two for one multiprocessor in one cycle", pair);
    if alone.is_none() {
        points.list("owed: several to one multiprocessor", None);
    }
}

/// The state of a cluster slot, derived from launches and outputs.
#[derive(Clone, Default)]
struct Cluster {
    size: u8,
    ranks: u32,
    homes: u64,
    closed: u64,
    was_closed: bool,
}

/// The state of clusters and grids, derived from the outputs.
struct Shown {
    clusters: Vec<Cluster>,
    /// `opened`: for each multiprocessor, the grids that it has output as opened. `homes`: for each grid, the multiprocessors that have had
    /// CTAs of it.
    opened: Vec<u64>,
    homes: Vec<u64>,
    flushed: u64,
}

impl Shown {
    fn new(sizes: &Sizes) -> Shown {
        Shown {
            clusters: vec![Cluster::default(); sizes.clusters().slots as usize],
            opened: vec![0; sizes.sms()],
            homes: vec![0; sizes.grid_slots()],
            flushed: 0,
        }
    }

    fn launched(&mut self, sm: usize, out: &BcuOut, points: &mut Points) {
        let new = out.cta_table.launched;
        if new.has_grid {
            let grid = usize::from(new.grid);
            points.cover_if(self.opened[sm] >> grid & 1 == 0, "a CTA of a grid before the grid is opened");
            self.homes[grid] |= 1 << sm;
            points.cover_if(self.homes[grid].count_ones() > 1, "CTAs of a grid on several multiprocessors");
            points.cover_if(new.placement.size > 1, "a CTA of a cluster and of a grid");
        }
        if new.placement.size > 1 {
            let cluster = &mut self.clusters[usize::from(new.placement.cluster)];
            let is_whole = cluster.ranks.count_ones() == u32::from(cluster.size);
            if is_whole && cluster.size > 0 {
                points.cover("a cluster slot is named before it is closed");
            }
            points.cover_if(cluster.was_closed && cluster.size == 0, "a cluster slot is named again");
            points.cover_if(cluster.ranks >> new.placement.rank & 1 == 1, "a rank twice in a cluster");
            cluster.size = new.placement.size;
            cluster.ranks |= 1 << new.placement.rank;
            cluster.homes |= 1 << sm;
            if cluster.ranks.count_ones() == u32::from(cluster.size) {
                let on = if cluster.homes.count_ones() > 1 { "several multiprocessors" } else { "one multiprocessor" };
                points.cover(&format!("a cluster of {} on {on}", cluster.size));
            }
        }
    }

    /// Evaluates the outputs of one cycle.
    fn cycle(&mut self, sms: &[BcuOut], flushed: u64, points: &mut Points) {
        for (sm, out) in sms.iter().enumerate() {
            if out.cluster.closed_valid {
                let cluster = &mut self.clusters[usize::from(out.cluster.closed)];
                cluster.closed |= 1 << sm;
                if cluster.size > 0 && cluster.homes & !cluster.closed == 0 {
                    points.cover("a cluster is closed");
                    *cluster = Cluster { was_closed: true, ..Cluster::default() };
                }
            }
            if out.grid.opened_valid {
                points.cover("a grid is opened");
                let grid = out.grid.opened_grid;
                self.opened[sm] |= 1 << grid;
            }
        }
        for (sm, out) in sms.iter().enumerate().filter(|(_, out)| out.cta_table.launched_valid) {
            self.launched(sm, out, points);
        }
        let several = |release: &dyn Fn(&BcuOut) -> bool| sms.iter().filter(|out| release(out)).count() > 1;
        points.cover_if(several(&|out| out.cluster.release_valid), "released: a cluster on several multiprocessors");
        points.cover_if(several(&|out| out.grid.release_valid), "released: a grid on several multiprocessors");
        points.cover_if(flushed & !self.flushed != 0, "a grid is flushed");
        // A flushed grid launches no more CTAs. Its slot is opened again before the next grid launches.
        let newly_flushed = flushed & !self.flushed;
        self.opened.iter_mut().for_each(|opened| *opened &= !newly_flushed);
        self.homes.iter_mut().enumerate().filter(|(grid, _)| newly_flushed >> grid & 1 == 1).for_each(|(_, homes)| *homes = 0);
        self.flushed = flushed;
    }
}

/// Counts the points of one cycle of the network, from its state before the cycle.
fn network(before: &Network, sides: &[Side], slot_bits: usize, points: &mut Points) {
    let targets: Vec<_> = before.places().flatten().collect();
    for (sm, side) in sides.iter().enumerate() {
        if let Some(op) = side.from {
            points.cover_if(!before.ready(sm), "operation: waits for another");
            points.cover_if(before.ready(sm) && before.target(&op).is_none(), "operation: no target CTA");
        }
        points.cover_if(before.offered(sm).is_some() && !side.takes, "operation: not taken at once");
        points.cover_if(targets.iter().filter(|(target, _)| *target == sm).count() > 1, "operation: waits for its turn");
        if let Some(reply) = side.reply {
            points.cover(if reply.absent { "reply: absent" } else { "reply: an effect" });
        }
        let for_it = |side: &&Side| side.reply.is_some_and(|reply| usize::from(reply.source >> slot_bits) == sm);
        points.cover_if(sides.iter().filter(for_it).count() > 1, "replies: two for one multiprocessor in one cycle");
        let owed = before.owed(sm);
        let several = owed.len() > 1 && owed.iter().map(|owed| owed.acks + owed.absences).sum::<u32>() > 1;
        points.cover_if(several, "owed: several to one multiprocessor");
    }
    for (target, op) in &targets {
        let is_local = usize::from(op.source >> slot_bits) == *target;
        points.cover(if is_local { "operation: for its own multiprocessor" } else { "operation: for another multiprocessor" });
        points.cover_if(!before.reaches(*target, op.cta), "operation: its target CTA is no longer reachable");
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    let mut shown = Shown::new(&sizes);
    for at in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, at);
        let before = unit.network().clone();
        if inputs.reset {
            points.cover_if(unit.outputs().sms.iter().any(|sm| sm.mbarrier.remote != 0), "reset with an operation");
            shown = Shown::new(&sizes);
        } else {
            let outputs = unit.outputs();
            shown.cycle(&outputs.sms, outputs.host.flushed_grids, points);
        }
        unit.clock(&inputs);
        if !inputs.reset {
            network(&before, unit.sides(), sizes.cta_bits(), points);
        }
    }
    Ok(())
}
