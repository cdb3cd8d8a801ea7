// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `grid_hub`: the states that the host's requests and the multiprocessors' messages find, and the order in which grids
//! proceed. The model supplies the state of each grid.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::grid::{GridHubKind, GridMessageKind};
use bcu_model::grid_hub::{GridHubIn, GridOpen, State};
use bcu_model::{Clocked, GridHub, Sizes};

const STATES: [State; 4] = [State::Closed, State::Open, State::Flushing, State::Flushed];

pub fn list(_: &Config, points: &mut Points) {
    for state in STATES {
        points.list_all(&[&format!("open: {state:?}"), &format!("close: {state:?}"), &format!("flushed: {state:?}")]);
        points.list_all(&[
            &format!("open: prerequisite {state:?}"),
            &format!("LaunchedDependents: {state:?}"),
            &format!("Ended: {state:?}"),
        ]);
    }
    points.list_all(&["open: no CTAs", "open: early", "open: no prerequisites", "open: several prerequisites in flight"]);
    points.list_all(&["open: depends on itself", "open: a prerequisite is flushed in this cycle"]);
    points.list_all(&["open and close of a grid in one cycle", "open: a message of the grid counts in this cycle"]);
    points.list_all(&["messages: of one", "messages: of several multiprocessors", "messages: several of one grid"]);
    points.list_all(&["messages: LaunchedDependents and Ended of one grid", "messages: of several grids"]);
    points.list_all(&["counts: below 0", "all issued, not all ended"]);
    points.list_all(&["all ended, before its prerequisites", "all ended: several at once"]);
    points.list_all(&[
        "sent: Opened",
        "sent: Ready",
        "sent: one message while several grids have one due",
        "sent: Opened while a Ready is due",
    ]);
    points.list_all(&["sent: Ready and may have been launched before"]);
    points.list_all(&["flush: waits", "flush: one request while several grids have one due", "flushed: not requested"]);
    points.list_all(&["flushed: releases one grid", "flushed: releases several grids", "flushed: others are missing"]);
    points.list_all(&["may be launched: no prerequisites", "may be launched: early", "early: a prerequisite has not issued"]);
    points.list_all(&["slot: opened again while one that depended on it is open"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut hub = GridHub::new(sizes);
    // For each grid, the grids that depended on it when it was flushed.
    let mut dependents = vec![0; config.grid_slots];
    for cycle in 0..view.length() {
        let inputs = view.inputs::<GridHub>(&sizes, cycle);
        if inputs.reset {
            dependents.iter_mut().for_each(|of| *of = 0);
        } else {
            host(&hub, &inputs, &mut dependents, points);
            messages(&hub, &inputs, points);
            progress(&hub, &inputs, points);
            flushes(&hub, &inputs, &mut dependents, points);
        }
        hub.clock(&inputs);
    }
    Ok(())
}

/// The grids whose bit is set.
fn grids(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |grid| mask >> grid & 1 == 1)
}

fn host(hub: &GridHub, inputs: &GridHubIn, dependents: &mut [u64], points: &mut Points) {
    let state = |grid: u8| hub.slots()[usize::from(grid)].state;
    if let Some(grid) = inputs.close {
        points.cover(&format!("close: {:?}", state(grid)));
        points.cover_if(inputs.open.is_some_and(|open| open.grid == grid), "open and close of a grid in one cycle");
    }
    let Some(open) = &inputs.open else { return };
    let GridOpen { grid, ctas, prerequisites, early } = *open;
    points.cover(&format!("open: {:?}", state(grid)));
    points.cover_if(ctas == 0, "open: no CTAs");
    if ctas == 0 || state(grid) != State::Closed {
        return;
    }
    points.cover_if(early, "open: early");
    points.cover_if(prerequisites == 0, "open: no prerequisites");
    points.cover_if(prerequisites >> grid & 1 == 1, "open: depends on itself");
    grids(prerequisites).for_each(|of| points.cover(&format!("open: prerequisite {:?}", hub.slots()[of].state)));
    let in_flight = hub.slots_where(|slot| [State::Open, State::Flushing].contains(&slot.state));
    points.cover_if((prerequisites & in_flight).count_ones() > 1, "open: several prerequisites in flight");
    let flushed = inputs.flushed.filter(|of| state(*of) == State::Flushing);
    points.cover_if(flushed.is_some_and(|of| prerequisites >> of & 1 == 1), "open: a prerequisite is flushed in this cycle");
    let counts = hub.arrived().iter().any(|message| message.grid == grid);
    points.cover_if(counts, "open: a message of the grid counts in this cycle");
    let open_ones = hub.slots_where(|slot| slot.state == State::Open);
    let again = dependents[usize::from(grid)] & open_ones != 0;
    points.cover_if(again, "slot: opened again while one that depended on it is open");
    dependents.iter_mut().for_each(|of| *of &= !(1 << grid));
    dependents[usize::from(grid)] = 0;
}

fn messages(hub: &GridHub, inputs: &GridHubIn, points: &mut Points) {
    for message in inputs.from.iter().flatten() {
        points.cover(&format!("{:?}: {:?}", message.kind, hub.slots()[usize::from(message.grid)].state));
    }
    let arrived = hub.arrived();
    points.cover_if(arrived.len() == 1, "messages: of one");
    points.cover_if(arrived.len() > 1, "messages: of several multiprocessors");
    let count_messages = |kind, grid: usize| arrived.iter().filter(|m| usize::from(m.grid) == grid && m.kind == kind).count();
    let both = |grid| [count_messages(GridMessageKind::LaunchedDependents, grid), count_messages(GridMessageKind::Ended, grid)];
    let counts: Vec<_> = (0..hub.slots().len()).map(both).collect();
    points.cover_if(counts.iter().any(|[issued, ended]| *issued > 1 || *ended > 1), "messages: several of one grid");
    let same_grid = counts.iter().any(|[issued, ended]| *issued > 0 && *ended > 0);
    points.cover_if(same_grid, "messages: LaunchedDependents and Ended of one grid");
    points.cover_if(counts.iter().filter(|of| of.iter().any(|n| *n > 0)).count() > 1, "messages: of several grids");
    let below = hub
        .slots()
        .iter()
        .zip(&counts)
        .any(|(slot, [issued, ended])| slot.unissued < *issued as u32 || usize::from(slot.running) + issued < *ended);
    points.cover_if(below, "counts: below 0");
}

fn progress(hub: &GridHub, inputs: &GridHubIn, points: &mut Points) {
    let out = hub.outputs();
    let is_ready = |slot: &bcu_model::grid_hub::Slot| {
        slot.state == State::Open && slot.opened_sent && !slot.ready_sent && slot.prerequisites == 0
    };
    let (opened, ready) = (hub.slots_where(|slot| slot.state == State::Open && !slot.opened_sent), hub.slots_where(is_ready));
    points.cover_if((opened | ready).count_ones() > 1, "sent: one message while several grids have one due");
    match hub.message() {
        Some((_, GridHubKind::Opened)) => {
            points.cover("sent: Opened");
            points.cover_if(ready != 0, "sent: Opened while a Ready is due");
        }
        Some((grid, GridHubKind::Ready)) => {
            points.cover("sent: Ready");
            let slot = &hub.slots()[grid];
            points.cover_if(slot.early && slot.all_issued, "sent: Ready and may have been launched before");
        }
        None => {}
    }
    let mut ended = 0;
    for slot in hub.slots() {
        if slot.state != State::Open {
            continue;
        }
        points.cover_if(slot.all_issued && !slot.all_ended, "all issued, not all ended");
        if slot.all_ended {
            ended += 1;
            points.cover_if(slot.prerequisites != 0, "all ended, before its prerequisites");
        }
        if slot.prerequisites == 0 {
            points.cover("may be launched: no prerequisites");
        } else if slot.early {
            let issued = grids(slot.prerequisites).all(|of| hub.slots()[of].all_issued);
            points.cover(if issued { "may be launched: early" } else { "early: a prerequisite has not issued" });
        }
    }
    points.cover_if(ended > 1, "all ended: several at once");
    points.cover_if(out.flush_valid && !inputs.flush_ready, "flush: waits");
}

fn flushes(hub: &GridHub, inputs: &GridHubIn, dependents: &mut [u64], points: &mut Points) {
    let due = hub.slots_where(|slot| slot.state == State::Flushing && !slot.requested);
    points.cover_if(!hub.outputs().flush_valid && due.count_ones() > 1, "flush: one request while several grids have one due");
    let Some(grid) = inputs.flushed else { return };
    let slot = &hub.slots()[usize::from(grid)];
    points.cover(&format!("flushed: {:?}", slot.state));
    if slot.state != State::Flushing {
        return;
    }
    points.cover_if(!slot.requested, "flushed: not requested");
    let waits = hub.slots_where(|slot| slot.prerequisites >> grid & 1 == 1);
    let alone = hub.slots_where(|slot| slot.prerequisites == 1 << grid);
    dependents[usize::from(grid)] = waits;
    match alone.count_ones() {
        0 => {}
        1 => points.cover("flushed: releases one grid"),
        _ => points.cover("flushed: releases several grids"),
    }
    points.cover_if(waits & !alone != 0, "flushed: others are missing");
}
