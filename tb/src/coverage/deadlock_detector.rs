// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `deadlock_detector`: the reports and their causes, and what prevents the report of a stalled CTA.

use super::points::{points, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::OpKind;

points! {
    pub enum Point {
        /// The walk over the warps finds that all live warps of a CTA slot are stalled, although a slot of this number is not built.
        UnbuiltStalled = "slot that is not built: stalled",
        /// An operation that names a CTA slot that is not built enters `gather`.
        UnbuiltEnters = "slot that is not built: an operation enters",
        /// An operation that names a CTA slot that is not built enters `named` or `gateway`.
        UnbuiltTaken = "slot that is not built: an operation is taken",
        /// An implicit conflict is reported for a CTA slot that is not built.
        UnbuiltConflict = "slot that is not built: implicit_conflict",
        /// The unit reports a CTA without an implicit conflict, because all live warps of the CTA are stalled.
        AllStalled = "reported: all its warps are stalled",
        /// The unit reports a CTA because of its implicit conflict while a live warp of the CTA can still issue.
        InConflict = "reported: in_conflict, although a warp is not stalled",
        /// The unit reports a CTA for the second time, and no CTA of this slot was released between the two reports.
        ReportedAgain = "reported again, without a release between",
        /// The unit reports a CTA in a slot in which an earlier CTA was reported and then released.
        ReportedAfterRelease = "reported again, after a release",
        /// All live warps of a CTA are stalled, and the walk reads a live warp of the CTA that has an operation in flight.
        LiveInFlight = "stalled: an operation of a live warp is in flight",
        /// All live warps of a CTA are stalled, and the walk reads an exited warp of the CTA that has an operation in flight.
        ExitedInFlight = "stalled: an operation of an exited warp is in flight",
        /// An operation of a CTA enters `gather` while all live warps of the CTA are stalled.
        StalledEnters = "stalled: an operation of the CTA enters",
        /// The walk over the warps reads no warp in this cycle.
        WalkPauses = "walk: pauses",
        /// The walk over the warps returns to warp 0 before it has read the warp with the highest number.
        WalkRestarts = "walk: restarts",
        /// The report of a CTA is offered and not accepted in this cycle.
        ReportWaits = "report: waits",
        /// A CTA is released while its report is offered and not accepted.
        ReleaseDuringReport = "release while the report waits",
        /// A Release with a fault enters `named` or `gateway`.
        ReleaseRefused = "release: refused",
        /// An implicit conflict of a CTA is reported in the cycle in which the Release of the CTA enters `named`.
        ConflictAtRelease = "implicit_conflict in the cycle of the release of its CTA",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::UnbuiltStalled | Point::UnbuiltEnters | Point::UnbuiltTaken | Point::UnbuiltConflict => {
            Reach::of_unbuilt_slot(config)
        }
        _ => Reach::Reachable,
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, stalled, enters, entered] = view.places(["reset", "stalled", "entered_valid", "entered_cta"])?;
    let [seen_valid, warp, home, live] = view.places(["seen_valid", "seen_warp", "seen_cta", "seen_live"])?;
    let in_flight = view.place("seen_in_flight")?;
    let [taken_valid, kind, fault, cta] = view.places(["taken_valid", "taken_kind", "taken_fault", "taken_cta"])?;
    let [implicit_conflicts, implicit_conflict] = view.places(["implicit_conflict_valid", "implicit_conflict_cta"])?;
    let (out, dead_cta) = (view.places(["dead_valid", "dead_ready"])?, view.place("dead_cta")?);
    // `in_conflict`: CTA slots with an implicit conflict. `reported`: CTA slots whose present CTA was reported. `reported_before`:
    // CTA slots of which an earlier CTA was reported and then released.
    let (mut in_conflict, mut reported, mut reported_before) = (0u64, 0u64, 0u64);
    let mut offered = false;
    // The last observation of every warp: its CTA slot, whether it was live, and whether it could issue.
    let mut warps = vec![(0, false, false); config.warps.next_power_of_two().max(2)];
    let mut last = None;
    for cycle in 0..view.length() {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            (in_conflict, reported, reported_before, offered, last) = (0, 0, 0, false, None);
            warps.iter_mut().for_each(|warp| *warp = (0, false, false));
            continue;
        }
        let built = |slot: u64| (slot as usize) < config.cta_slots;
        points.cover_if(get(seen_valid) == 0 && last.is_some(), Point::WalkPauses);
        if get(seen_valid) == 1 {
            let can_issue = get(live) == 1 && get(stalled) >> get(warp) & 1 == 0;
            warps[get(warp) as usize] = (get(home), get(live) == 1, can_issue);
            points.cover_if(get(warp) == 0 && last.is_some_and(|last| last + 1 < config.warps as u64), Point::WalkRestarts);
            last = Some(get(warp));
        }
        let warps_of = |slot: u64| warps.iter().filter(move |(home, ..)| *home == slot);
        let can_issue = |slot: u64| warps_of(slot).any(|(.., can_issue)| *can_issue);
        let is_stalled = |slot: u64| warps_of(slot).any(|(_, live, _)| *live) && !can_issue(slot);
        points.cover_if(get(seen_valid) == 1 && !built(get(home)) && is_stalled(get(home)), Point::UnbuiltStalled);
        points.cover_if(get(enters) == 1 && !built(get(entered)), Point::UnbuiltEnters);
        points.cover_if(get(taken_valid) == 1 && !built(get(cta)), Point::UnbuiltTaken);
        points.cover_if(get(implicit_conflicts) == 1 && !built(get(implicit_conflict)), Point::UnbuiltConflict);
        if get(seen_valid) == 1 && get(in_flight) == 1 && built(get(home)) && is_stalled(get(home)) {
            points.cover_if(get(live) == 1, Point::LiveInFlight);
            points.cover_if(get(live) == 0, Point::ExitedInFlight);
        }
        let enters_stalled = get(enters) == 1 && built(get(entered)) && is_stalled(get(entered));
        points.cover_if(enters_stalled, Point::StalledEnters);
        let slot = get(dead_cta);
        if get(out[0]) == 1 && !offered {
            points.cover_if(in_conflict >> slot & 1 == 0, Point::AllStalled);
            points.cover_if(in_conflict >> slot & 1 == 1 && can_issue(slot), Point::InConflict);
            points.cover_if(reported >> slot & 1 == 1, Point::ReportedAgain);
            points.cover_if(reported_before >> slot & 1 == 1, Point::ReportedAfterRelease);
            (reported, reported_before) = (reported | 1 << slot, reported_before & !(1 << slot));
        }
        offered = get(out[0]) == 1 && get(out[1]) == 0;
        points.cover_if(offered, Point::ReportWaits);
        if get(implicit_conflicts) == 1 {
            in_conflict |= 1 << get(implicit_conflict);
        }
        if get(taken_valid) == 1 && get(kind) == OpKind::Release as u64 {
            points.cover_if(get(fault) != 0, Point::ReleaseRefused);
            if get(fault) == 0 {
                let bit = 1 << get(cta);
                points.cover_if(offered && slot == get(cta), Point::ReleaseDuringReport);
                points.cover_if(get(implicit_conflicts) == 1 && get(implicit_conflict) == get(cta), Point::ConflictAtRelease);
                reported_before |= reported & bit;
                (in_conflict, reported) = (in_conflict & !bit, reported & !bit);
            }
        }
    }
    Ok(())
}
