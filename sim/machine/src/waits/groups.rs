// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The nodes of the wait-for graph: groups of warps that wait at one object, with the warps whose action would release them.

use super::super::report::{
    Blocked, BlockedLanes, ClusterWait, GatewayWait, GridBarrierWait, GridWait, Hang, Missing, ObjectWait, SpinWait,
    Whereabouts,
};
use bcu_program::Place;

/// A warp, as CTA number and warp number.
pub type Warp = (usize, usize);

/// The object at which warps wait, with their waits.
pub enum Object<'a> {
    Barrier(Vec<&'a Blocked>),
    Mbarrier(Vec<&'a ObjectWait>),
    Cluster(Vec<&'a ClusterWait>),
    Gateway(Vec<&'a GatewayWait>),
    Grid(Vec<&'a GridWait>),
    GridBarrier(Vec<&'a GridBarrierWait>),
    Lanes(&'a BlockedLanes),
    Memory(Vec<&'a SpinWait>),
}

/// A warp whose action would release a group.
pub struct Awaited<'a> {
    pub warp: Warp,
    /// The location of the action; `None` if it is unknown.
    pub next: Option<&'a Place>,
}

/// All warps that wait at one object, with the warps for which they wait.
pub struct Group<'a> {
    pub object: Object<'a>,
    pub waiting: Vec<Warp>,
    pub awaited: Vec<Awaited<'a>>,
    /// CTAs that would have to end before the warps are released.
    pub awaited_ctas: Vec<usize>,
}

impl Group<'_> {
    /// The location where warp `warp` of the group waits.
    pub fn place(&self, warp: Warp) -> Option<&Place> {
        fn find<'p, T>(
            waits: &[&'p T],
            warp: Warp,
            key: impl Fn(&T) -> Warp,
            place: impl Fn(&'p T) -> &'p Place,
        ) -> Option<&'p Place> {
            waits.iter().find(|wait| key(wait) == warp).map(|wait| place(wait))
        }
        match &self.object {
            Object::Barrier(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::Mbarrier(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::Cluster(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::Gateway(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::Grid(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::GridBarrier(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
            Object::Lanes(lanes) => Some(&lanes.place),
            Object::Memory(waits) => find(waits, warp, |w| (w.cta, w.warp), |w| &w.place),
        }
    }

    /// The code of the finding for a wait at this kind of object.
    pub fn code(&self) -> &'static str {
        match &self.object {
            Object::Barrier(_) | Object::Grid(_) | Object::Lanes(_) => "deadlock",
            Object::Mbarrier(_) => "mbarrier_wait",
            Object::Cluster(_) => "cluster_wait",
            Object::Gateway(_) => "signal_missing",
            Object::GridBarrier(_) => "grid_barrier_wait",
            Object::Memory(_) => "spin_wait",
        }
    }

    /// The verb of the wait with the name of the object, such as `waits at barrier 1`.
    pub fn waits(&self) -> String {
        match &self.object {
            Object::Memory(waits) if waits[0].words.is_empty() => "spins".to_string(),
            Object::Memory(_) => format!("spins on {}", self.name()),
            _ => format!("waits at {}", self.name()),
        }
    }

    /// The name of the object, as text.
    pub fn name(&self) -> String {
        match &self.object {
            Object::Barrier(waits) => format!("barrier {}", waits[0].id),
            Object::Mbarrier(waits) => waits[0].object.named(),
            Object::Cluster(_) => "the barrier of its cluster".to_string(),
            Object::Gateway(waits) => format!("barrier {}", waits[0].id),
            Object::Grid(_) => "the grids before its own".to_string(),
            Object::GridBarrier(_) => "the grid barrier".to_string(),
            Object::Lanes(_) => "a barrier of its lanes".to_string(),
            Object::Memory(waits) => waits[0].words.first().map_or(String::new(), |word| word.named()),
        }
    }
}

/// Groups waits by their object, in the order of the first wait of each group; waits for which `is_hung` is false are left out.
pub fn gathered<'a, T, K: PartialEq>(all: &'a [T], is_hung: impl Fn(&T) -> bool, key: impl Fn(&T) -> K) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&T>> = vec![];
    for wait in all.iter().filter(|wait| is_hung(wait)) {
        match groups.iter_mut().find(|group| key(group[0]) == key(wait)) {
            Some(group) => group.push(wait),
            None => groups.push(vec![wait]),
        }
    }
    groups
}

/// Converts a missing warp to an awaited warp, if it can still act. With `must_arrive`, the action must be an arrival; otherwise it may
/// also be an exit.
fn could_act(cta: usize, missing: &Missing, must_arrive: bool) -> Option<Awaited<'_>> {
    let gone = matches!(missing.whereabouts, Whereabouts::Exited { .. } | Whereabouts::Stopped { .. });
    let may = !gone && (!must_arrive || missing.next.is_some() || missing.unclear);
    may.then_some(Awaited { warp: (cta, missing.warp), next: missing.next.as_ref() })
}

/// The groups of waits in all CTAs that can never end.
pub fn groups(hang: &Hang) -> Vec<Group<'_>> {
    let is_stuck = |cta: usize| hang.hung_ctas.contains(&cta);
    let mut groups = vec![];
    for waits in gathered(&hang.blocked, |w| is_stuck(w.cta), |w| (w.cta, w.id)) {
        let first = waits[0];
        // A barrier without a count also completes when the missing warps exit, so an awaited warp need not arrive.
        let must_arrive = first.threads.is_some();
        let awaited = first.missing.iter().filter_map(|m| could_act(first.cta, m, must_arrive)).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::Barrier(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for waits in gathered(&hang.at_mbarriers, |w| is_stuck(w.cta), |w| (w.cta, w.object.address, w.parity)) {
        let first = waits[0];
        let own_warps = first.missing.iter().filter_map(|m| could_act(first.cta, m, true));
        let remote = first.remote.iter().filter_map(|m| could_act(m.cta, &m.warp, true));
        let (awaited, waiting) = (own_warps.chain(remote).collect(), waits.iter().map(|w| (w.cta, w.warp)).collect());
        groups.push(Group { object: Object::Mbarrier(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for waits in gathered(&hang.at_clusters, |w| is_stuck(w.cta), |w| (w.cluster.clone(), w.phase)) {
        let awaited = waits[0].missing.iter().filter_map(|m| could_act(m.cta, &m.warp, false)).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::Cluster(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for waits in gathered(&hang.at_gateway, |w| is_stuck(w.cta), |w| (w.cta, w.id)) {
        let first = waits[0];
        let awaited = first.missing.iter().filter_map(|m| could_act(first.cta, &m.warp, true)).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::Gateway(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for waits in gathered(&hang.at_grids, |w| is_stuck(w.cta), |w| w.grid) {
        let awaited_ctas = waits[0].before.iter().flat_map(|before| before.ctas.clone()).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::Grid(waits), waiting, awaited: vec![], awaited_ctas });
    }
    for waits in gathered(&hang.at_grid_barriers, |w| is_stuck(w.cta), |w| w.grid) {
        // Any warp of a missing CTA may hold up its arrival, even one that does not arrive itself.
        let awaited = waits[0].missing.iter().filter_map(|m| could_act(m.cta, &m.warp, false)).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::GridBarrier(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for waits in gathered(&hang.spinning, |w| is_stuck(w.cta), key_of_spin) {
        let writers = waits[0].writers.iter().filter(|next| !waits.iter().any(|w| (w.cta, w.warp) == (next.cta, next.warp)));
        let awaited = writers.map(|next| Awaited { warp: (next.cta, next.warp), next: next.place.as_ref() }).collect();
        let waiting = waits.iter().map(|w| (w.cta, w.warp)).collect();
        groups.push(Group { object: Object::Memory(waits), waiting, awaited, awaited_ctas: vec![] });
    }
    for lanes in hang.lanes.iter().filter(|l| is_stuck(l.cta)) {
        // The missing lanes belong to the same warp, and may wait at another object.
        let (warp, object) = ((lanes.cta, lanes.warp), Object::Lanes(lanes));
        let awaited = vec![Awaited { warp, next: None }];
        groups.push(Group { object, waiting: vec![warp], awaited, awaited_ctas: vec![] });
    }
    groups
}

/// The word on which a warp spins (CTA of the shared memory, address), and the location of the wait.
pub fn key_of_spin(wait: &SpinWait) -> (Option<(Option<usize>, u64)>, Place) {
    (wait.words.first().map(|word| (word.shared, word.address)), wait.place.clone())
}

/// The indices of the groups that contain a waiting warp whose action would release group `from`.
pub fn edges(groups: &[Group], from: usize) -> Vec<usize> {
    let Group { awaited, awaited_ctas, object, .. } = &groups[from];
    let awaits = |warp: &Warp| awaited.iter().any(|a| a.warp == *warp) || awaited_ctas.contains(&warp.0);
    let is_lanes = |of: &Object| matches!(of, Object::Lanes(_));
    let others = (0..groups.len()).filter(|to| *to != from && !(is_lanes(object) && is_lanes(&groups[*to].object)));
    others.filter(|to| groups[*to].waiting.iter().any(awaits)).collect()
}
