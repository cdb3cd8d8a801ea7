// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `mem_order`: the operations that pass through, those that are parked and leave, and the warps that are held.

use super::points::{CoverageError, Points, NO_GATEWAY, NO_MBARRIERS};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::OpKind;

/// Operations that are never parked.
const PASS: [OpKind; 2] = [OpKind::Launch, OpKind::Release];

/// How a fence ends.
const FENCES: [&str; 3] = ["ends at once", "waits for accesses", "follows a parked operation"];

/// Points that need several strobes in one cycle.
const SEVERAL: [&str; 2] =
    ["several accesses of one warp are issued in a cycle", "several accesses of one warp and epoch are performed in a cycle"];

/// Whether a value occurs twice.
fn twice<T: PartialEq>(list: &[T]) -> bool {
    list.iter().enumerate().any(|(at, one)| list[..at].contains(one))
}

pub fn list(config: &Config, points: &mut Points) {
    FENCES.iter().for_each(|what| points.list(format!("fence: {what}"), None));
    for kind in OpKind::ALL {
        let absent = match kind {
            OpKind::Mbarrier if !config.has_mbarrier() => Some(NO_MBARRIERS),
            OpKind::Gateway if !config.has_gateway() => Some(NO_GATEWAY),
            _ => None,
        };
        points.list(format!("passes: {kind:?}"), absent);
        let never = match kind {
            OpKind::Write => Some("it waits in front"),
            kind => PASS.contains(kind).then_some("nothing holds it back").or(absent),
        };
        points.list(format!("was parked: {kind:?}"), never);
    }
    points.list_all(&["passes: a faulty operation", "was parked: a faulty operation", "passes a parked operation"]);
    points.list_all(&["parked: several warps", "parked: a second operation"]);
    points.list_all(&["a third operation moves up", "copies: at the limit", "copies: issued and performed in one cycle"]);
    points.list_all(&["access_limit: nothing is parked", "held: an operation is parked", "parked and not held"]);
    points.list_all(&["issue and perform in one cycle", "issue and perform of one warp, in one epoch"]);
    points.list_all(&["an access is performed in the cycle of its issue"]);
    points.list_all(&["perform in the epoch before", "in: waits", "operation: waits", "parked: waits at the port"]);
    points.list_all(&[
        "op_done",
        "picked_pending: several warps",
        "picked_pending: another operation enters",
        "commit: its operation was not parked",
    ]);
    let single_strobe = (config.accesses_per_cycle == 1).then_some("one strobe is built");
    SEVERAL.iter().for_each(|point| points.list(point.to_string(), single_strobe));
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, epoch, held, full, parked] = view.places(["reset", "epoch", "held", "full", "parked"])?;
    let [access_limit] = view.places(["access_limit"])?;
    let (channel, out) = (view.places(["in_valid", "in_ready"])?, view.places(["op_valid", "op_ready"])?);
    let [kind, fault, warp] = view.places(["op_kind", "op_fault", "op_warp"])?;
    let [op_done, picked_pending, commit] = view.places(["op_done", "picked_pending", "commit"])?;
    let strobes = view.accesses(config)?;
    let [copies_full, issued, performed] = view.places(["copies_full", "copy_issue_valid", "copy_perform_valid"])?;
    // Number of outstanding accesses, by warp and epoch.
    let mut outstanding = [[0u64; 2]; 64];
    // Whether the operation at the port was already there in the previous cycle, and whether it was parked.
    let (mut op_waits, mut waited) = (false, false);
    let mut next = 0;
    for cycle in view.cycles(reset) {
        let copies = [issued, performed].map(|place| view.get(place, cycle));
        points.cover_if(view.get(copies_full, cycle) != 0, "copies: at the limit");
        points.cover_if(copies == [1, 1], "copies: issued and performed in one cycle");
        if cycle != next {
            outstanding = [[0; 2]; 64];
            op_waits = false;
        }
        next = cycle + 1;
        let get = |place| view.get(place, cycle);
        let has = |warps, warp| get(warps) >> get(warp) & 1 == 1;
        points.cover_if(get(parked).count_ones() > 1, "parked: several warps");
        points.cover_if(get(full) != 0, "parked: a second operation");
        points.cover_if(get(access_limit) & !get(parked) != 0, "access_limit: nothing is parked");
        points.cover_if(get(held) & get(parked) != 0, "held: an operation is parked");
        points.cover_if(get(parked) & !get(held) != 0, "parked and not held");
        points.cover_if(get(channel[0]) == 1 && get(channel[1]) == 0, "in: waits");
        points.cover_if(get(op_done) != 0, "op_done");
        points.cover_if(get(picked_pending).count_ones() > 1, "picked_pending: several warps");
        if cycle + 1 < view.length() && view.get(reset, cycle + 1) == 0 {
            let next = |place| view.get(place, cycle + 1);
            // A parked operation that leaves its place is passed on, so an operation that is done here without that was a fence.
            points.cover_if(get(op_done) & !next(parked) != 0, "fence: ends at once");
            points.cover_if(get(parked) & !get(picked_pending) & !next(parked) != 0, "fence: waits for accesses");
            let following = get(op_done) & get(parked) & !get(picked_pending) & next(parked) & !get(full) & !next(full);
            points.cover_if(following != 0, "fence: follows a parked operation");
            let picked = next(picked_pending) & !get(picked_pending);
            points.cover_if(picked & get(full) & next(full) != 0, "a third operation moves up");
        }
        points.cover_if(get(op_done) & get(picked_pending) != 0, "picked_pending: another operation enters");
        points.cover_if(get(commit) & !get(picked_pending) != 0, "commit: its operation was not parked");
        let issuers: Vec<u64> =
            strobes.iter().filter(|(issue, _)| get(issue[0]) == 1).map(|(issue, _)| get(issue[1])).collect();
        let done: Vec<_> =
            strobes.iter().filter(|(_, perform)| get(perform[0]) == 1).map(|(_, p)| (get(p[1]), get(p[2]))).collect();
        points.cover_if(twice(&issuers), SEVERAL[0]);
        points.cover_if(twice(&done), SEVERAL[1]);
        for ([issue, issuer], [perform, performer, access_epoch]) in strobes.iter().copied() {
            points.cover_if(get(issue) + get(perform) == 2, "issue and perform in one cycle");
            if get(issue) == 1 {
                outstanding[get(issuer) as usize & 63][usize::from(has(epoch, issuer))] += 1;
            }
            if get(perform) == 0 {
                continue;
            }
            let present = has(epoch, performer) == (get(access_epoch) == 1);
            let both = issuers.contains(&get(performer));
            points.cover_if(both && present, "issue and perform of one warp, in one epoch");
            points.cover_if(!present, "perform in the epoch before");
            let number = &mut outstanding[get(performer) as usize & 63][get(access_epoch) as usize & 1];
            points.cover_if(both && present && *number == 1, "an access is performed in the cycle of its issue");
            *number = number.saturating_sub(1);
        }
        let is = OpKind::ALL.get(get(kind) as usize).copied().unwrap_or(OpKind::Sync);
        let refused_exit = is == OpKind::Exit && get(fault) != 0;
        // A parked operation reaches the port while its warp is in `picked_pending`.
        waited = if op_waits { waited } else { has(picked_pending, warp) && !PASS.contains(&is) && !refused_exit };
        op_waits = get(out[0]) == 1 && get(out[1]) == 0;
        points.cover_if(op_waits, if waited { "parked: waits at the port" } else { "operation: waits" });
        if !view.both(out, cycle) {
            continue;
        }
        let way = if waited { "was parked" } else { "passes" };
        points.cover(&format!("{way}: {is:?}"));
        points.cover_if(get(fault) != 0, &format!("{way}: a faulty operation"));
        points.cover_if(!waited && has(parked, warp), "passes a parked operation");
    }
    Ok(())
}
