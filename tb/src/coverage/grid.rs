// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `grid`: the states that an operation and a message find, and what happens to a CTA. The model supplies the states.

use super::points::{points, term, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::grid::{GridHubKind, GridIn, GridKind, GridMessageKind};
use bcu_model::op::Code;
use bcu_model::{Clocked, Grid, Sizes};

const ONE_SLOT: &str = "the configuration has one CTA slot";

term! {
    pub enum Request {
        Launch = "launch",
        LaunchDependents = "launch_dependents",
        Wait = "wait",
    }
}

points! {
    pub enum Point {
        /// A CTA of a grid is launched.
        LaunchOfGrid = "launch: of a grid",
        /// A CTA that belongs to no grid is launched.
        LaunchOfNoGrid = "launch: of no grid",
        /// A CTA is launched into a CTA slot whose former CTA still has a message to the hub to send.
        LaunchIntoUsedSlot = "launch: the slot is not freed",
        /// A CTA is launched into a CTA slot in the cycle in which a message about the former CTA of the slot is transferred.
        LaunchWithMessage = "launch: a message of the slot is taken in this cycle",
        /// A CTA is launched into a CTA slot in the cycle in which an operation of the slot takes effect.
        LaunchWithOperation = "launch: an operation of the slot in this cycle",
        /// A launch or an operation names a CTA slot number that is not built.
        UnbuiltSlot(request: Request) = "slot that is not built: {request}",
        /// A CTA of a grid executes launch_dependents for the first time.
        FirstLaunchDependents = "launch_dependents: the first",
        /// A CTA executes launch_dependents again before its message LaunchedDependents has been transferred to the hub.
        LaunchDependentsWhileDue = "launch_dependents: its LaunchedDependents is due",
        /// A CTA executes launch_dependents after its message LaunchedDependents has been transferred to the hub.
        LaunchDependentsAfterMessage = "launch_dependents: its LaunchedDependents has left",
        /// A CTA that belongs to no grid executes launch_dependents.
        LaunchDependentsOfNoGrid = "launch_dependents: of no grid",
        /// A warp of a CTA that belongs to no grid executes a wait for prerequisite grids.
        WaitOfNoGrid = "wait: of no grid",
        /// A warp executes a wait after the prerequisites of its grid have completed, and resumes at once.
        WaitWhenReady = "wait: the grid is ready",
        /// A warp executes a wait before the prerequisites of its grid have completed, and begins to wait.
        WaitBegins = "wait: for the grid",
        /// A wait takes effect in the cycle of the hub's message Ready: the prerequisites of the warp's grid have completed.
        WaitWithReady = "wait: Ready of the grid in this cycle",
        /// A wait takes effect in the cycle in which the hub's message Opened reports that the warp's grid, which was ready, is
        /// opened again.
        WaitWithOpened = "wait: Opened of the ready grid in this cycle",
        /// A warp that already waits for a grid executes a wait.
        WaitOfWaitingWarp = "wait: the warp waits already",
        /// A wait takes effect after its warp has exited or its CTA has been retired.
        WaitOfDeadWarp = "wait: the warp is not live",
        /// The hub's message Ready releases waiting warps and, in the same cycle, a warp whose wait takes effect.
        WaitReleasedWithOthers = "wait: released together with other warps",
        /// An operation of a warp that is not resident is refused.
        RefusedNotResident = "refused: not_resident",
        /// An operation is refused for a fault that another unit has found, other than `not_resident`.
        RefusedOther = "refused: another fault",
        /// A refused operation waits because an earlier fault occupies the fault channel.
        RefusedAfterFault = "refused: after a fault that waits",
        /// The unit offers a fault, and the fault is not taken in this cycle.
        FaultWaits = "fault: waits",
        /// The prerequisites of a grid have completed, and no warp waits for that.
        ReadyForNoWarp = "Ready: no warp waits",
        /// The prerequisites of a grid have completed, and one warp waits for that.
        ReadyForOneWarp = "Ready: one waits",
        /// The prerequisites of a grid have completed, and several warps wait for that.
        ReadyForSeveralWarps = "Ready: several wait",
        /// The prerequisites of a grid have completed while a warp waits for those of another grid.
        ReadyWhileAnotherAwaited = "Ready: another grid is waited for",
        /// The hub reports a second time that the prerequisites of a grid have completed.
        ReadyAgain = "Ready: again",
        /// A grid is opened in a grid slot whose former grid was ready.
        OpenedWhenReady = "Opened: the grid was ready",
        /// A grid is opened in a grid slot while warps wait for the grid in this slot.
        OpenedWhileAwaited = "Opened: its warps wait",
        /// A grid is opened while another grid is ready.
        OpenedWhileAnotherReady = "Opened: another grid is ready",
        /// A warp that waits for the prerequisites of its grid is no longer live.
        WaitingWarpDead = "waits: is no longer live",
        /// A warp that waits for a grid is no longer live in the cycle in which the grid becomes ready.
        WaitingWarpDeadAtReady = "waits: is no longer live when Ready comes",
        /// The message LaunchedDependents is transferred for a CTA that has executed launch_dependents.
        LaunchedDependentsByOperation = "LaunchedDependents: by launch_dependents",
        /// The message LaunchedDependents is transferred for a CTA that has ended without launch_dependents.
        LaunchedDependentsByEnd = "LaunchedDependents: by the end alone",
        /// The message that a CTA has ended is transferred to the hub.
        Ended = "Ended",
        /// The unit offers a message to the hub, and the message is not taken in this cycle.
        MessageWaits = "message: waits",
        /// The unit offers a message about a CTA slot that has no message due any more.
        MessageOutdated = "message: no longer meant",
        /// The unit chooses a message while messages of several CTAs are due.
        MessageOfSeveral = "message: of several CTAs one",
        /// The round-robin turn skips the lowest CTA slot that has a message due.
        MessageNotOfLowest = "message: not of the lowest slot",
        /// The message that a CTA has ended is transferred while another CTA slot holds a CTA of the same grid.
        EndedBeforeAnother = "Ended: another CTA of the grid is there",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::UnbuiltSlot(_) => Reach::of_unbuilt_slot(config),
        Point::MessageOfSeveral | Point::MessageNotOfLowest | Point::EndedBeforeAnother => {
            Reach::unless((config.cta_slots == 1).then_some(ONE_SLOT))
        }
        _ => Reach::Reachable,
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
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

fn operation(grid: &Grid, inputs: &GridIn, config: &Config, points: &mut Points<Point>) {
    let out = grid.outputs();
    points.cover_if(out.fault_valid && !inputs.fault_ready, Point::FaultWaits);
    points.cover_if(!out.op_ready, Point::RefusedAfterFault);
    let (message, Some(op)) = grid.effects() else { return };
    match op.fault {
        Code::None => {}
        Code::NotResident => return points.cover(Point::RefusedNotResident),
        _ => return points.cover(Point::RefusedOther),
    }
    let built = usize::from(op.cta) < config.cta_slots;
    let launched = inputs.launch.is_some_and(|launch| launch.cta == op.cta);
    points.cover_if(built && launched, Point::LaunchWithOperation);
    let (member, (is_requested, issued)) = (grid.member(op.cta), grid.issue_state(op.cta));
    if op.kind == GridKind::LaunchDependents {
        points.cover(match (built, member) {
            (false, _) => Point::UnbuiltSlot(Request::LaunchDependents),
            (true, None) => Point::LaunchDependentsOfNoGrid,
            _ if issued => Point::LaunchDependentsAfterMessage,
            _ if is_requested => Point::LaunchDependentsWhileDue,
            _ => Point::FirstLaunchDependents,
        });
        return;
    }
    points.cover_if(!built, Point::UnbuiltSlot(Request::Wait));
    points.cover_if(grid.waits(op.warp).is_some(), Point::WaitOfWaitingWarp);
    points.cover_if(inputs.live >> op.warp & 1 == 0, Point::WaitOfDeadWarp);
    let of_grid = |kind| message.is_some_and(|message| message.kind == kind && Some(message.grid) == member);
    let ready = member.is_some_and(|grid_of| grid.ready() >> grid_of & 1 == 1);
    match member {
        None => points.cover_if(built, Point::WaitOfNoGrid),
        Some(_) if of_grid(GridHubKind::Ready) => {
            points.cover(Point::WaitWithReady);
            let others = (0..64).any(|warp| grid.waits(warp) == member && inputs.live >> warp & 1 == 1);
            points.cover_if(others, Point::WaitReleasedWithOthers);
        }
        Some(_) if ready && of_grid(GridHubKind::Opened) => points.cover(Point::WaitWithOpened),
        Some(_) => points.cover(if ready { Point::WaitWhenReady } else { Point::WaitBegins }),
    }
}

fn message(grid: &Grid, inputs: &GridIn, points: &mut Points<Point>) {
    let warps = grid.outputs().waiting;
    points.cover_if(warps & !inputs.live != 0, Point::WaitingWarpDead);
    let (Some(message), _) = grid.effects() else { return };
    let waits = (0..64).filter(|warp| grid.waits(*warp) == Some(message.grid)).fold(0, |mask: u64, warp| mask | 1 << warp);
    let ready = grid.ready() >> message.grid & 1 == 1;
    match message.kind {
        GridHubKind::Ready => {
            points.cover(match waits.count_ones() {
                0 => Point::ReadyForNoWarp,
                1 => Point::ReadyForOneWarp,
                _ => Point::ReadyForSeveralWarps,
            });
            points.cover_if(warps & !waits != 0, Point::ReadyWhileAnotherAwaited);
            points.cover_if(ready, Point::ReadyAgain);
            points.cover_if(waits & !inputs.live != 0, Point::WaitingWarpDeadAtReady);
        }
        GridHubKind::Opened => {
            points.cover_if(ready, Point::OpenedWhenReady);
            points.cover_if(waits != 0, Point::OpenedWhileAwaited);
            points.cover_if(grid.ready() & !(1 << message.grid) != 0, Point::OpenedWhileAnotherReady);
        }
    }
}

fn ctas(grid: &Grid, inputs: &GridIn, config: &Config, points: &mut Points<Point>) {
    let out = grid.outputs();
    let transferred = out.grid_out_valid && inputs.grid_out_ready;
    points.cover_if(out.grid_out_valid && !inputs.grid_out_ready, Point::MessageWaits);
    let due = grid.due(inputs.ended);
    if let Some(last) = grid.last().filter(|_| out.grid_out_valid) {
        points.cover_if(due >> last & 1 == 0, Point::MessageOutdated);
        if transferred {
            let ended = inputs.ended >> last & 1 == 1;
            let is_requested = grid.issue_state(last as u8).0;
            match out.grid_out.kind {
                GridMessageKind::LaunchedDependents if is_requested => points.cover(Point::LaunchedDependentsByOperation),
                GridMessageKind::LaunchedDependents => points.cover_if(ended, Point::LaunchedDependentsByEnd),
                GridMessageKind::Ended => {
                    points.cover(Point::Ended);
                    let others = (0..config.cta_slots).filter(|slot| *slot != last);
                    let same = others.map(|slot| grid.member(slot as u8)).any(|of| of == Some(out.grid_out.grid));
                    points.cover_if(same, Point::EndedBeforeAnother);
                }
            }
        }
        let launched = inputs.launch.is_some_and(|launch| usize::from(launch.cta) == last);
        points.cover_if(transferred && launched, Point::LaunchWithMessage);
    } else if due != 0 {
        points.cover_if(due.count_ones() > 1, Point::MessageOfSeveral);
        let skips_lowest = |last: usize| due >> last >> 1 != 0 && due & ((2 << last) - 1) != 0;
        points.cover_if(grid.last().is_some_and(skips_lowest), Point::MessageNotOfLowest);
    }
    let Some(launch) = inputs.launch else { return };
    if usize::from(launch.cta) >= config.cta_slots {
        return points.cover(Point::UnbuiltSlot(Request::Launch));
    }
    points.cover(if launch.has_grid { Point::LaunchOfGrid } else { Point::LaunchOfNoGrid });
    points.cover_if(grid.member(launch.cta).is_some(), Point::LaunchIntoUsedSlot);
}
