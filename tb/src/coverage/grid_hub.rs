// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `grid_hub`: the states that the host's requests and the multiprocessors' messages find, and the order in which
//! grids proceed. The model supplies the state of each grid.

use super::points::{points, CoverageError, Points, Reach, Term};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::grid::{GridHubKind, GridMessageKind};
use bcu_model::grid_hub::{GridHubIn, GridOpen, State};
use bcu_model::{Clocked, GridHub, Sizes};

impl Term for State {
    fn all() -> Vec<Self> {
        vec![State::Closed, State::Open, State::Flushing, State::Flushed]
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

impl Term for GridMessageKind {
    fn all() -> Vec<Self> {
        GridMessageKind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

points! {
    pub enum Point {
        /// The host requests to open a grid in a grid slot in this state.
        Open(state: State) = "open: {state}",
        /// The host requests to close a grid in a grid slot in this state.
        Close(state: State) = "close: {state}",
        /// Memory reports the flush of a grid in a grid slot in this state.
        Flushed(state: State) = "flushed: {state}",
        /// A grid is opened that names a grid slot in this state as a prerequisite.
        OpenPrerequisite(state: State) = "open: prerequisite {state}",
        /// A multiprocessor sends a message of this kind about a grid slot in this state.
        Message(kind: GridMessageKind, state: State) = "{kind}: {state}",
        /// The host requests to open a grid without CTAs.
        OpenNoCtas = "open: no CTAs",
        /// An early grid is opened, which may be launched when all CTAs of its prerequisites have executed launch_dependents.
        OpenEarly = "open: early",
        /// A grid without prerequisites is opened.
        OpenNoPrerequisites = "open: no prerequisites",
        /// A grid is opened that has several prerequisites that are open or flushing.
        OpenSeveralInFlight = "open: several prerequisites in flight",
        /// A grid is opened that names its own grid slot as a prerequisite.
        OpenDependsOnItself = "open: depends on itself",
        /// A grid is opened in the cycle in which the flush of one of its prerequisites is reported.
        OpenWithFlushed = "open: a prerequisite is flushed in this cycle",
        /// The host requests to open and to close a grid in the same grid slot in one cycle.
        OpenAndClose = "open and close of a grid in one cycle",
        /// A grid is opened in the cycle in which a message about the former grid of its grid slot is counted.
        OpenWithMessage = "open: a message of the grid counts in this cycle",
        /// The message of one multiprocessor is counted in a cycle.
        MessagesOfOne = "messages: of one",
        /// Messages of several multiprocessors are counted in one cycle.
        MessagesOfSeveral = "messages: of several multiprocessors",
        /// Several messages of one kind about one grid are counted in one cycle.
        MessagesOfOneGrid = "messages: several of one grid",
        /// Messages of both kinds about one grid are counted in one cycle.
        MessagesOfBothKinds = "messages: LaunchedDependents and Ended of one grid",
        /// Messages about several grids are counted in one cycle.
        MessagesOfSeveralGrids = "messages: of several grids",
        /// A message reduces a count of CTAs of a grid below 0.
        CountBelowZero = "counts: below 0",
        /// All CTAs of an open grid have executed launch_dependents or ended, and not all of them have ended.
        AllIssued = "all issued, not all ended",
        /// All CTAs of an open grid have ended before a prerequisite of the grid has completed.
        AllEndedBeforePrerequisites = "all ended, before its prerequisites",
        /// All CTAs of several open grids have ended in the same cycle.
        SeveralAllEnded = "all ended: several at once",
        /// The hub sends the message that a grid is open.
        SentOpened = "sent: Opened",
        /// The hub sends the message that the prerequisites of a grid have completed.
        SentReady = "sent: Ready",
        /// The hub chooses one message while messages about several grids are due.
        SentOneOfSeveral = "sent: one message while several grids have one due",
        /// The hub sends the message that a grid is open while a message that a grid is ready is due.
        SentOpenedBeforeReady = "sent: Opened while a Ready is due",
        /// The hub sends that an early grid is ready after all CTAs of this grid have executed launch_dependents or ended.
        SentReadyAfterIssue = "sent: Ready of an early grid whose CTAs have all issued",
        /// The hub offers a flush request, and the request is not taken in this cycle.
        FlushWaits = "flush: waits",
        /// The hub chooses one flush request while requests for several grids are due.
        FlushOneOfSeveral = "flush: one request while several grids have one due",
        /// Memory reports the flush of a grid for which the hub has not requested a flush yet.
        FlushedNotRequested = "flushed: not requested",
        /// The flush of a grid completes the prerequisites of one other grid.
        FlushedReleasesOne = "flushed: releases one grid",
        /// The flush of a grid completes the prerequisites of several other grids.
        FlushedReleasesSeveral = "flushed: releases several grids",
        /// The flush of a grid is reported, and a grid that depends on it has another prerequisite that has not completed.
        FlushedOthersMissing = "flushed: others are missing",
        /// An open grid has no prerequisites in flight.
        LaunchNoPrerequisites = "may be launched: no prerequisites",
        /// An early grid has prerequisites in flight, and all CTAs of these have executed launch_dependents or ended.
        LaunchEarly = "may be launched: early",
        /// An early grid has a prerequisite of which a CTA has neither executed launch_dependents nor ended.
        EarlyNotIssued = "early: a prerequisite has not issued",
        /// A grid slot is opened again while a grid that depended on its former grid is still open.
        SlotOpenedAgain = "slot: opened again while one that depended on it is open",
    }
}

pub fn reach(_: &Config, _: Point) -> Reach {
    Reach::Reachable
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
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

fn host(hub: &GridHub, inputs: &GridHubIn, dependents: &mut [u64], points: &mut Points<Point>) {
    let state = |grid: u8| hub.slots()[usize::from(grid)].state;
    if let Some(grid) = inputs.close {
        points.cover(Point::Close(state(grid)));
        points.cover_if(inputs.open.is_some_and(|open| open.grid == grid), Point::OpenAndClose);
    }
    let Some(open) = &inputs.open else { return };
    let GridOpen { grid, ctas, prerequisites, early } = *open;
    points.cover(Point::Open(state(grid)));
    points.cover_if(ctas == 0, Point::OpenNoCtas);
    if ctas == 0 || state(grid) != State::Closed {
        return;
    }
    points.cover_if(early, Point::OpenEarly);
    points.cover_if(prerequisites == 0, Point::OpenNoPrerequisites);
    points.cover_if(prerequisites >> grid & 1 == 1, Point::OpenDependsOnItself);
    grids(prerequisites).for_each(|of| points.cover(Point::OpenPrerequisite(hub.slots()[of].state)));
    let in_flight = hub.slots_where(|slot| [State::Open, State::Flushing].contains(&slot.state));
    points.cover_if((prerequisites & in_flight).count_ones() > 1, Point::OpenSeveralInFlight);
    let flushed = inputs.flushed.filter(|of| state(*of) == State::Flushing);
    points.cover_if(flushed.is_some_and(|of| prerequisites >> of & 1 == 1), Point::OpenWithFlushed);
    let counts = hub.arrived().iter().any(|message| message.grid == grid);
    points.cover_if(counts, Point::OpenWithMessage);
    let open_ones = hub.slots_where(|slot| slot.state == State::Open);
    let again = dependents[usize::from(grid)] & open_ones != 0;
    points.cover_if(again, Point::SlotOpenedAgain);
    dependents.iter_mut().for_each(|of| *of &= !(1 << grid));
    dependents[usize::from(grid)] = 0;
}

fn messages(hub: &GridHub, inputs: &GridHubIn, points: &mut Points<Point>) {
    for message in inputs.from.iter().flatten() {
        points.cover(Point::Message(message.kind, hub.slots()[usize::from(message.grid)].state));
    }
    let arrived = hub.arrived();
    points.cover_if(arrived.len() == 1, Point::MessagesOfOne);
    points.cover_if(arrived.len() > 1, Point::MessagesOfSeveral);
    let count_messages = |kind, grid: usize| arrived.iter().filter(|m| usize::from(m.grid) == grid && m.kind == kind).count();
    let both = |grid| [count_messages(GridMessageKind::LaunchedDependents, grid), count_messages(GridMessageKind::Ended, grid)];
    let counts: Vec<_> = (0..hub.slots().len()).map(both).collect();
    points.cover_if(counts.iter().any(|[issued, ended]| *issued > 1 || *ended > 1), Point::MessagesOfOneGrid);
    let same_grid = counts.iter().any(|[issued, ended]| *issued > 0 && *ended > 0);
    points.cover_if(same_grid, Point::MessagesOfBothKinds);
    points.cover_if(counts.iter().filter(|of| of.iter().any(|n| *n > 0)).count() > 1, Point::MessagesOfSeveralGrids);
    let below = hub
        .slots()
        .iter()
        .zip(&counts)
        .any(|(slot, [issued, ended])| slot.unissued < *issued as u32 || usize::from(slot.running) + issued < *ended);
    points.cover_if(below, Point::CountBelowZero);
}

fn progress(hub: &GridHub, inputs: &GridHubIn, points: &mut Points<Point>) {
    let out = hub.outputs();
    let is_ready = |slot: &bcu_model::grid_hub::Slot| {
        slot.state == State::Open && slot.opened_sent && !slot.ready_sent && slot.prerequisites == 0
    };
    let (opened, ready) = (hub.slots_where(|slot| slot.state == State::Open && !slot.opened_sent), hub.slots_where(is_ready));
    points.cover_if((opened | ready).count_ones() > 1, Point::SentOneOfSeveral);
    match hub.message() {
        Some((_, GridHubKind::Opened)) => {
            points.cover(Point::SentOpened);
            points.cover_if(ready != 0, Point::SentOpenedBeforeReady);
        }
        Some((grid, GridHubKind::Ready)) => {
            points.cover(Point::SentReady);
            let slot = &hub.slots()[grid];
            points.cover_if(slot.early && slot.all_issued, Point::SentReadyAfterIssue);
        }
        None => {}
    }
    let mut ended = 0;
    for slot in hub.slots() {
        if slot.state != State::Open {
            continue;
        }
        points.cover_if(slot.all_issued && !slot.all_ended, Point::AllIssued);
        if slot.all_ended {
            ended += 1;
            points.cover_if(slot.prerequisites != 0, Point::AllEndedBeforePrerequisites);
        }
        if slot.prerequisites == 0 {
            points.cover(Point::LaunchNoPrerequisites);
        } else if slot.early {
            let issued = grids(slot.prerequisites).all(|of| hub.slots()[of].all_issued);
            points.cover(if issued { Point::LaunchEarly } else { Point::EarlyNotIssued });
        }
    }
    points.cover_if(ended > 1, Point::SeveralAllEnded);
    points.cover_if(out.flush_valid && !inputs.flush_ready, Point::FlushWaits);
}

fn flushes(hub: &GridHub, inputs: &GridHubIn, dependents: &mut [u64], points: &mut Points<Point>) {
    let due = hub.slots_where(|slot| slot.state == State::Flushing && !slot.requested);
    points.cover_if(!hub.outputs().flush_valid && due.count_ones() > 1, Point::FlushOneOfSeveral);
    let Some(grid) = inputs.flushed else { return };
    let slot = &hub.slots()[usize::from(grid)];
    points.cover(Point::Flushed(slot.state));
    if slot.state != State::Flushing {
        return;
    }
    points.cover_if(!slot.requested, Point::FlushedNotRequested);
    let waits = hub.slots_where(|slot| slot.prerequisites >> grid & 1 == 1);
    let alone = hub.slots_where(|slot| slot.prerequisites == 1 << grid);
    dependents[usize::from(grid)] = waits;
    match alone.count_ones() {
        0 => {}
        1 => points.cover(Point::FlushedReleasesOne),
        _ => points.cover(Point::FlushedReleasesSeveral),
    }
    points.cover_if(waits & !alone != 0, Point::FlushedOthersMissing);
}
