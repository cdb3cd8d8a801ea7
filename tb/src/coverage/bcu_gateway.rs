// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about Intel's gateway: notifications, and the channels where they meet other traffic.

use super::points::{CoverageError, Points};
use super::ports::View;

pub fn list(unreachable: Option<&'static str>, points: &mut Points) {
    let mut list = |names: &[&str]| names.iter().for_each(|name| points.list(*name, unreachable));
    list(&["notified: one warp", "notified: several warps", "woken: no warp", "woken: one warp", "woken: several warps"]);
    list(&["notification taken", "notification and fault in one cycle", "notifications in neighbouring cycles"]);
    list(&["exit and signal of one warp in one cycle", "signal after a fence of its warp"]);
    list(&["retire: saved, though something is open"]);
}

pub fn count(view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, word, warp, exit_warp] = view.places(["reset", "instr_word_0", "instr_warp", "exit_warp"])?;
    let (instr, exit) = (view.places(["instr_valid", "instr_ready"])?, view.places(["exit_valid", "exit_ready"])?);
    let [valid, notified, woken] =
        view.places(["gateway_release_valid", "gateway_release_notified", "gateway_release_warps"])?;
    let [fault, ready, code] = view.places(["fault_valid", "fault_ready", "fault_code"])?;
    // Warps whose last instruction was a fence; whether the previous cycle had a notification.
    let (mut fenced, mut before) = (0u64, false);
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let (bit, signals) = (1 << get(warp), get(word) & 0xff == 0xe4);
            points.cover_if(signals && fenced & bit != 0, "signal after a fence of its warp");
            let same = signals && view.both(exit, cycle) && get(warp) == get(exit_warp);
            points.cover_if(same, "exit and signal of one warp in one cycle");
            fenced = if get(word) & 0xff == 0xe3 { fenced | bit } else { fenced & !bit };
        }
        let refused = get(fault) == 1 && get(ready) == 1 && get(code) == 33;
        points.cover_if(refused, "retire: saved, though something is open");
        if get(valid) == 1 {
            let names = |names: [&'static str; 3], warps: u64| names[warps.count_ones().min(2) as usize];
            match get(notified) {
                0 => points.cover("notification taken"),
                warps => {
                    points.cover(names(["", "notified: one warp", "notified: several warps"], warps));
                    points.cover(names(["woken: no warp", "woken: one warp", "woken: several warps"], get(woken)));
                }
            }
            points.cover_if(get(fault) == 1, "notification and fault in one cycle");
            points.cover_if(before, "notifications in neighbouring cycles");
        }
        before = get(valid) == 1;
    }
    Ok(())
}
