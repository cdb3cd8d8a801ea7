// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The phases of mbarriers that warps await: what completes them.

use super::super::sm::Sm;
use super::activity::Activity;
use super::copies::Copies;
use super::event::Track;
use super::warps::Warps;

/// Records what has completed awaited phases in the cycle before `cycle`.
pub(super) fn observe(sms: &[Sm], cycle: u64, (warps, copies): (&mut Warps, &Copies)) {
    for sm in sms {
        let mut completed: Vec<(usize, Option<(Track, u64)>)> = vec![];
        let log = &sm.record.mbarriers;
        for row in warps.rows_of(sm.number) {
            let Some(open) = row.open.as_ref() else { continue };
            let (Activity::Mbarrier { address, .. }, Some(awaited)) = (open.activity, open.awaited) else { continue };
            let is_complete = log.open_phase(row.cta, address).is_some_and(|phase| phase > awaited.phase);
            if is_complete && awaited.completed_by.is_none() {
                let before = cycle.saturating_sub(1);
                let by_copy = || copies.track(sm.signalled_in(before)?).map(|track| (track, before));
                completed.push((row.index, by_copy()));
            }
        }
        for (index, by_copy) in completed {
            let by = by_copy.or_else(|| last_arrival(sms, sm, index, warps));
            let row = warps.rows_of(sm.number).find(|row| row.index == index);
            let awaited = row.and_then(|row| row.open.as_mut()?.awaited.as_mut());
            awaited.into_iter().for_each(|awaited| awaited.completed_by = by);
        }
    }
}

/// The track and the cycle of the last arrival in the phase that the warp with index `index` awaits.
fn last_arrival(sms: &[Sm], sm: &Sm, index: usize, warps: &mut Warps) -> Option<(Track, u64)> {
    let row = warps.rows_of(sm.number).find(|row| row.index == index)?;
    let open = row.open.as_ref()?;
    let Activity::Mbarrier { address, .. } = open.activity else { return None };
    let cta = row.cta;
    let arrival = sm.record.mbarriers.last_arrival((cta, address), open.awaited?.phase)?;
    let from = match (arrival.cta, arrival.warp) {
        (None, warp) => (cta, warp?),
        (Some(sender), _) => {
            let mut remote = sms.iter().flat_map(|sm| &sm.record.remote_ops).rev();
            (sender, remote.find(|op| (op.cta, op.address) == (sender, address))?.warp)
        }
    };
    warps.alive(from, arrival.cycle)
}
