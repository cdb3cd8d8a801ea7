// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about lanes and memory accesses, at its ports.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::Form;

/// Why a warp waits at a fence.
const FENCES: [&str; 3] = ["nothing to wait for", "waits for accesses", "waits for a parked operation"];

pub fn list(config: &Config, points: &mut Points) {
    let of_named = [Form::Raw, Form::Aligned, Form::Gathered].into_iter().filter(|_| config.has_named());
    for form in of_named {
        ["SYNC", "ARV", "RED"].iter().for_each(|what| points.list(format!("arrival: {what}, {form:?}"), None));
    }
    points.list_all(&["meeting: WarpSync", "meeting: Elect", "lanes: resume"]);
    let no_arrivals = (!config.has_named()).then_some("no arrivals are gathered or parked");
    let of_arrivals = [
        "gathering: a warp",
        "gathering: several warps",
        "waits_for_memory: a warp that may issue",
        "an arrival right after its release",
    ];
    of_arrivals.iter().for_each(|point| points.list(*point, no_arrivals));
    points.list_all(&["lanes: the lowest of several leads", "lanes: the highest of several leads"]);
    let few = (config.lanes <= 4).then_some("two open rendezvous have at least four lanes");
    points.list("lanes: sent back", few);
    points.list_all(&["waits_for_memory: a warp", "waits_for_memory: several warps", "waits_for_memory: a warp reads"]);
    points.list_all(&["retire: with a warp that drains", "exit: some lanes", "exit: of a warp that drains"]);
    for (at, what) in FENCES.iter().enumerate() {
        points.list(format!("fence: {what}"), no_arrivals.filter(|_| at == 2));
    }
    points.list("exit and partial arrival of one warp in one cycle", no_arrivals);
    points.list_all(&["an access right after its release", "perform in the epoch before"]);
    points.list_all(&["fault and lanes in one cycle", "release and lanes in one cycle"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let reset = view.place("reset")?;
    let (instr, exit) = (view.places(["instr_valid", "instr_ready"])?, view.places(["exit_valid", "exit_ready"])?);
    let [word, mode, warp, form] = view.places(["instr_word_0", "instr_word_2", "instr_warp", "instr_form"])?;
    let [exit_warp, exit_lanes, retire] = view.places(["exit_warp", "exit_lanes", "retire_valid"])?;
    let [lanes, mask, leaders, retry] = view.places(["lanes_valid", "lanes_mask", "lanes_leaders", "lanes_retry"])?;
    let [gathering, waits_for_memory, blocked, live] = view.places(["gathering", "waits_for_memory", "blocked", "live"])?;
    let accesses = view.accesses(config)?;
    let [active, guard] = view.places(["instr_active", "instr_guard"])?;
    let [epoch, fault] = view.places(["epoch", "fault_valid"])?;
    let released = view.place(if config.has_named() { "release_warps" } else { "gateway_release_warps" })?;
    // The warps that were released in the previous cycle.
    let mut fresh = 0;
    // For each warp at a fence: the cycle of the fence, and the index in `FENCES` of the reason for the wait.
    let mut fences = [None; 64];
    let mut next = 0;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let (issued, exits) = (view.both(instr, cycle), view.both(exit, cycle));
        if cycle != next {
            fences = [None; 64];
        }
        next = cycle + 1;
        for (slot, fence) in fences.iter_mut().enumerate() {
            let Some((since, why)) = fence else { continue };
            if *why == 0 && get(waits_for_memory) >> slot & 1 == 1 {
                *why = 1;
            }
            if cycle > *since + 1 && get(blocked) >> slot & 1 == 0 {
                points.cover(&format!("fence: {}", FENCES[*why]));
                *fence = None;
            }
        }
        let form = Form::ALL.get(get(form) as usize).copied().unwrap_or(Form::Raw);
        let what = match (get(word) & 0xff, get(mode) >> 16 & 1) {
            (0x1d, 0) => Some("SYNC"),
            (0x1d, _) => Some("ARV"),
            (0xdd, _) => Some("RED"),
            _ => None,
        };
        let meets = matches!(form, Form::WarpSync | Form::Elect);
        let executes = get(active) & get(guard) != 0 && (get(live) & !get(blocked)) >> get(warp) & 1 == 1;
        // The other bits of the word are not checked here, because most words are legal.
        if issued && !meets && executes && get(word) & 0xfff == 0x3e3 {
            fences[get(warp) as usize & 63] = Some((cycle, 2 * (get(waits_for_memory) >> get(warp) & 1) as usize));
        }
        if issued && meets {
            points.cover(&format!("meeting: {form:?}"));
        } else if let Some(what) = what.filter(|_| issued && config.has_named()) {
            points.cover(&format!("arrival: {what}, {form:?}"));
            points.cover_if(fresh >> get(warp) & 1 == 1, "an arrival right after its release");
            let same = exits && get(exit_warp) == get(warp) && form == Form::Gathered;
            points.cover_if(same, "exit and partial arrival of one warp in one cycle");
        }
        let reads = [0x1c, 0xdc].contains(&(get(word) & 0xff)) && !meets;
        points.cover_if(issued && reads && get(waits_for_memory) >> get(warp) & 1 == 1, "waits_for_memory: a warp reads");
        for ([issue, issuer], [perform, performer, access_epoch]) in &accesses {
            points.cover_if(get(*issue) == 1 && fresh >> get(*issuer) & 1 == 1, "an access right after its release");
            let before = get(epoch) >> get(*performer) & 1 != get(*access_epoch);
            points.cover_if(get(*perform) == 1 && before, "perform in the epoch before");
        }
        points.cover_if(get(gathering) != 0, "gathering: a warp");
        points.cover_if(get(gathering).count_ones() > 1, "gathering: several warps");
        points.cover_if(get(waits_for_memory) != 0, "waits_for_memory: a warp");
        points.cover_if(get(waits_for_memory).count_ones() > 1, "waits_for_memory: several warps");
        points.cover_if(get(waits_for_memory) & !get(blocked) & get(live) != 0, "waits_for_memory: a warp that may issue");
        points.cover_if(get(retire) == 1 && get(waits_for_memory) & get(live) != 0, "retire: with a warp that drains");
        if exits {
            let exits_partly = (1..config.lanes).contains(&(get(exit_lanes).count_ones() as usize));
            points.cover_if(exits_partly, "exit: some lanes");
            points.cover_if(get(waits_for_memory) >> get(exit_warp) & 1 == 1, "exit: of a warp that drains");
        }
        if get(lanes) == 1 {
            let [mask_lanes, leads] = [get(mask), get(leaders)];
            points.cover(if get(retry) == 1 { "lanes: sent back" } else { "lanes: resume" });
            let several = mask_lanes.count_ones() > 1 && leads.count_ones() == 1;
            points.cover_if(several && leads == mask_lanes & mask_lanes.wrapping_neg(), "lanes: the lowest of several leads");
            points.cover_if(several && leads > mask_lanes / 2, "lanes: the highest of several leads");
            points.cover_if(get(fault) == 1, "fault and lanes in one cycle");
            points.cover_if(get(released) != 0, "release and lanes in one cycle");
        }
        fresh = get(released);
    }
    Ok(())
}
