// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The last arrivals at the barriers of clusters, and the last exits of grids.

use super::super::sm::Sm;
use super::event::Track;
use super::tracks::of_warp;
use std::collections::BTreeMap;

/// A track with a cycle.
type Point = (Track, u64);

/// The last arrivals and exits in a cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Cluster {
    /// The last arrival, with its phase, in phases with an even number, and in phases with an odd number.
    arrivals: [Option<(u64, Point)>; 2],
    exit: Option<Point>,
}

#[derive(Default)]
pub(super) struct Peers {
    /// For each multiprocessor and warp slot, the index of the warp, and its number of arrivals at the barrier of its cluster.
    slots: Vec<Vec<(usize, u64)>>,
    /// The clusters with warps in slots, by their first CTAs.
    clusters: BTreeMap<usize, Cluster>,
    /// The last exit of each grid.
    exits: BTreeMap<usize, Point>,
}

impl Peers {
    /// Records the arrivals and exits of the cycle before `cycle`.
    pub fn observe(&mut self, sms: &[Sm], cycle: u64) {
        let before = cycle.saturating_sub(1);
        self.slots.resize_with(sms.len(), Vec::new);
        let mut has_changed = false;
        for (sm, slots) in sms.iter().zip(&mut self.slots) {
            slots.resize(sm.warp_slots.len(), (usize::MAX, 0));
            for (index, known) in sm.warp_slots.iter().zip(slots) {
                let Some((index, warp)) = index.and_then(|index| Some((index, sm.warps.get(index)?))) else { continue };
                if known.0 != index {
                    (*known, has_changed) = ((index, 0), true);
                }
                let (Some(cluster), point) = (warp.ctas.first(), (of_warp(warp.cta, warp.warp), before)) else { continue };
                if std::mem::replace(&mut known.1, warp.phases) != warp.phases {
                    let arrivals = &mut self.clusters.entry(*cluster).or_default().arrivals;
                    arrivals[(warp.phases % 2) as usize] = Some((warp.phases, point));
                }
                if warp.exited.is_some_and(|exited| exited == before) {
                    self.exits.insert(warp.grid, point);
                    self.clusters.entry(*cluster).and_modify(|cluster| cluster.exit = Some(point));
                }
            }
        }
        if has_changed {
            let resident = |first: &usize| {
                let in_slots = |sm: &Sm| sm.resident_warps().any(|warp| warp.ctas.first() == Some(first));
                sms.iter().any(in_slots)
            };
            self.clusters.retain(|first, _| resident(first));
        }
    }

    /// The last arrival in a phase of the cluster of the warp with index `index`, or a later exit, which completed the phase.
    pub fn of_cluster(&self, sm: &Sm, index: usize, phase: u64) -> Option<Point> {
        let cluster = self.clusters.get(sm.warps.get(index)?.ctas.first()?)?;
        let arrival = cluster.arrivals[(phase % 2) as usize].filter(|(of, _)| *of == phase).map(|(_, point)| point);
        [arrival, cluster.exit].into_iter().flatten().max_by_key(|(_, cycle)| *cycle)
    }

    /// The last exit in the grids before a grid.
    pub fn before_grid(&self, grid: usize) -> Option<Point> {
        self.exits.range(..grid).map(|(_, point)| *point).max_by_key(|(_, cycle)| *cycle)
    }
}
