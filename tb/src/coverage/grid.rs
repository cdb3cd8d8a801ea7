// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `grid`: the states that an operation and a message find, and the fate of a CTA. The model supplies these states.

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
    points.list_all(&["wait: the warp waits already", "wait: the warp is not live", "wait is released with others"]);
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
    points.hit_if(out.fault_valid && !inputs.fault_ready, "fault: waits");
    points.hit_if(!out.op_ready, "refused: after a fault that waits");
    let (message, Some(op)) = grid.effects() else { return };
    match op.fault {
        Code::None => {}
        Code::NotResident => return points.hit("refused: not_resident"),
        _ => return points.hit("refused: another fault"),
    }
    let built = usize::from(op.cta) < config.cta_slots;
    let launched = inputs.launch.is_some_and(|launch| launch.cta == op.cta);
    points.hit_if(built && launched, "launch: an operation of the slot in this cycle");
    let (member, (asked, issued)) = (grid.member(op.cta), grid.said(op.cta));
    if op.kind == GridKind::LaunchDependents {
        points.hit(match (built, member) {
            (false, _) => "slot that is not built: launch_dependents",
            (true, None) => "launch_dependents: of no grid",
            _ if issued => "launch_dependents: its LaunchedDependents has left",
            _ if asked => "launch_dependents: its LaunchedDependents is due",
            _ => "launch_dependents: the first",
        });
        return;
    }
    points.hit_if(!built, "slot that is not built: wait");
    points.hit_if(grid.waits(op.warp).is_some(), "wait: the warp waits already");
    points.hit_if(inputs.live >> op.warp & 1 == 0, "wait: the warp is not live");
    let of_grid = |kind| message.is_some_and(|message| message.kind == kind && Some(message.grid) == member);
    let ready = member.is_some_and(|grid_of| grid.ready() >> grid_of & 1 == 1);
    match member {
        None => points.hit_if(built, "wait: of no grid"),
        Some(_) if of_grid(GridHubKind::Ready) => {
            points.hit("wait: Ready of the grid in this cycle");
            let others = (0..64).any(|warp| grid.waits(warp) == member && inputs.live >> warp & 1 == 1);
            points.hit_if(others, "wait is released with others");
        }
        Some(_) if ready && of_grid(GridHubKind::Opened) => points.hit("wait: Opened of the ready grid in this cycle"),
        Some(_) => points.hit(if ready { "wait: the grid is ready" } else { "wait: for the grid" }),
    }
}

fn message(grid: &Grid, inputs: &GridIn, points: &mut Points) {
    let warps = grid.outputs().waiting;
    points.hit_if(warps & !inputs.live != 0, "waits: is no longer live");
    let (Some(message), _) = grid.effects() else { return };
    let waits = (0..64).filter(|warp| grid.waits(*warp) == Some(message.grid)).fold(0, |all: u64, warp| all | 1 << warp);
    let ready = grid.ready() >> message.grid & 1 == 1;
    match message.kind {
        GridHubKind::Ready => {
            points.hit(["Ready: no warp waits", "Ready: one waits", "Ready: several wait"][waits.count_ones().min(2) as usize]);
            points.hit_if(warps & !waits != 0, "Ready: another grid is waited for");
            points.hit_if(ready, "Ready: again");
            points.hit_if(waits & !inputs.live != 0, "waits: is no longer live when Ready comes");
        }
        GridHubKind::Opened => {
            points.hit_if(ready, "Opened: the grid was ready");
            points.hit_if(waits != 0, "Opened: its warps wait");
            points.hit_if(grid.ready() & !(1 << message.grid) != 0, "Opened: another grid is ready");
        }
    }
}

fn ctas(grid: &Grid, inputs: &GridIn, config: &Config, points: &mut Points) {
    let out = grid.outputs();
    let taken = out.grid_out_valid && inputs.grid_out_ready;
    points.hit_if(out.grid_out_valid && !inputs.grid_out_ready, "message: waits");
    let due = grid.due(inputs.ended);
    if let Some(last) = grid.last().filter(|_| out.grid_out_valid) {
        points.hit_if(due >> last & 1 == 0, "message: no longer meant");
        if taken {
            let ended = inputs.ended >> last & 1 == 1;
            let asked = grid.said(last as u8).0;
            match out.grid_out.kind {
                GridMessageKind::LaunchedDependents if asked => points.hit("LaunchedDependents: by launch_dependents"),
                GridMessageKind::LaunchedDependents => points.hit_if(ended, "LaunchedDependents: by the end alone"),
                GridMessageKind::Ended => {
                    points.hit("Ended");
                    let others = (0..config.cta_slots).filter(|slot| *slot != last);
                    let same = others.map(|slot| grid.member(slot as u8)).any(|of| of == Some(out.grid_out.grid));
                    points.hit_if(same, "Ended: another CTA of the grid is there");
                }
            }
        }
        let launched = inputs.launch.is_some_and(|launch| usize::from(launch.cta) == last);
        points.hit_if(taken && launched, "launch: a message of the slot is taken in this cycle");
    } else if due != 0 {
        points.hit_if(due.count_ones() > 1, "message: of several CTAs one");
        let behind = |last: usize| due >> last >> 1 != 0 && due & ((2 << last) - 1) != 0;
        points.hit_if(grid.last().is_some_and(behind), "message: not of the lowest slot");
    }
    let Some(launch) = inputs.launch else { return };
    if usize::from(launch.cta) >= config.cta_slots {
        return points.hit("slot that is not built: launch");
    }
    points.hit(if launch.has_grid { "launch: of a grid" } else { "launch: of no grid" });
    points.hit_if(grid.member(launch.cta).is_some(), "launch: the slot is not freed");
}
