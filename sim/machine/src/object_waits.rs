// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that wait at mbarriers when a run ends, and the warps that would arrive there.

use super::hang::{find_whereabouts, Barriers};
use super::lookahead::{next_at_object, Next};
use super::peers::named;
use super::record::Waiter;
use super::reference::Reference;
use super::report::{ClusterMissing, Missing, ObjectWait};
use super::sm::Sm;
use super::warp::Warp;
use std::collections::BTreeMap;

/// For each warp and mbarrier, the location where the warp would arrive at the mbarrier, and whether a copy that the warp starts makes this
/// arrival. The key is the multiprocessor, the index of the warp on it, and the CTA and address of the mbarrier.
type Foreseen = BTreeMap<(usize, usize, usize, u32), (Next, bool)>;

/// All warps that wait at an mbarrier.
pub(super) fn at_mbarriers(sms: &[Sm], reference: &Reference) -> Vec<ObjectWait> {
    let mut foreseen = Foreseen::new();
    let mut waits = vec![];
    for sm in sms {
        let live = sm.warps.iter().enumerate().filter(|(_, warp)| warp.exited.is_none());
        for (index, warp) in live {
            if let Some(waiter) = sm.record.mbarriers.waiters.get(&index) {
                waits.push(describe_wait((sm, index, warp), waiter, (sms, reference), &mut foreseen));
            }
        }
    }
    waits.sort_by_key(|wait| (wait.cta, wait.warp));
    waits
}

/// Describes the wait of a warp at an mbarrier, with the missing warps of its CTA, and the warps of other CTAs of the cluster that would
/// arrive there.
fn describe_wait(
    (sm, index, warp): (&Sm, usize, &Warp),
    waiter: &Waiter,
    (sms, reference): (&[Sm], &Reference),
    foreseen: &mut Foreseen,
) -> ObjectWait {
    let log = &sm.record.mbarriers;
    let object = log.object(warp.cta, waiter.address);
    let key = (warp.cta, waiter.address);
    // If no arrival is pending, only bytes of copies are missing, so only warps that start copies count as missing.
    let by_copies = object.pending == 0 && object.bytes > 0;
    let mut next = |sm: usize, index: usize, user: &Warp| {
        let found = foreseen.entry((sm, index, key.0, key.1)).or_insert_with(|| next_at_object(user, key));
        match found {
            (Next::Arrives(place), is_copy) if user.stopped.is_none() && (*is_copy || !by_copies) => {
                (Some(place.clone()), false)
            }
            (Next::Unclear, _) if user.stopped.is_none() => (None, true),
            _ => (None, false),
        }
    };
    let waits_there = |sm: &Sm, index: usize| {
        sm.record.mbarriers.waiters.get(&index).is_some_and(|waiting| waiting.address == waiter.address)
    };
    let (mut missing, mut remote) = (vec![], vec![]);
    for peer in sms {
        let barriers = Barriers { unit: reference.unit(peer.number), record: &peer.record };
        for (at, w) in peer.warps.iter().enumerate() {
            if w.cta == warp.cta && w.warp != warp.warp && !waits_there(peer, at) {
                let (next, unclear) = next(peer.number, at, w);
                missing.push(Missing { warp: w.warp, whereabouts: find_whereabouts((at, w), barriers), next, unclear });
            } else if w.cta != warp.cta && warp.ctas.contains(&w.cta) && w.exited.is_none() {
                let (next, unclear) = next(peer.number, at, w);
                if next.is_some() || unclear {
                    let of_warp = Missing { warp: w.warp, whereabouts: find_whereabouts((at, w), barriers), next, unclear };
                    let multiprocessor = named(sms, peer.number);
                    remote.push(ClusterMissing { cta: w.cta, rank: w.rank, multiprocessor, warp: of_warp });
                }
            }
        }
    }
    remote.sort_by_key(|member| (member.rank, member.warp.warp));
    ObjectWait {
        cta: warp.cta,
        warp: warp.warp,
        lanes: waiter.lanes,
        place: waiter.place.clone(),
        since: waiter.since,
        times: waiter.times,
        object,
        parity: waiter.parity.into(),
        missing,
        remote,
        next: next(sm.number, index, warp).0,
        history: log.history(key, warp.warp, waiter.lanes),
    }
}
