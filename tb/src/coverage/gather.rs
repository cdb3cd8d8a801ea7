// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gather`: the effects of lane operations, derived from the model's lanes, and the states of the ports.

mod points;

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::gather::{GatherEffect, Offered, Rendezvous, WarpLanes};
use bcu_model::op::{Code, Form, Kind};
use bcu_model::{Clocked, Gather, Sizes};
pub use points::{reach, Point};
use points::{Clash, Exit, Gathered, Meeting, Met, Place};

/// Whether one of `lanes` cannot arrive because it already waits or is not live.
fn hindrance(warp: &WarpLanes, lanes: u64) -> bool {
    lanes & (warp.waiting() | !warp.live) != 0
}

/// The open rendezvous that an offered WarpSync or Elect contradicts, and how. `None`: the operation contradicts no open rendezvous; its
/// lanes or members may still be invalid.
fn clash(before: &WarpLanes, offered: &Offered) -> Option<(Place, Clash)> {
    let Offered { form, members, .. } = offered;
    let clash = |r: &Rendezvous| match (r.members & members != 0, r.members == *members, r.elect == (*form == Form::Elect)) {
        (true, false, _) => Some(Clash::OtherMembers),
        (true, true, false) => Some(Clash::OtherForm),
        _ => None,
    };
    let mut places = before.rendezvous.iter().zip([Place::First, Place::Second]);
    places.find_map(|(r, place)| Some((place, clash(r.as_ref()?)?)))
}

/// The point that an instruction of a warp covers, according to its form and effect.
fn arrival(before: &WarpLanes, offered: &Offered, effect: &GatherEffect) -> Point {
    let Offered { laned, form, .. } = offered;
    let kind = laned.carried.op.kind;
    let fault = effect.passed.map_or(Code::None, |passed| passed.carried.op.fault);
    match form {
        Form::Raw => Point::Raw(kind),
        Form::Aligned if fault == Code::None => Point::Aligned(kind),
        Form::Aligned => Point::AlignedRefused(kind, FaultCode::from_u64(fault.value())),
        Form::Gathered if !laned.carried.op.uniform => Point::Gathered(kind, Gathered::OperandsDiffer),
        Form::Gathered => {
            let gathered = match (fault, effect.passed) {
                (Code::None, Some(_)) => Gathered::Completes,
                (Code::None, None) => Gathered::Joins,
                _ if hindrance(before, laned.lanes) => Gathered::UnavailableLane,
                _ => Gathered::AnotherOperation,
            };
            Point::Gathered(kind, gathered)
        }
        Form::WarpSync => meeting(Meeting::WarpSync, before, offered, fault, effect),
        Form::Elect => meeting(Meeting::Elect, before, offered, fault, effect),
    }
}

/// The point of a WarpSync or Elect.
fn meeting(form: Meeting, before: &WarpLanes, offered: &Offered, fault: Code, effect: &GatherEffect) -> Point {
    let Offered { laned, members, .. } = offered;
    let met = match (fault, effect.lanes) {
        (Code::None, Some(lanes)) if lanes.retry => return Point::SentBack(form),
        (Code::None, Some(_)) => Met::Completes,
        (Code::None, None) => Met::Joins,
        _ if laned.lanes & !members != 0 => Met::NoMember,
        _ if hindrance(before, laned.lanes) => Met::UnavailableLane,
        _ => {
            let clash = clash(before, offered);
            return clash.map_or(Point::RefusedWithoutCause(form), |(place, clash)| Point::Clashes(form, place, clash));
        }
    };
    Point::Meets(form, met)
}

fn exit(before: &WarpLanes, after: &WarpLanes, effect: &GatherEffect) -> Exit {
    let met = before.rendezvous.iter().zip(after.rendezvous).filter(|(b, a)| b.is_some() && a.is_none()).count();
    let gathered = before.gathering.filter(|_| after.gathering.is_none());
    match effect.passed.map(|passed| passed.carried.op.fault) {
        Some(Code::NotResident) => Exit::NotResident,
        Some(Code::WarpBlocked) => Exit::WarpBlocked,
        _ if effect.warp_exited.is_some() => Exit::LastLanes,
        _ => match (gathered.map(|g| g.kind), met) {
            (Some(kind), _) if kind.goes_on() => Exit::CompletesOtherGathering,
            (Some(_), _) => Exit::CompletesWaitingGathering,
            (None, 2) => Exit::CompletesTwoMeetings,
            (None, 1) => Exit::CompletesOneMeeting,
            _ => Exit::SomeLanes,
        },
    }
}

/// Counts the points of the operation that was processed last; `before` is the state of its warp before that operation.
fn count_one(config: &Config, unit: &Gather, before: &WarpLanes, highest: bool, points: &mut Points<Point>) {
    let Some((offered, effect)) = unit.looked_at() else { return };
    let op = offered.laned.carried.op;
    match op.kind {
        _ if op.fault != Code::None => points.cover(Point::FaultFromBefore),
        Kind::Read => points.cover(Point::Read),
        Kind::Write => points.cover(Point::Write),
        Kind::Fence => points.cover(Point::Fence),
        Kind::GridLaunch => points.cover(Point::GridLaunch),
        Kind::GridWait => points.cover(Point::GridWait),
        Kind::Gateway => points.cover(Point::Gateway),
        Kind::Mbarrier => {
            let whole = before.is_whole(offered.laned.lanes);
            points.cover(if whole { Point::MbarrierByAll } else { Point::MbarrierBySome });
        }
        Kind::Release => points.cover(Point::Release),
        Kind::Launch => {
            let last = op.mask.checked_ilog2().map(|last| unit.warp(last as u8).live.count_ones() as usize);
            points.cover_if(last.is_some_and(|live| (1..config.lanes).contains(&live)), Point::LaunchInPart);
        }
        Kind::Exit => points.cover(Point::Exit(exit(before, unit.warp(op.warp), effect))),
        _ => points.cover(arrival(before, offered, effect)),
    }
    let led = effect.lanes.filter(|l| l.leaders != 0 && l.mask.count_ones() > 1);
    let leader = if highest { Point::HighestLeads } else { Point::LowestLeads };
    points.cover_if(led.is_some() && offered.form == Form::Elect, leader);
    points.cover_if(effect.lanes.is_some() && effect.passed.is_none(), Point::ResumeWithoutOperation);
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset, policy, op_done] = view.places(["reset", "leader_policy", "op_done"])?;
    let (valid, out) = (view.places(["in_valid"])?, view.places(["op_valid", "op_ready"])?);
    let [op_absorbed, gathering, exit_pending] = view.places(["op_absorbed", "gathering", "exit_pending"])?;
    let mut unit = Gather::new(sizes);
    // `rows`: the warps whose rows were processed one and two cycles ago. `sets`: the warps for which `exit_pending` may be set at the end
    // of this cycle. `resets`: a Launch or Release was processed one cycle ago.
    let (mut rows, mut sets, mut resets) = ([None; 2], 0, false);
    for cycle in 0..view.length() {
        let get = |place| view.get(place, cycle);
        let inputs = view.inputs::<Gather>(&sizes, cycle);
        if get(reset) == 1 {
            unit.clock(&inputs);
            (rows, sets, resets) = ([None; 2], 0, false);
            continue;
        }
        points.cover_if(get(valid[0]) == 1 && !unit.outputs().takes(get(out[1]) == 1), Point::InWaits);
        points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, Point::OperationWaits);
        points.cover_if(get(op_absorbed) != 0, Point::Absorbed);
        points.cover_if(get(gathering).count_ones() > 1, Point::SeveralGathering);
        points.cover_if(get(exit_pending).count_ones() > 1, Point::SeveralExitPending);
        points.cover_if(sets & get(op_done) & get(exit_pending) != 0, Point::DoneAndPendingAgain);
        let entry = unit.entry().map(|offered| offered.laned.carried.op.warp);
        let before = entry.map_or_else(WarpLanes::default, |warp| *unit.warp(warp));
        unit.clock(&inputs);
        let looked_at = unit.looked_at().map(|(offered, effect)| (offered.row(), effect.passed));
        if entry.is_some() && looked_at.is_none() {
            let of_its_row = rows.contains(&entry);
            points.cover(match (of_its_row, resets) {
                (true, _) => Point::WaitsForRow,
                (false, true) => Point::WaitsForReset,
                (false, false) => Point::WaitsForOutput,
            });
        }
        count_one(config, &unit, &before, get(policy) == 1, points);
        resets = unit.looked_at().is_some_and(|(offered, _)| offered.resets_rows());
        rows = [looked_at.map(|(row, _)| row), rows[0]];
        sets = looked_at.and_then(|(_, passed)| passed).map_or(0, |passed| passed.carried.comes_of_an_exit());
    }
    Ok(())
}
