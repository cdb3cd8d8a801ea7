// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warnings for grids that may start before the previous grids have ended, and in which no warp waits for the previous grids.

use super::codes::GRID_NOT_AWAITED;
use super::finding::{At, Case, Finding};
use crate::report::GridTotal;
use bcu_program::launch::kernel_title;

pub fn find(case: &Case) -> Vec<Finding> {
    // A grid that has not ended may still wait, so it is not reported.
    let never = |grid: &&GridTotal| grid.overlaps && !grid.waited && grid.ended.is_some();
    case.report.grids.iter().filter(never).map(|grid| describe_grid(case, grid)).collect()
}

fn describe_grid(case: &Case, grid: &GridTotal) -> Finding {
    let program = case.plans.get(grid.first_cta).and_then(|plan| plan.programs.first());
    let first = program.and_then(|program| program.function()?.instrs.first());
    let file = case.file(grid.first_cta, 0);
    let at = first.map(|instr| At::of(file, instr));
    let message = format!(
        "`{0}` (grid {1}) may begin before the previous grid has ended: no warp of `{0}` waits for that grid, and none uses data of that grid",
        kernel_title(&grid.kernel),
        grid.grid
    );
    Finding::new(&GRID_NOT_AWAITED, at, message)
}
