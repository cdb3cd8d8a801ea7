// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about clusters and grids: the messages between their units and the hubs, and the warps that those units
//! release.

use super::points::{points, CoverageError, Points, Reach, Term};
use super::ports::View;
use bcu_hw::unit::cluster::ports::{ClusterMessageKind, HubKind};
use bcu_hw::unit::grid::ports::{GridHubKind, GridMessageKind};
use bcu_isa::config::Config;

/// Why the points of clusters are unreachable.
pub const NO_CLUSTERS: &str = "the configuration has no clusters";
/// Why the points of grids are unreachable.
pub const NO_GRIDS: &str = "the configuration has no grids";

/// Declares kinds of messages as terms.
macro_rules! kinds {
    ($($Kind:ident),*) => {
        $(impl Term for $Kind {
            fn all() -> Vec<Self> {
                $Kind::ALL.to_vec()
            }

            fn text(self) -> String {
                format!("{self:?}")
            }
        })*
    };
}

kinds!(ClusterMessageKind, HubKind, GridMessageKind, GridHubKind);

points! {
    pub enum Point {
        /// The unit offers a message to the hub of clusters, and the message is not taken in this cycle.
        ClusterMessageWaits = "cluster: a message waits",
        /// The barrier of a cluster releases one warp.
        ClusterOneReleased = "cluster: one warp is released",
        /// The barrier of a cluster releases several warps in one cycle.
        ClusterSeveralReleased = "cluster: several warps are released",
        /// All CTAs of a cluster have ended, and the unit reports that its cluster slot is free here.
        ClusterClosed = "cluster: a slot is closed",
        /// The retirement of a CTA of a cluster is transferred while a warp is trapped.
        ClusterRetireWithTrapped = "cluster: a CTA of a cluster retires while a warp is trapped",
        /// The unit sends a message of this kind to the hub of clusters.
        ClusterSends(kind: ClusterMessageKind) = "cluster: sends {kind}",
        /// The unit receives a message of this kind of the hub of clusters.
        ClusterReceives(kind: HubKind) = "cluster: receives {kind}",
        /// The unit offers a message to the hub of grids, and the message is not taken in this cycle.
        GridMessageWaits = "grid: a message waits",
        /// One warp resumes after its wait for prerequisite grids.
        GridOneReleased = "grid: one warp is released",
        /// Several warps resume after their waits for prerequisite grids in one cycle.
        GridSeveralReleased = "grid: several warps are released",
        /// The unit reports that a grid is open, so that CTAs of the grid may be launched.
        GridOpened = "grid: one is opened",
        /// The unit sends a message of this kind to the hub of grids.
        GridSends(kind: GridMessageKind) = "grid: sends {kind}",
        /// The unit receives a message of this kind of the hub of grids.
        GridReceives(kind: GridHubKind) = "grid: receives {kind}",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::ClusterMessageWaits
        | Point::ClusterOneReleased
        | Point::ClusterSeveralReleased
        | Point::ClusterClosed
        | Point::ClusterRetireWithTrapped
        | Point::ClusterSends(_)
        | Point::ClusterReceives(_) => Reach::unless((!config.has_clusters()).then_some(NO_CLUSTERS)),
        Point::GridMessageWaits
        | Point::GridOneReleased
        | Point::GridSeveralReleased
        | Point::GridOpened
        | Point::GridSends(_)
        | Point::GridReceives(_) => Reach::unless((!config.has_grids()).then_some(NO_GRIDS)),
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let reset = view.place("reset")?;
    if config.has_clusters() {
        let (out, out_kind) = (view.places(["cluster_out_valid", "cluster_out_ready"])?, view.place("cluster_out_kind")?);
        let [arrives, in_kind] = view.places(["cluster_in_valid", "cluster_in_kind"])?;
        let [warps, closed] = view.places(["cluster_release_warps", "cluster_closed_valid"])?;
        let [launched, cta, size] = view.places(["launched_valid", "launched_cta", "launched_size"])?;
        let retire = view.places(["retire_valid", "retire_ready"])?;
        let [retires, trapped] = view.places(["retire_cta", "trapped"])?;
        // CTA slots whose last launched CTA belongs to a cluster.
        let mut joined = 0u64;
        for cycle in view.cycles(reset) {
            let get = |place| view.get(place, cycle);
            points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, Point::ClusterMessageWaits);
            if let Some(kind) = ClusterMessageKind::ALL.get(get(out_kind) as usize).filter(|_| view.both(out, cycle)) {
                points.cover(Point::ClusterSends(*kind));
            }
            if let Some(kind) = HubKind::ALL.get(get(in_kind) as usize).filter(|_| get(arrives) == 1) {
                points.cover(Point::ClusterReceives(*kind));
            }
            points.cover_if(get(warps).count_ones() == 1, Point::ClusterOneReleased);
            points.cover_if(get(warps).count_ones() > 1, Point::ClusterSeveralReleased);
            points.cover_if(get(closed) == 1, Point::ClusterClosed);
            let of_cluster = view.both(retire, cycle) && joined >> get(retires) & 1 == 1;
            points.cover_if(of_cluster && get(trapped) != 0, Point::ClusterRetireWithTrapped);
            if get(launched) == 1 {
                joined = joined & !(1 << get(cta)) | u64::from(get(size) > 1) << get(cta);
            }
        }
    }
    if config.has_grids() {
        let (out, out_kind) = (view.places(["grid_out_valid", "grid_out_ready"])?, view.place("grid_out_kind")?);
        let [arrives, in_kind] = view.places(["grid_in_valid", "grid_in_kind"])?;
        let [warps, opened] = view.places(["grid_release_warps", "grid_opened_valid"])?;
        for cycle in view.cycles(reset) {
            let get = |place| view.get(place, cycle);
            points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, Point::GridMessageWaits);
            if let Some(kind) = GridMessageKind::ALL.get(get(out_kind) as usize).filter(|_| view.both(out, cycle)) {
                points.cover(Point::GridSends(*kind));
            }
            if let Some(kind) = GridHubKind::ALL.get(get(in_kind) as usize).filter(|_| get(arrives) == 1) {
                points.cover(Point::GridReceives(*kind));
            }
            points.cover_if(get(warps).count_ones() == 1, Point::GridOneReleased);
            points.cover_if(get(warps).count_ones() > 1, Point::GridSeveralReleased);
            points.cover_if(get(opened) == 1, Point::GridOpened);
        }
    }
    Ok(())
}
