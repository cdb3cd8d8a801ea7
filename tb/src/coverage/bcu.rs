// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu`: what only the joined units can show, at its ports.

use super::ports::{code, hit_form, list_forms, View};
use super::{bcu_hubs, bcu_lanes, bcu_objects, CoverageError, Points, NO_MBARRIERS};
use bcu_hw::config::Config;
use bcu_hw::unit::op::FaultCode;

pub fn list(config: &Config, points: &mut Points) {
    list_forms(points);
    let no_mbarriers = (!config.has_mbarrier()).then_some(NO_MBARRIERS);
    for fault in &FaultCode::ALL[1..] {
        let unbound = !config.has_clusters() && !config.has_grids();
        let unreachable = match fault {
            _ if fault.is_of_mbarrier() => no_mbarriers,
            _ if fault.is_of_cluster() => (!config.has_clusters()).then_some(bcu_hubs::NO_CLUSTERS),
            FaultCode::CannotSave => unbound.then_some("there are neither clusters nor grids"),
            _ => None,
        };
        points.list(format!("fault: {}", fault.name()), unreachable);
    }
    bcu_lanes::list(config, points);
    bcu_hubs::list(config, points);
    for reduction in ["None", "And", "Or", "Popc"] {
        let all = ["nobody", "one warp", "several warps"];
        all.iter().for_each(|warps| points.list(format!("release: {reduction}, {warps}"), None));
    }
    points.list_all(&["writeback: a register alone", "writeback: a predicate", "writeback: nothing", "writeback: true"]);
    points.list_all(&["instruction: waits", "exit: waits", "retire: waits", "launch: waits", "fault: waits"]);
    points.list_all(&["exit and instruction in one cycle", "exit and arrival of one warp in one cycle"]);
    points.list_all(&[
        "exit, retire and launch in one cycle",
        "retire: with a trapped warp",
        "retire: saved, with a waiting warp",
    ]);
    bcu_objects::list(no_mbarriers, points);
    points.list_all(&["release and fault in one cycle", "release and writeback in neighbouring cycles"]);
    points.list_all(&["a trapped warp reads", "a trapped warp writes", "a waiting warp reads", "a trapped warp goes on"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    bcu_lanes::count(config, view, points)?;
    bcu_hubs::count(config, view, points)?;
    if config.has_mbarrier() {
        bcu_objects::count(view, points)?;
    }
    let reset = view.place("reset")?;
    let instr = view.places(["instr_valid", "instr_ready"])?;
    let [word, mode, warp] = view.places(["instr_word_0", "instr_word_2", "instr_warp"])?;
    let [exit, retire, launch] = [
        view.places(["exit_valid", "exit_ready"])?,
        view.places(["retire_valid", "retire_ready"])?,
        view.places(["launch_valid", "launch_ready"])?,
    ];
    let [exit_warp, saved, live, blocked, trapped] =
        view.places(["exit_warp", "retire_saved", "live", "blocked", "trapped"])?;
    let [released, warps, reduction] = view.places(["release_valid", "release_warps", "release_reduction"])?;
    let [back, predicate, rd, pu] = view.places(["writeback_valid", "writeback_predicate", "writeback_rd", "writeback_pu"])?;
    let (fault, fault_code) = (view.places(["fault_valid", "fault_ready"])?, view.place("fault_code")?);
    let mut before = None;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let (issued, exits) = (view.both(instr, cycle), view.both(exit, cycle));
        let of_trapped = get(trapped) >> get(warp) & 1 == 1;
        if issued {
            hit_form(points, get(word));
            let (reads, writes) = ([0x1c, 0xdc].contains(&(get(word) & 0xff)), get(word) & 0xff == 0x1e);
            points.hit_if(of_trapped && reads, "a trapped warp reads");
            points.hit_if(of_trapped && writes, "a trapped warp writes");
            points.hit_if(!of_trapped && get(blocked) >> get(warp) & 1 == 1 && reads, "a waiting warp reads");
        }
        let waits = get(instr[0]) == 1 && get(instr[1]) == 0;
        points.hit_if(waits, "instruction: waits");
        for (name, [valid, ready]) in [("exit", exit), ("retire", retire), ("launch", launch)] {
            points.hit_if(get(valid) == 1 && get(ready) == 0, &format!("{name}: waits"));
        }
        points.hit_if(issued && exits, "exit and instruction in one cycle");
        let arrives = [0x1d, 0xdd].contains(&(get(word) & 0xff)) && (get(word) & 0xff == 0xdd || get(mode) >> 16 & 1 == 0);
        let same = issued && exits && arrives && get(warp) == get(exit_warp);
        points.hit_if(same, "exit and arrival of one warp in one cycle");
        let retires = view.both(retire, cycle);
        points.hit_if(exits && retires && view.both(launch, cycle), "exit, retire and launch in one cycle");
        points.hit_if(retires && get(trapped) != 0, "retire: with a trapped warp");
        points.hit_if(retires && get(saved) == 1 && get(blocked) & !get(trapped) != 0, "retire: saved, with a waiting warp");
        points.hit_if(before.is_some_and(|b: u64| b & !get(trapped) & get(live) != 0), "a trapped warp goes on");
        before = Some(get(trapped));
        if get(released) == 1 {
            let who = ["nobody", "one warp", "several warps"][get(warps).count_ones().min(2) as usize];
            let what = ["None", "And", "Or", "Popc"][get(reduction) as usize & 3];
            points.hit(&format!("release: {what}, {who}"));
            points.hit_if(get(fault[0]) == 1, "release and fault in one cycle");
            let next = |back| (cycle - 1..=cycle + 1).any(|c| c < view.length() && view.get(back, c) == 1);
            points.hit_if(next(back), "release and writeback in neighbouring cycles");
        }
        if get(back) == 1 {
            points.hit(match (get(rd), get(pu)) {
                (255, 7) => "writeback: nothing",
                (_, 7) => "writeback: a register alone",
                _ => "writeback: a predicate",
            });
            points.hit_if(get(predicate) == 1, "writeback: true");
        }
        points.hit_if(get(fault[0]) == 1 && get(fault[1]) == 0, "fault: waits");
        if view.both(fault, cycle) {
            points.hit(&format!("fault: {}", code(get(fault_code))));
        }
    }
    Ok(())
}
