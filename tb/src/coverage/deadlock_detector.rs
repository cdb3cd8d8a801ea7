// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `deadlock_detector`: the reports and their causes, and what prevents the report of a stalled CTA.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::OpKind;

pub fn list(config: &Config, points: &mut Points) {
    ["stalled", "an operation enters", "an operation is taken", "implicit_conflict"]
        .iter()
        .for_each(|what| points.list_astray(config, format!("slot that is not built: {what}")));
    points.list_all(&["reported: all its warps are stalled", "reported: in_conflict, although a warp is not stalled"]);
    points.list_all(&["reported again, without a release between", "reported again, after a release"]);
    points.list_all(&[
        "stalled: an operation of a live warp is in flight",
        "stalled: an operation of an exited warp is in flight",
    ]);
    points.list_all(&["stalled: an operation of the CTA enters", "walk: pauses", "walk: restarts"]);
    points.list_all(&["report: waits", "release while the report waits"]);
    points.list_all(&["release: refused", "implicit_conflict in the cycle of the release of its CTA"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, stalled, enters, entered] = view.places(["reset", "stalled", "entered_valid", "entered_cta"])?;
    let [seen_valid, warp, home, live] = view.places(["seen_valid", "seen_warp", "seen_cta", "seen_live"])?;
    let in_flight = view.place("seen_in_flight")?;
    let [taken_valid, kind, fault, cta] = view.places(["taken_valid", "taken_kind", "taken_fault", "taken_cta"])?;
    let [implicit_conflicts, implicit_conflict] = view.places(["implicit_conflict_valid", "implicit_conflict_cta"])?;
    let (out, dead_cta) = (view.places(["dead_valid", "dead_ready"])?, view.place("dead_cta")?);
    // CTA slots that are in conflict; CTA slots that were reported, at present and before the last release.
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
        points.cover_if(get(seen_valid) == 0 && last.is_some(), "walk: pauses");
        if get(seen_valid) == 1 {
            let goes_on = get(live) == 1 && get(stalled) >> get(warp) & 1 == 0;
            warps[get(warp) as usize] = (get(home), get(live) == 1, goes_on);
            points.cover_if(get(warp) == 0 && last.is_some_and(|last| last + 1 < warps.len() as u64), "walk: restarts");
            last = Some(get(warp));
        }
        let warps_of = |slot: u64| warps.iter().filter(move |(home, ..)| *home == slot);
        let goes_on = |slot: u64| warps_of(slot).any(|(.., goes_on)| *goes_on);
        let is_stalled = |slot: u64| warps_of(slot).any(|(_, live, _)| *live) && !goes_on(slot);
        points.cover_if(get(seen_valid) == 1 && !built(get(home)) && is_stalled(get(home)), "slot that is not built: stalled");
        points.cover_if(get(enters) == 1 && !built(get(entered)), "slot that is not built: an operation enters");
        points.cover_if(get(taken_valid) == 1 && !built(get(cta)), "slot that is not built: an operation is taken");
        points.cover_if(
            get(implicit_conflicts) == 1 && !built(get(implicit_conflict)),
            "slot that is not built: implicit_conflict",
        );
        if get(seen_valid) == 1 && get(in_flight) == 1 && built(get(home)) && is_stalled(get(home)) {
            points.cover_if(get(live) == 1, "stalled: an operation of a live warp is in flight");
            points.cover_if(get(live) == 0, "stalled: an operation of an exited warp is in flight");
        }
        let enters_stalled = get(enters) == 1 && built(get(entered)) && is_stalled(get(entered));
        points.cover_if(enters_stalled, "stalled: an operation of the CTA enters");
        let slot = get(dead_cta);
        if get(out[0]) == 1 && !offered {
            points.cover_if(in_conflict >> slot & 1 == 0, "reported: all its warps are stalled");
            points.cover_if(
                in_conflict >> slot & 1 == 1 && goes_on(slot),
                "reported: in_conflict, although a warp is not stalled",
            );
            points.cover_if(reported >> slot & 1 == 1, "reported again, without a release between");
            points.cover_if(reported_before >> slot & 1 == 1, "reported again, after a release");
            (reported, reported_before) = (reported | 1 << slot, reported_before & !(1 << slot));
        }
        offered = get(out[0]) == 1 && get(out[1]) == 0;
        points.cover_if(offered, "report: waits");
        if get(implicit_conflicts) == 1 {
            in_conflict |= 1 << get(implicit_conflict);
        }
        if get(taken_valid) == 1 && get(kind) == OpKind::Release as u64 {
            points.cover_if(get(fault) != 0, "release: refused");
            if get(fault) == 0 {
                let bit = 1 << get(cta);
                points.cover_if(offered && slot == get(cta), "release while the report waits");
                points.cover_if(
                    get(implicit_conflicts) == 1 && get(implicit_conflict) == get(cta),
                    "implicit_conflict in the cycle of the release of its CTA",
                );
                reported_before |= reported & bit;
                (in_conflict, reported) = (in_conflict & !bit, reported & !bit);
            }
        }
    }
    Ok(())
}
