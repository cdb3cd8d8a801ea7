// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `watch`: what is reported and why, and what keeps a stalled CTA from being reported.

use super::ports::View;
use super::{CoverageError, Points};
use bcu_hw::config::Config;
use bcu_hw::unit::op::OpKind;

const PLANES: [&str; 6] = ["warp_cta_0", "warp_cta_1", "warp_cta_2", "warp_cta_3", "warp_cta_4", "warp_cta_5"];

pub fn list(config: &Config, points: &mut Points) {
    ["stalled", "an operation is taken", "tangle"]
        .iter()
        .for_each(|what| points.list_astray(config, format!("slot that is not built: {what}")));
    points.list_all(&["reported: all its warps are stalled", "reported: tangled, though a warp goes on"]);
    points.list_all(&["reported again, without a release between", "reported again, after a release"]);
    points.list_all(&["stalled: something of a live warp moves", "stalled: something of an exited warp moves"]);
    points.list_all(&["report: waits", "release while the report waits"]);
    points.list_all(&["release: refused", "tangle in the cycle of the release of its CTA"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, live, stalled, moving] = view.places(["reset", "live", "stalled", "moving"])?;
    let [taken, kind, fault, cta] = view.places(["taken_valid", "taken_kind", "taken_fault", "taken_cta"])?;
    let [tangles, tangle] = view.places(["tangle_valid", "tangle_cta"])?;
    let (out, reported) = (view.places(["dead_valid", "dead_ready"])?, view.place("dead_cta")?);
    let planes: Vec<_> = PLANES.iter().map_while(|name| view.place(name).ok()).collect();
    let slots = 1u64 << planes.len();
    // CTA slots that are tangled; that were reported, and since when a release came.
    let (mut tangled, mut told, mut told_before) = (0u64, 0u64, 0u64);
    let mut offered = false;
    for cycle in 0..view.length() {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            (tangled, told, told_before, offered) = (0, 0, 0, false);
            continue;
        }
        let of = |slot: u64| {
            let differ = |(bit, plane): (usize, &_)| get(*plane) ^ if slot >> bit & 1 == 1 { u64::MAX } else { 0 };
            !planes.iter().enumerate().map(differ).fold(0, |all, plane| all | plane)
        };
        let is_stalled = |slot: u64| get(live) & of(slot) != 0 && get(live) & of(slot) & !get(stalled) == 0;
        let built = |slot: u64| (slot as usize) < config.cta_slots;
        points.hit_if((0..slots).any(|slot| !built(slot) && is_stalled(slot)), "slot that is not built: stalled");
        points.hit_if(get(taken) == 1 && !built(get(cta)), "slot that is not built: an operation is taken");
        points.hit_if(get(tangles) == 1 && !built(get(tangle)), "slot that is not built: tangle");
        for slot in (0..slots).filter(|slot| built(*slot) && is_stalled(*slot)) {
            points.hit_if(get(moving) & of(slot) & get(live) != 0, "stalled: something of a live warp moves");
            points.hit_if(get(moving) & of(slot) & !get(live) != 0, "stalled: something of an exited warp moves");
        }
        let slot = get(reported);
        if get(out[0]) == 1 && !offered {
            // Decided in the cycle before; levels rarely change.
            points.hit_if(tangled >> slot & 1 == 0, "reported: all its warps are stalled");
            let goes_on = get(live) & of(slot) & !get(stalled) != 0;
            points.hit_if(tangled >> slot & 1 == 1 && goes_on, "reported: tangled, though a warp goes on");
            points.hit_if(told >> slot & 1 == 1, "reported again, without a release between");
            points.hit_if(told_before >> slot & 1 == 1, "reported again, after a release");
            (told, told_before) = (told | 1 << slot, told_before & !(1 << slot));
        }
        offered = get(out[0]) == 1 && get(out[1]) == 0;
        points.hit_if(offered, "report: waits");
        if get(tangles) == 1 {
            tangled |= 1 << get(tangle);
        }
        if get(taken) == 1 && get(kind) == OpKind::Release as u64 {
            points.hit_if(get(fault) != 0, "release: refused");
            if get(fault) == 0 {
                let bit = 1 << get(cta);
                points.hit_if(offered && slot == get(cta), "release while the report waits");
                points.hit_if(get(tangles) == 1 && get(tangle) == get(cta), "tangle in the cycle of the release of its CTA");
                told_before |= told & bit;
                (tangled, told) = (tangled & !bit, told & !bit);
            }
        }
    }
    Ok(())
}
