// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The grids in the report of a run of several grids: the cycles of each, and the warps that wait for earlier grids.

use super::report::{GridBefore, GridTotal, GridWait};
use super::sm::Sm;
use super::uncore::Uncore;

/// The grids of a run in order; empty for a run of one grid.
pub(super) fn grids(sms: &[Sm], uncore: &Uncore) -> Vec<GridTotal> {
    let grids = uncore.blocks.grids();
    let total = |(grid, ctas): (usize, &[usize])| {
        let [began, ended] = uncore.grids.cycles(grid)?;
        let first = uncore.blocks.program(*ctas.first()?)?;
        let waited = sms.iter().flat_map(|sm| &sm.warps).any(|warp| warp.grid == grid && warp.awaited);
        let overlaps = first.grid.programmatic && uncore.memory.overlaps(grid);
        let (kernel, first_cta) = (first.name.clone(), *ctas.first()?);
        Some(GridTotal { grid, kernel, first_cta, ctas: ctas.len(), overlaps, waited, began, ended })
    };
    grids.iter().map(Vec::as_slice).enumerate().filter_map(total).collect()
}

/// All warps that wait for grids before their own grid.
pub(super) fn at_grids(sms: &[Sm], uncore: &Uncore) -> Vec<GridWait> {
    let ctas = uncore.blocks.grids();
    let before = |grid: usize| GridBefore {
        grid,
        ctas: ctas[grid].iter().copied().filter(|cta| !uncore.exited_ctas.contains(cta)).collect(),
    };
    let warps = sms.iter().flat_map(|sm| &sm.warps).filter(|warp| warp.exited.is_none());
    let mut grid_waits: Vec<GridWait> = warps
        .filter_map(|warp| {
            Some(GridWait {
                cta: warp.cta,
                warp: warp.warp,
                grid: warp.grid,
                place: warp.last_place(),
                since: warp.at_grid?,
                before: uncore.grids.before(warp.grid).into_iter().map(before).collect(),
            })
        })
        .collect();
    grid_waits.sort_by_key(|wait| (wait.cta, wait.warp));
    grid_waits
}
