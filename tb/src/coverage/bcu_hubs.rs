// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about clusters and grids: the messages between their units and the hubs, and the warps that those units release.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_hw::unit::cluster::ports::{ClusterMessageKind, HubKind};
use bcu_hw::unit::grid::ports::{GridHubKind, GridMessageKind};
use bcu_isa::config::Config;

/// Why the points of clusters and grids are unreachable.
pub const NO_CLUSTERS: &str = "the configuration has no clusters";
pub const NO_GRIDS: &str = "the configuration has no grids";

const OF_CLUSTERS: [&str; 5] = [
    "cluster: a message waits",
    "cluster: one warp is released",
    "cluster: several warps are released",
    "cluster: a slot is closed",
    "cluster: a CTA of one retires with a trapped warp",
];
const OF_GRIDS: [&str; 4] =
    ["grid: a message waits", "grid: one warp is released", "grid: several warps are released", "grid: one is opened"];

pub fn list(config: &Config, points: &mut Points) {
    let no_clusters = (!config.has_clusters()).then_some(NO_CLUSTERS);
    let no_grids = (!config.has_grids()).then_some(NO_GRIDS);
    OF_CLUSTERS.iter().for_each(|point| points.list(*point, no_clusters));
    ClusterMessageKind::ALL.iter().for_each(|kind| points.list(format!("cluster: sends {kind:?}"), no_clusters));
    HubKind::ALL.iter().for_each(|kind| points.list(format!("cluster: receives {kind:?}"), no_clusters));
    OF_GRIDS.iter().for_each(|point| points.list(*point, no_grids));
    GridMessageKind::ALL.iter().for_each(|kind| points.list(format!("grid: sends {kind:?}"), no_grids));
    GridHubKind::ALL.iter().for_each(|kind| points.list(format!("grid: receives {kind:?}"), no_grids));
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let reset = view.place("reset")?;
    if config.has_clusters() {
        let (out, said) = (view.places(["cluster_out_valid", "cluster_out_ready"])?, view.place("cluster_out_kind")?);
        let [arrives, heard] = view.places(["cluster_in_valid", "cluster_in_kind"])?;
        let [warps, closed] = view.places(["cluster_release_warps", "cluster_closed_valid"])?;
        let [launched, cta, size] = view.places(["launched_valid", "launched_cta", "launched_size"])?;
        let retire = view.places(["retire_valid", "retire_ready"])?;
        let [retires, trapped] = view.places(["retire_cta", "trapped"])?;
        // CTA slots whose last launched CTA belongs to a cluster.
        let mut joined = 0u64;
        for cycle in view.cycles(reset) {
            let get = |place| view.get(place, cycle);
            points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, OF_CLUSTERS[0]);
            if let Some(kind) = ClusterMessageKind::ALL.get(get(said) as usize).filter(|_| view.both(out, cycle)) {
                points.cover(&format!("cluster: sends {kind:?}"));
            }
            if let Some(kind) = HubKind::ALL.get(get(heard) as usize).filter(|_| get(arrives) == 1) {
                points.cover(&format!("cluster: receives {kind:?}"));
            }
            points.cover_if(get(warps).count_ones() == 1, OF_CLUSTERS[1]);
            points.cover_if(get(warps).count_ones() > 1, OF_CLUSTERS[2]);
            points.cover_if(get(closed) == 1, OF_CLUSTERS[3]);
            let of_cluster = view.both(retire, cycle) && joined >> get(retires) & 1 == 1;
            points.cover_if(of_cluster && get(trapped) != 0, OF_CLUSTERS[4]);
            if get(launched) == 1 {
                joined = joined & !(1 << get(cta)) | u64::from(get(size) > 1) << get(cta);
            }
        }
    }
    if config.has_grids() {
        let (out, said) = (view.places(["grid_out_valid", "grid_out_ready"])?, view.place("grid_out_kind")?);
        let [arrives, heard] = view.places(["grid_in_valid", "grid_in_kind"])?;
        let [warps, opened] = view.places(["grid_release_warps", "grid_opened_valid"])?;
        for cycle in view.cycles(reset) {
            let get = |place| view.get(place, cycle);
            points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, OF_GRIDS[0]);
            if let Some(kind) = GridMessageKind::ALL.get(get(said) as usize).filter(|_| view.both(out, cycle)) {
                points.cover(&format!("grid: sends {kind:?}"));
            }
            if let Some(kind) = GridHubKind::ALL.get(get(heard) as usize).filter(|_| get(arrives) == 1) {
                points.cover(&format!("grid: receives {kind:?}"));
            }
            points.cover_if(get(warps).count_ones() == 1, OF_GRIDS[1]);
            points.cover_if(get(warps).count_ones() > 1, OF_GRIDS[2]);
            points.cover_if(get(opened) == 1, OF_GRIDS[3]);
        }
    }
    Ok(())
}
