// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gpu`: clusters and grids over several multiprocessors, and operations that meet in the network.

use super::points::{points, term, CoverageError, Points, Reach, Term};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::bcu::BcuOut;
use bcu_model::network::{Network, Side};
use bcu_model::{Clocked, Gpu as Unit, Sizes};

/// The number of CTAs of a cluster of several CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterSize(u8);

impl Term for ClusterSize {
    fn all() -> Vec<Self> {
        (2..=16).map(ClusterSize).collect()
    }

    fn text(self) -> String {
        self.0.to_string()
    }
}

term! {
    pub enum Homes {
        One = "one multiprocessor",
        Several = "several multiprocessors",
    }
}

points! {
    pub enum Point {
        /// The last CTA of a cluster of this size is launched, and its CTAs are on one or on several multiprocessors.
        WholeCluster(size: ClusterSize, homes: Homes) = "a cluster of {size} on {homes}",
        /// Every multiprocessor that has had CTAs of a cluster reports that all CTAs of the cluster have ended.
        ClusterClosed = "a cluster is closed",
        /// A CTA of a new cluster is launched into a cluster slot whose former cluster has been closed.
        ClusterSlotAgain = "a cluster slot is named again",
        /// In one cycle, several multiprocessors release warps that waited at a cluster barrier.
        ClusterReleaseOnSeveral = "released: a cluster on several multiprocessors",
        /// A CTA of a new cluster is launched into a cluster slot before the former cluster has been closed.
        ClusterSlotTooEarly = "a cluster slot is named before it is closed",
        /// A CTA is launched with a rank that another CTA of its cluster has.
        RankTwice = "a rank twice in a cluster",
        /// A multiprocessor reports that a grid is open, so that CTAs of the grid may be launched there.
        GridOpened = "a grid is opened",
        /// CTAs of one grid have been launched on several multiprocessors.
        GridOnSeveral = "CTAs of a grid on several multiprocessors",
        /// In one cycle, several multiprocessors release warps that waited for prerequisite grids.
        GridReleaseOnSeveral = "released: a grid on several multiprocessors",
        /// A CTA of a grid is launched on a multiprocessor that has not reported that the grid is open.
        CtaBeforeGridOpened = "a CTA of a grid before the grid is opened",
        /// All that the CTAs of a completed grid have written is visible in memory.
        GridFlushed = "a grid is flushed",
        /// A CTA is launched that belongs to a cluster and to a grid.
        CtaOfClusterAndGrid = "a CTA of a cluster and of a grid",
        /// The network carries an operation on an mbarrier of a CTA of another multiprocessor.
        OperationForAnother = "operation: for another multiprocessor",
        /// The network receives an operation on an mbarrier whose target CTA is not reachable.
        OperationNoTarget = "operation: no target CTA",
        /// The target CTA of an operation ends while the operation is in the network.
        OperationTargetGone = "operation: its target CTA is no longer reachable",
        /// A multiprocessor replies that an operation on an mbarrier of one of its CTAs has been executed.
        ReplyEffect = "reply: an effect",
        /// A multiprocessor replies that the target CTA of an operation on an mbarrier is absent.
        ReplyAbsent = "reply: absent",
        /// A reset comes while an operation on an mbarrier of another CTA is not finished.
        ResetWithOperation = "reset with an operation",
        /// The network offers an operation to a multiprocessor, and the link there does not take it in this cycle.
        OperationNotTaken = "operation: not taken at once",
        /// An operation waits to enter the network because the place of its multiprocessor still holds an earlier operation.
        OperationWaits = "operation: waits for another",
        /// The network carries an operation on an mbarrier of another CTA of the same multiprocessor.
        OperationForSame = "operation: for its own multiprocessor",
        /// Operations of several multiprocessors are for one multiprocessor, so that one of them waits for its turn.
        OperationWaitsForTurn = "operation: waits for its turn",
        /// Replies to several operations of one multiprocessor reach the network in one cycle.
        TwoReplies = "replies: two for one multiprocessor in one cycle",
        /// The network has several acknowledgements to send to one multiprocessor.
        SeveralOwed = "owed: several to one multiprocessor",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    let alone = (config.cta_slots == 1).then_some("a multiprocessor has one CTA slot");
    match point {
        Point::WholeCluster(size, homes) => {
            let size = usize::from(size.0);
            if size > config.cluster_size.min(config.cta_slots * config.sms) {
                return Reach::Absent;
            }
            let too_large = homes == Homes::One && size > config.cta_slots;
            Reach::unless(too_large.then_some("no multiprocessor has so many CTA slots"))
        }
        Point::ClusterSlotTooEarly => Reach::Unreachable("the launcher waits for the cluster to be closed"),
        Point::RankTwice => Reach::Unreachable("the launcher gives each rank once"),
        Point::CtaBeforeGridOpened => Reach::Unreachable("the launcher waits for the grid to be opened"),
        // An operation waits only if another one is ahead of it in the link and two are at the end of the link, so that four
        // are in flight.
        Point::OperationNotTaken | Point::OperationWaits => {
            let few = alone.filter(|_| config.max_remote < 4);
            Reach::unless(few.map(|_| "this number of operations is never in flight"))
        }
        Point::OperationForSame => Reach::unless(alone),
        // With two multiprocessors of one CTA slot each, all operations for one multiprocessor come from the other, so none
        // waits for a turn.
        Point::OperationWaitsForTurn | Point::TwoReplies => Reach::unless(alone.filter(|_| config.sms == 2)),
        Point::SeveralOwed if alone.is_some() => Reach::Absent,
        _ => Reach::Reachable,
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
    /// For each multiprocessor, the grids that it has output as opened.
    opened: Vec<u64>,
    /// For each grid, the multiprocessors that have had CTAs of it.
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

    fn launched(&mut self, sm: usize, out: &BcuOut, points: &mut Points<Point>) {
        let new = out.cta_table.launched;
        if new.has_grid {
            let grid = usize::from(new.grid);
            points.cover_if(self.opened[sm] >> grid & 1 == 0, Point::CtaBeforeGridOpened);
            self.homes[grid] |= 1 << sm;
            points.cover_if(self.homes[grid].count_ones() > 1, Point::GridOnSeveral);
            points.cover_if(new.placement.size > 1, Point::CtaOfClusterAndGrid);
        }
        if new.placement.size > 1 {
            let cluster = &mut self.clusters[usize::from(new.placement.cluster)];
            let is_whole = cluster.ranks.count_ones() == u32::from(cluster.size);
            if is_whole && cluster.size > 0 {
                points.cover(Point::ClusterSlotTooEarly);
            }
            points.cover_if(cluster.was_closed && cluster.size == 0, Point::ClusterSlotAgain);
            points.cover_if(cluster.ranks >> new.placement.rank & 1 == 1, Point::RankTwice);
            cluster.size = new.placement.size;
            cluster.ranks |= 1 << new.placement.rank;
            cluster.homes |= 1 << sm;
            if cluster.ranks.count_ones() == u32::from(cluster.size) {
                let homes = if cluster.homes.count_ones() > 1 { Homes::Several } else { Homes::One };
                points.cover(Point::WholeCluster(ClusterSize(cluster.size), homes));
            }
        }
    }

    /// Evaluates the outputs of one cycle.
    fn cycle(&mut self, sms: &[BcuOut], flushed: u64, points: &mut Points<Point>) {
        for (sm, out) in sms.iter().enumerate() {
            if out.cluster.closed_valid {
                let cluster = &mut self.clusters[usize::from(out.cluster.closed)];
                cluster.closed |= 1 << sm;
                if cluster.size > 0 && cluster.homes & !cluster.closed == 0 {
                    points.cover(Point::ClusterClosed);
                    *cluster = Cluster { was_closed: true, ..Cluster::default() };
                }
            }
            if out.grid.opened_valid {
                points.cover(Point::GridOpened);
                let grid = out.grid.opened_grid;
                self.opened[sm] |= 1 << grid;
            }
        }
        for (sm, out) in sms.iter().enumerate().filter(|(_, out)| out.cta_table.launched_valid) {
            self.launched(sm, out, points);
        }
        let several = |release: &dyn Fn(&BcuOut) -> bool| sms.iter().filter(|out| release(out)).count() > 1;
        points.cover_if(several(&|out| out.cluster.release_valid), Point::ClusterReleaseOnSeveral);
        points.cover_if(several(&|out| out.grid.release_valid), Point::GridReleaseOnSeveral);
        points.cover_if(flushed & !self.flushed != 0, Point::GridFlushed);
        // A flushed grid launches no more CTAs, so the records of its grid slot are cleared for the next grid.
        let newly_flushed = flushed & !self.flushed;
        self.opened.iter_mut().for_each(|opened| *opened &= !newly_flushed);
        self.homes.iter_mut().enumerate().filter(|(grid, _)| newly_flushed >> grid & 1 == 1).for_each(|(_, homes)| *homes = 0);
        self.flushed = flushed;
    }
}

/// Counts the points of one cycle of the network, from its state before the cycle.
fn network(before: &Network, sides: &[Side], slot_bits: usize, points: &mut Points<Point>) {
    let targets: Vec<_> = before.places().flatten().collect();
    for (sm, side) in sides.iter().enumerate() {
        if let Some(op) = side.from {
            points.cover_if(!before.ready(sm), Point::OperationWaits);
            points.cover_if(before.ready(sm) && before.target(&op).is_none(), Point::OperationNoTarget);
        }
        points.cover_if(before.offered(sm).is_some() && !side.takes, Point::OperationNotTaken);
        points.cover_if(targets.iter().filter(|(target, _)| *target == sm).count() > 1, Point::OperationWaitsForTurn);
        if let Some(reply) = side.reply {
            points.cover(if reply.absent { Point::ReplyAbsent } else { Point::ReplyEffect });
        }
        let for_it = |side: &&Side| side.reply.is_some_and(|reply| usize::from(reply.source >> slot_bits) == sm);
        points.cover_if(sides.iter().filter(for_it).count() > 1, Point::TwoReplies);
        let owed = before.owed(sm);
        let several = owed.len() > 1 && owed.iter().map(|owed| owed.acks + owed.absences).sum::<u32>() > 1;
        points.cover_if(several, Point::SeveralOwed);
    }
    for (target, op) in &targets {
        let is_local = usize::from(op.source >> slot_bits) == *target;
        points.cover(if is_local { Point::OperationForSame } else { Point::OperationForAnother });
        points.cover_if(!before.reaches(*target, op.cta), Point::OperationTargetGone);
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    let mut shown = Shown::new(&sizes);
    for at in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, at);
        let before = unit.network().clone();
        if inputs.reset {
            points.cover_if(unit.outputs().sms.iter().any(|sm| sm.mbarrier.remote != 0), Point::ResetWithOperation);
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
