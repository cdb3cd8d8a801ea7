// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that wait at the barrier of a cooperative grid when a run ends: they poll the word of its workspace. With the CTAs that have
//! arrived there, and those that have not.

use super::hang::{find_whereabouts, Barriers};
use super::lookahead::{next_store, Next};
use super::memory::{Bank, Memory};
use super::reference::Reference;
use super::report::{GridBarrierArrival, GridBarrierMissing, GridBarrierWait, Missing};
use super::sm::Sm;
use super::warp::Warp;
use bcu_program::window::GRID_BARRIER;
use std::collections::BTreeMap;

/// All warps that wait at the barriers of their grids.
pub(super) fn at_grid_barriers(sms: &[Sm], memory: &Memory, reference: &Reference) -> Vec<GridBarrierWait> {
    let mut of_grids: BTreeMap<usize, GridBarrierWait> = BTreeMap::new();
    let mut waits = vec![];
    for (sm, warp) in sms.iter().flat_map(|sm| sm.warps.iter().map(move |warp| (sm, warp))) {
        let Some(at) = warp.polled_grid_barrier().filter(|_| sm.spins(warp)) else { continue };
        let Some(barrier) = memory.grid_barriers.get(warp.grid) else { continue };
        let of_grid = of_grids.entry(warp.grid).or_insert_with(|| {
            let find = |cta: usize, number: usize| {
                sms.iter().flat_map(|sm| &sm.warps).find(|warp| (warp.cta, warp.warp) == (cta, number))
            };
            let arrived: Vec<GridBarrierArrival> = barrier
                .arrivals
                .iter()
                .filter_map(|arrival| {
                    let (cta, warp) = (arrival.cta, arrival.warp);
                    Some(GridBarrierArrival { cta, warp, cycle: arrival.cycle, place: find(cta, warp)?.place_of(arrival.at) })
                })
                .collect();
            let (cta, number, place) = (warp.cta, warp.warp, warp.place_of(at));
            let (grid, generation) = (warp.grid, barrier.completed + 1);
            let (expected, missing) = missing(sms, grid, &arrived, reference);
            GridBarrierWait { cta, warp: number, grid, place, generation, expected, arrived, missing }
        });
        waits.push(GridBarrierWait { cta: warp.cta, warp: warp.warp, place: warp.place_of(at), ..of_grid.clone() });
    }
    waits.sort_by_key(|wait| (wait.cta, wait.warp));
    waits
}

/// The number of CTAs of a grid, and the warps of those that have not arrived at its barrier.
fn missing(sms: &[Sm], grid: usize, arrived: &[GridBarrierArrival], reference: &Reference) -> (usize, Vec<GridBarrierMissing>) {
    let mut by_cta: BTreeMap<usize, Vec<(&Sm, usize, &Warp)>> = BTreeMap::new();
    for sm in sms {
        for (index, warp) in sm.warps.iter().enumerate().filter(|(_, warp)| warp.grid == grid) {
            by_cta.entry(warp.cta).or_default().push((sm, index, warp));
        }
    }
    let expected = by_cta.len();
    let address = super::cooperative::workspace(grid) + GRID_BARRIER.0;
    let mut missing = vec![];
    for (cta, mut warps) in by_cta {
        if arrived.iter().any(|arrival| arrival.cta == cta) {
            continue;
        }
        warps.sort_by_key(|(.., warp)| warp.warp);
        let live = warps.iter().filter(|(.., warp)| warp.exited.is_none()).copied();
        let last = warps.iter().max_by_key(|(.., warp)| warp.exited).copied();
        let shown: Vec<_> = live.collect();
        let shown = if shown.is_empty() { last.into_iter().collect() } else { shown };
        for (sm, index, warp) in shown {
            let foreseen = (warp.exited.is_none() && warp.stopped.is_none()).then(|| next_store(warp, Bank::Global, address));
            let (next, unclear) = match foreseen {
                Some(Next::Arrives(place)) => (Some(place), false),
                Some(Next::Unclear) => (None, true),
                Some(Next::Never) | None => (None, false),
            };
            let barriers = Barriers { unit: reference.unit(sm.number), record: &sm.record };
            let whereabouts = find_whereabouts((index, warp), barriers);
            missing.push(GridBarrierMissing { cta, warp: Missing { warp: warp.warp, whereabouts, next, unclear } });
        }
    }
    (expected, missing)
}
