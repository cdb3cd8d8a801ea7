// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about named barriers: releases, state words, and the channels where they meet other traffic.

use super::points::{CoverageError, Points};
use super::ports::View;

pub fn list(unreachable: Option<&'static str>, points: &mut Points) {
    let mut list = |names: &[&str]| names.iter().for_each(|name| points.list(*name, unreachable));
    for reduction in ["None", "And", "Or", "Popc"] {
        ["no warp", "one warp", "several warps"].iter().for_each(|warps| list(&[&format!("release: {reduction}, {warps}")]));
    }
    list(&["writeback: a register alone", "writeback: a predicate", "writeback: nothing", "writeback: true"]);
    list(&["exit and arrival of one warp in one cycle", "release and fault in one cycle"]);
    list(&["release and writeback in neighbouring cycles"]);
    list(&["a trapped warp reads", "a trapped warp writes", "a waiting warp reads"]);
}

pub fn count(view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, word, mode, warp] = view.places(["reset", "instr_word_0", "instr_word_2", "instr_warp"])?;
    let (instr, exit) = (view.places(["instr_valid", "instr_ready"])?, view.places(["exit_valid", "exit_ready"])?);
    let [exit_warp, blocked, trapped, fault] = view.places(["exit_warp", "blocked", "trapped", "fault_valid"])?;
    let [released, warps, reduction] = view.places(["release_valid", "release_warps", "release_reduction"])?;
    let [back, predicate, rd, pu] = view.places(["writeback_valid", "writeback_predicate", "writeback_rd", "writeback_pu"])?;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let of_trapped = get(trapped) >> get(warp) & 1 == 1;
            let (reads, writes) = ([0x1c, 0xdc].contains(&(get(word) & 0xff)), get(word) & 0xff == 0x1e);
            points.cover_if(of_trapped && reads, "a trapped warp reads");
            points.cover_if(of_trapped && writes, "a trapped warp writes");
            points.cover_if(!of_trapped && get(blocked) >> get(warp) & 1 == 1 && reads, "a waiting warp reads");
            let arrives = get(word) & 0xff == 0xdd || get(word) & 0xff == 0x1d && get(mode) >> 16 & 1 == 0;
            let same = view.both(exit, cycle) && arrives && get(warp) == get(exit_warp);
            points.cover_if(same, "exit and arrival of one warp in one cycle");
        }
        if get(released) == 1 {
            let woken = ["no warp", "one warp", "several warps"][get(warps).count_ones().min(2) as usize];
            let what = ["None", "And", "Or", "Popc"][get(reduction) as usize & 3];
            points.cover(&format!("release: {what}, {woken}"));
            points.cover_if(get(fault) == 1, "release and fault in one cycle");
            let next = |back| (cycle - 1..=cycle + 1).any(|c| c < view.length() && view.get(back, c) == 1);
            points.cover_if(next(back), "release and writeback in neighbouring cycles");
        }
        if get(back) == 1 {
            points.cover(match (get(rd), get(pu)) {
                (255, 7) => "writeback: nothing",
                (_, 7) => "writeback: a register alone",
                _ => "writeback: a predicate",
            });
            points.cover_if(get(predicate) == 1, "writeback: true");
        }
    }
    Ok(())
}
