// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `grid`: the states that an operation and a message find, and what happens to a CTA. The model supplies the states.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::grid::{GridHubKind, GridIn, GridKind, GridMessageKind};
use bcu_model::op::Code;
use bcu_model::{Clocked, Grid, Sizes};

const ONE_SLOT: &str = "the configuration has one CTA slot";

pub fn list(config: &Config, points: &mut Points) {
    points.list_all(&["launch: of a grid", "launch: of no grid", "launch: the slot is not freed"]);
    points
        .list_all(&["launch: a message of the slot is taken in this cycle", "launch: an operation of the slot in this cycle"]);
    ["launch", "launch_dependents", "wait"]
        .iter()
        .for_each(|what| points.list_astray(config, format!("slot that is not built: {what}")));
    points.list_all(&[
        "launch_dependents: the first",
        "launch_dependents: its LaunchedDependents is due",
        "launch_dependents: its LaunchedDependents has left",
    ]);
    points.list_all(&["launch_dependents: of no grid", "wait: of no grid", "wait: the grid is ready", "wait: for the grid"]);
    points.list_all(&["wait: Ready of the grid in this cycle", "wait: Opened of the ready grid in this cycle"]);
    points.list_all(&[
        "wait: the warp waits already",
        "wait: the warp is not live",
        "wait: released together with other warps",
    ]);
    points.list_all(&["refused: not_resident", "refused: another fault", "refused: after a fault that waits", "fault: waits"]);
    points.list_all(&["Ready: no warp waits", "Ready: one waits", "Ready: several wait", "Ready: another grid is waited for"]);
    points.list_all(&["Ready: again", "Opened: the grid was ready", "Opened: its warps wait", "Opened: another grid is ready"]);
    points.list_all(&["waits: is no longer live", "waits: is no longer live when Ready comes"]);
    points.list_all(&[
        "LaunchedDependents: by launch_dependents",
        "LaunchedDependents: by the end alone",
        "Ended",
        "message: waits",
        "message: no longer meant",
    ]);
    let several = (config.cta_slots == 1).then_some(ONE_SLOT);
    for what in ["message: of several CTAs one", "message: not of the lowest slot", "Ended: another CTA of the grid is there"] {
        points.list(what, several);
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut grid = Grid::new(sizes);
    for cycle in 0..view.length() {
        let inputs = view.inputs::<Grid>(&sizes, cycle);
        if !inputs.reset {
            operation(&grid, &inputs, config, points);
            message(&grid, &inputs, points);
            ctas(&grid, &inputs, config, points);
        }
        grid.clock(&inputs);
    }
    Ok(())
}

fn operation(grid: &Grid, inputs: &GridIn, config: &Config, points: &mut Points) {
    let out = grid.outputs();
    points.cover_if(out.fault_valid && !inputs.fault_ready, "fault: waits");
    points.cover_if(!out.op_ready, "refused: after a fault that waits");
    let (message, Some(op)) = grid.effects() else { return };
    match op.fault {
        Code::None => {}
        Code::NotResident => return points.cover("refused: not_resident"),
        _ => return points.cover("refused: another fault"),
    }
    let built = usize::from(op.cta) < config.cta_slots;
    let launched = inputs.launch.is_some_and(|launch| launch.cta == op.cta);
    points.cover_if(built && launched, "launch: an operation of the slot in this cycle");
    let (member, (is_requested, issued)) = (grid.member(op.cta), grid.issue_state(op.cta));
    if op.kind == GridKind::LaunchDependents {
        points.cover(match (built, member) {
            (false, _) => "slot that is not built: launch_dependents",
            (true, None) => "launch_dependents: of no grid",
            _ if issued => "launch_dependents: its LaunchedDependents has left",
            _ if is_requested => "launch_dependents: its LaunchedDependents is due",
            _ => "launch_dependents: the first",
        });
        return;
    }
    points.cover_if(!built, "slot that is not built: wait");
    points.cover_if(grid.waits(op.warp).is_some(), "wait: the warp waits already");
    points.cover_if(inputs.live >> op.warp & 1 == 0, "wait: the warp is not live");
    let of_grid = |kind| message.is_some_and(|message| message.kind == kind && Some(message.grid) == member);
    let ready = member.is_some_and(|grid_of| grid.ready() >> grid_of & 1 == 1);
    match member {
        None => points.cover_if(built, "wait: of no grid"),
        Some(_) if of_grid(GridHubKind::Ready) => {
            points.cover("wait: Ready of the grid in this cycle");
            let others = (0..64).any(|warp| grid.waits(warp) == member && inputs.live >> warp & 1 == 1);
            points.cover_if(others, "wait: released together with other warps");
        }
        Some(_) if ready && of_grid(GridHubKind::Opened) => points.cover("wait: Opened of the ready grid in this cycle"),
        Some(_) => points.cover(if ready { "wait: the grid is ready" } else { "wait: for the grid" }),
    }
}

fn message(grid: &Grid, inputs: &GridIn, points: &mut Points) {
    let warps = grid.outputs().waiting;
    points.cover_if(warps & !inputs.live != 0, "waits: is no longer live");
    let (Some(message), _) = grid.effects() else { return };
    let waits = (0..64).filter(|warp| grid.waits(*warp) == Some(message.grid)).fold(0, |mask: u64, warp| mask | 1 << warp);
    let ready = grid.ready() >> message.grid & 1 == 1;
    match message.kind {
        GridHubKind::Ready => {
            points
                .cover(["Ready: no warp waits", "Ready: one waits", "Ready: several wait"][waits.count_ones().min(2) as usize]);
            points.cover_if(warps & !waits != 0, "Ready: another grid is waited for");
            points.cover_if(ready, "Ready: again");
            points.cover_if(waits & !inputs.live != 0, "waits: is no longer live when Ready comes");
        }
        GridHubKind::Opened => {
            points.cover_if(ready, "Opened: the grid was ready");
            points.cover_if(waits != 0, "Opened: its warps wait");
            points.cover_if(grid.ready() & !(1 << message.grid) != 0, "Opened: another grid is ready");
        }
    }
}

fn ctas(grid: &Grid, inputs: &GridIn, config: &Config, points: &mut Points) {
    let out = grid.outputs();
    let transferred = out.grid_out_valid && inputs.grid_out_ready;
    points.cover_if(out.grid_out_valid && !inputs.grid_out_ready, "message: waits");
    let due = grid.due(inputs.ended);
    if let Some(last) = grid.last().filter(|_| out.grid_out_valid) {
        points.cover_if(due >> last & 1 == 0, "message: no longer meant");
        if transferred {
            let ended = inputs.ended >> last & 1 == 1;
            let is_requested = grid.issue_state(last as u8).0;
            match out.grid_out.kind {
                GridMessageKind::LaunchedDependents if is_requested => points.cover("LaunchedDependents: by launch_dependents"),
                GridMessageKind::LaunchedDependents => points.cover_if(ended, "LaunchedDependents: by the end alone"),
                GridMessageKind::Ended => {
                    points.cover("Ended");
                    let others = (0..config.cta_slots).filter(|slot| *slot != last);
                    let same = others.map(|slot| grid.member(slot as u8)).any(|of| of == Some(out.grid_out.grid));
                    points.cover_if(same, "Ended: another CTA of the grid is there");
                }
            }
        }
        let launched = inputs.launch.is_some_and(|launch| usize::from(launch.cta) == last);
        points.cover_if(transferred && launched, "launch: a message of the slot is taken in this cycle");
    } else if due != 0 {
        points.cover_if(due.count_ones() > 1, "message: of several CTAs one");
        let skips_lowest = |last: usize| due >> last >> 1 != 0 && due & ((2 << last) - 1) != 0;
        points.cover_if(grid.last().is_some_and(skips_lowest), "message: not of the lowest slot");
    }
    let Some(launch) = inputs.launch else { return };
    if usize::from(launch.cta) >= config.cta_slots {
        return points.cover("slot that is not built: launch");
    }
    points.cover(if launch.has_grid { "launch: of a grid" } else { "launch: of no grid" });
    points.cover_if(grid.member(launch.cta).is_some(), "launch: the slot is not freed");
}
