// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that wait at the barrier of a cluster when a run ends, and the warps of the cluster that have not arrived there.

use super::hang::{at_cluster, find_whereabouts, Barriers};
use super::lookahead::{next_at_cluster, Next};
use super::reference::Reference;
use super::report::{ClusterMissing, ClusterWait, Missing};
use super::sm::Sm;
use super::warp::Warp;
use bcu_isa::config::Config;
use std::collections::BTreeMap;

/// For each warp, the location where it would arrive at the barrier of its cluster; the key is the multiprocessor, and the index of the
/// warp on it.
type Foreseen = BTreeMap<(usize, usize), Next>;

/// All warps that wait at the barriers of their clusters.
pub(super) fn at_clusters(sms: &[Sm], reference: &Reference, sizes: &Config) -> Vec<ClusterWait> {
    let mut next = Foreseen::new();
    let mut cluster_waits = vec![];
    for sm in sms {
        let unit = reference.unit(sm.number);
        for warp in sm.warps.iter().filter(|warp| at_cluster(warp, unit)) {
            cluster_waits.push(ClusterWait {
                cta: warp.cta,
                warp: warp.warp,
                rank: warp.rank,
                multiprocessor: named(sms, sm.number),
                place: warp.last_place(),
                phase: warp.phases,
                cluster: warp.ctas.to_vec(),
                missing: missing(warp, sms, (reference, sizes), &mut next),
            });
        }
    }
    cluster_waits
}

/// The number of a multiprocessor; `None` if there is only one.
pub(super) fn named(sms: &[Sm], number: usize) -> Option<usize> {
    (sms.len() > 1).then_some(number)
}

/// The warps of the cluster that have not arrived in the phase for which the warp `waits` is waiting.
fn missing(waits: &Warp, sms: &[Sm], (reference, sizes): (&Reference, &Config), next: &mut Foreseen) -> Vec<ClusterMissing> {
    let mut missing = vec![];
    for sm in sms {
        let barriers = Barriers { unit: reference.unit(sm.number), record: &sm.record };
        for (index, warp) in sm.warps.iter().enumerate() {
            let awaited = waits.ctas.contains(&warp.cta) && warp.exited.is_none() && warp.phases < waits.phases;
            if !awaited {
                continue;
            }
            let foreseen = next.entry((sm.number, index)).or_insert_with(|| next_at_cluster(warp, sizes));
            let (place, unclear) = match foreseen {
                Next::Arrives(place) if warp.stopped.is_none() => (Some(place.clone()), false),
                Next::Unclear if warp.stopped.is_none() => (None, true),
                _ => (None, false),
            };
            let of_warp =
                Missing { warp: warp.warp, whereabouts: find_whereabouts((index, warp), barriers), next: place, unclear };
            let (rank, multiprocessor) = (warp.rank, named(sms, sm.number));
            missing.push(ClusterMissing { cta: warp.cta, rank, multiprocessor, warp: of_warp });
        }
    }
    missing.sort_by_key(|member| (member.rank, member.warp.warp));
    missing
}
