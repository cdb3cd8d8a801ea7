// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that wait at Intel's gateway when a run ends, and the threads of the group that have not signalled.

use super::hang::{find_whereabouts, waits_at, Barriers};
use super::lookahead::{next_signal, Next};
use super::report::{GatewayMissing, GatewayWait, Missing, Role};
use super::warp::Warp;
use bcu_isa::config::Config;

/// All warps that wait at the gateway, in launch order.
pub(super) fn at_gateway(warps: &[Warp], barriers: Barriers, sizes: &Config) -> Vec<GatewayWait> {
    if barriers.unit.gateway().is_none() {
        return vec![];
    }
    let waiting = warps.iter().filter_map(|warp| Some((warp, waits_at(warp, barriers)?)));
    waiting.filter_map(|(warp, id)| describe_wait((warp, id), warps, barriers, sizes)).collect()
}

/// Describes the wait of `warp` at barrier `id` of the gateway, with the threads whose signals are missing.
fn describe_wait((warp, id): (&Warp, u8), warps: &[Warp], barriers: Barriers, sizes: &Config) -> Option<GatewayWait> {
    let cta_record = barriers.record.ctas.get(warp.cta)?;
    let row = cta_record.gateway.get(usize::from(id))?;
    let phase = barriers.unit.gateway()?.rows().barrier(cta_record.slot as u8, id)?.phase?;
    let short = |expected: u8, signalled: u64| u32::from(expected).saturating_sub(signalled.count_ones());
    let missing_producers = short(phase.producers, phase.produced);
    let missing_consumers = short(phase.consumers, phase.consumed);
    // A warp is awaited if signals of a role, producer or consumer, are missing and the warp has not signalled in that role.
    let awaited = |w: &Warp| {
        let has = |signalled: u64| signalled >> w.slot & 1 == 1;
        missing_producers > 0 && !has(phase.produced) || missing_consumers > 0 && !has(phase.consumed)
    };
    let missing = warps.iter().enumerate().filter(|(_, w)| w.cta == warp.cta && w.warp != warp.warp && awaited(w));
    let signalled = |w: &Warp| (phase.produced | phase.consumed) >> w.slot & 1 == 1;
    let missing = missing.filter_map(|(index, w)| {
        let (place, role, unclear) = match next_signal(w, id, sizes) {
            (Next::Arrives(place), role) if w.stopped.is_none() => (Some(place), role.map(Role::from_kind), false),
            (Next::Unclear, _) if w.stopped.is_none() => (None, None, true),
            _ => (None, None, false),
        };
        let of_warp = Missing { warp: w.warp, whereabouts: find_whereabouts((index, w), barriers), next: place, unclear };
        // A warp that has signalled in one role counts as missing in the other only if its program signals again.
        (of_warp.next.is_some() || !signalled(w)).then_some(GatewayMissing { warp: of_warp, role })
    });
    Some(GatewayWait {
        cta: warp.cta,
        warp: warp.warp,
        place: warp.last_place(),
        since: cta_record.warps.get(warp.warp)?.since(),
        id,
        phase: row.completed + 1,
        producers: phase.producers.into(),
        consumers: phase.consumers.into(),
        signals: row.signals.clone(),
        missing_producers,
        missing_consumers,
        missing: missing.collect(),
    })
}
