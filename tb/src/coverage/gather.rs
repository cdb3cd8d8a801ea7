// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gather`: the effects of lane operations, derived from the model's lanes, and the states of the ports.

use super::points::{CoverageError, Points, NO_MBARRIERS};
use super::ports::{code, View};
use bcu_isa::config::Config;
use bcu_model::gather::{GatherEffect, Offered, Rendezvous, WarpLanes};
use bcu_model::op::{Code, Form, Kind};
use bcu_model::{Clocked, Gather, Sizes};

const ARRIVALS: [Kind; 6] =
    [Kind::Sync, Kind::Arrive, Kind::Reduce, Kind::ClusterArrive, Kind::ClusterArriveRelaxed, Kind::ClusterWait];
const EXITS: [&str; 8] = [
    "some lanes",
    "the last lanes",
    "completes a gathering that waits",
    "completes a gathering that does not wait",
    "completes one meeting",
    "completes two meetings",
    "not_resident",
    "warp_blocked",
];
const MEETS: [&str; 4] = ["joins", "completes", "a lane waits or is not live", "a lane is not a member"];
/// Names of the two rendezvous of a warp, and the reason why a clash of arriving lanes is impossible.
const PLACES: [&str; 2] = ["first", "second"];
const FOUR_LANES: &str = "each of two open groups has two live lanes, and so all";
const CLASHES: [&str; 2] = ["other members", "the other form"];

pub fn list(config: &Config, points: &mut Points) {
    for kind in ARRIVALS {
        ["Raw", "Aligned"].iter().for_each(|form| points.list(format!("{form} {kind:?}"), None));
        points.list(format!("Aligned {kind:?}: partial_mask"), None);
        for what in ["joins", "completes", "operands differ", "a lane waits or is not live", "another operation"] {
            points.list(format!("Gathered {kind:?}: {what}"), None);
        }
    }
    for form in [Form::WarpSync, Form::Elect] {
        MEETS.iter().for_each(|what| points.list(format!("{form:?}: {what}"), None));
        for (place, why) in PLACES.iter().flat_map(|place| CLASHES.map(|why| (place, why))) {
            points.list(format!("{form:?}: clashes with the {place} for {why}"), None);
        }
        points.list(format!("{form:?}: sent back"), (config.lanes < 5).then_some(FOUR_LANES));
    }
    points.list_all(&["Elect: the lowest of several leads", "Elect: the highest of several leads"]);
    EXITS.iter().for_each(|what| points.list(format!("exit: {what}"), None));
    points.list_all(&[
        "launch: the last warp in part",
        "a fault from before",
        "read",
        "write",
        "fence",
        "grid launch",
        "grid wait",
        "gateway",
        "release",
    ]);
    let no_mbarriers = (!config.has_mbarrier()).then_some(NO_MBARRIERS);
    ["all live lanes", "some lanes"].iter().for_each(|by| points.list(format!("mbarrier: by {by}"), no_mbarriers));
    points.list_all(&["in: waits", "operation: waits", "op_absorbed", "gathering: two warps", "exit_pending: two warps"]);
    points.list_all(&[
        "waits for the row of its warp",
        "waits for the output",
        "op_done, and exit_pending again at the same edge",
        "lanes resume and nothing is passed on",
    ]);
}

/// Whether the state of `warp` forbids that `lanes` arrive.
fn hindrance(warp: &WarpLanes, lanes: u64) -> bool {
    lanes & (warp.waiting() | !warp.live) != 0
}

/// The rendezvous that the lanes of an offer clash with. `None` also if the lanes or the members are invalid by themselves.
fn clash(before: &WarpLanes, offered: &Offered) -> Option<String> {
    let Offered { form, members, .. } = offered;
    let why = |r: &Rendezvous| match (r.members & members != 0, r.members == *members, r.elect == (*form == Form::Elect)) {
        (true, false, _) => Some(CLASHES[0]),
        (true, true, false) => Some(CLASHES[1]),
        _ => None,
    };
    let places = before.rendezvous.iter().zip(PLACES);
    let (place, why) = places.filter_map(|(r, place)| Some((place, why(r.as_ref()?)?))).next()?;
    Some(format!("{form:?}: clashes with the {place} for {why}"))
}

fn arrival(before: &WarpLanes, offered: &Offered, effect: &GatherEffect) -> String {
    let Offered { laned, form, members } = offered;
    let kind = laned.carried.op.kind;
    let fault = effect.passed.map_or(Code::None, |passed| passed.carried.op.fault);
    match form {
        Form::Raw => format!("Raw {kind:?}"),
        Form::Aligned if fault == Code::None => format!("Aligned {kind:?}"),
        Form::Aligned => format!("Aligned {kind:?}: {}", code(fault.value())),
        Form::Gathered if !laned.carried.op.uniform => format!("Gathered {kind:?}: operands differ"),
        Form::Gathered => {
            let what = match (fault, effect.passed) {
                (Code::None, Some(_)) => "completes",
                (Code::None, None) => "joins",
                _ if hindrance(before, laned.lanes) => "a lane waits or is not live",
                _ => "another operation",
            };
            format!("Gathered {kind:?}: {what}")
        }
        Form::WarpSync | Form::Elect => {
            let what = match (fault, effect.lanes) {
                (Code::None, Some(lanes)) if lanes.retry => "sent back",
                (Code::None, Some(_)) => "completes",
                (Code::None, None) => "joins",
                _ if laned.lanes & !members != 0 => "a lane is not a member",
                _ if hindrance(before, laned.lanes) => "a lane waits or is not live",
                _ => return clash(before, offered).unwrap_or(format!("{form:?}: refused without a cause")),
            };
            format!("{form:?}: {what}")
        }
    }
}

fn exit(before: &WarpLanes, after: &WarpLanes, effect: &GatherEffect) -> &'static str {
    let met = before.rendezvous.iter().zip(after.rendezvous).filter(|(b, a)| b.is_some() && a.is_none()).count();
    let gathered = before.gathering.filter(|_| after.gathering.is_none());
    match effect.passed.map(|passed| passed.carried.op.fault) {
        Some(Code::NotResident) => EXITS[6],
        Some(Code::WarpBlocked) => EXITS[7],
        _ if effect.warp_exited.is_some() => EXITS[1],
        _ => match (gathered.map(|g| g.kind), met) {
            (Some(kind), _) if kind.goes_on() => EXITS[3],
            (Some(_), _) => EXITS[2],
            (None, 2) => EXITS[5],
            (None, 1) => EXITS[4],
            _ => EXITS[0],
        },
    }
}

/// Counts the points of the operation that was processed last; `before` is the state of its warp before that operation.
fn count_one(config: &Config, unit: &Gather, before: &WarpLanes, highest: bool, points: &mut Points) {
    let Some((offered, effect)) = unit.looked_at() else { return };
    let op = offered.laned.carried.op;
    match op.kind {
        _ if op.fault != Code::None => points.cover("a fault from before"),
        Kind::Read => points.cover("read"),
        Kind::Write => points.cover("write"),
        Kind::Fence => points.cover("fence"),
        Kind::GridLaunch => points.cover("grid launch"),
        Kind::GridWait => points.cover("grid wait"),
        Kind::Gateway => points.cover("gateway"),
        Kind::Mbarrier => {
            let whole = before.is_whole(offered.laned.lanes);
            points.cover(if whole { "mbarrier: by all live lanes" } else { "mbarrier: by some lanes" });
        }
        Kind::Release => points.cover("release"),
        Kind::Launch => {
            let last = op.mask.checked_ilog2().map(|last| unit.warp(last as u8).live.count_ones() as usize);
            points.cover_if(last.is_some_and(|live| (1..config.lanes).contains(&live)), "launch: the last warp in part");
        }
        Kind::Exit => points.cover(&format!("exit: {}", exit(before, unit.warp(op.warp), effect))),
        _ => points.cover(&arrival(before, offered, effect)),
    }
    let led = effect.lanes.filter(|l| l.leaders != 0 && l.mask.count_ones() > 1);
    let leader = if highest { "highest" } else { "lowest" };
    points.cover_if(led.is_some() && offered.form == Form::Elect, &format!("Elect: the {leader} of several leads"));
    points.cover_if(effect.lanes.is_some() && effect.passed.is_none(), "lanes resume and nothing is passed on");
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset, policy, op_done] = view.places(["reset", "leader_policy", "op_done"])?;
    let (valid, out) = (view.places(["in_valid"])?, view.places(["op_valid", "op_ready"])?);
    let [op_absorbed, gathering, exit_pending] = view.places(["op_absorbed", "gathering", "exit_pending"])?;
    let mut unit = Gather::new(sizes);
    // `rows`: the warps of the rows processed one and two cycles ago. `sets`: the warps for which `exit_pending` may be set at the end of
    // this cycle.
    let (mut rows, mut sets) = ([None; 2], 0);
    for cycle in 0..view.length() {
        let get = |place| view.get(place, cycle);
        let inputs = view.inputs::<Gather>(&sizes, cycle);
        if get(reset) == 1 {
            unit.clock(&inputs);
            (rows, sets) = ([None; 2], 0);
            continue;
        }
        points.cover_if(get(valid[0]) == 1 && !unit.outputs().takes(get(out[1]) == 1), "in: waits");
        points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, "operation: waits");
        points.cover_if(get(op_absorbed) != 0, "op_absorbed");
        points.cover_if(get(gathering).count_ones() > 1, "gathering: two warps");
        points.cover_if(get(exit_pending).count_ones() > 1, "exit_pending: two warps");
        points.cover_if(sets & get(op_done) & get(exit_pending) != 0, "op_done, and exit_pending again at the same edge");
        let entry = unit.entry().map(|offered| offered.laned.carried.op.warp);
        let before = entry.map_or_else(WarpLanes::default, |warp| *unit.warp(warp));
        unit.clock(&inputs);
        let looked_at = unit.looked_at().map(|(offered, effect)| (offered.row(), effect.passed));
        if entry.is_some() && looked_at.is_none() {
            let of_its_row = rows.contains(&entry);
            points.cover(if of_its_row { "waits for the row of its warp" } else { "waits for the output" });
        }
        count_one(config, &unit, &before, get(policy) == 1, points);
        rows = [looked_at.map(|(row, _)| row), rows[0]];
        sets = looked_at.and_then(|(_, passed)| passed).map_or(0, |passed| passed.carried.comes_of_an_exit());
    }
    Ok(())
}
