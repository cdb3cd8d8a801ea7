// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu`: behaviour that only the joined units have, observed at the ports.

use super::points::{CoverageError, Points, NO_GATEWAY, NO_MBARRIERS, NO_NAMED};
use super::ports::{code, hit_form, list_forms, View};
use super::{bcu_gateway, bcu_hubs, bcu_lanes, bcu_named, bcu_objects};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;

/// Fault codes of named barriers only.
const OF_NAMED: [FaultCode; 8] = [
    FaultCode::CountZeroArrive,
    FaultCode::CountNotWarpMultiple,
    FaultCode::CountExceedsCta,
    FaultCode::KindMismatch,
    FaultCode::CountMismatch,
    FaultCode::NoResult,
    FaultCode::BadStateWord,
    FaultCode::PartialMask,
];

pub fn list(config: &Config, points: &mut Points) {
    list_forms(points);
    let no_mbarriers = (!config.has_mbarrier()).then_some(NO_MBARRIERS);
    let (no_named, no_gateway) =
        (!config.has_named()).then_some(NO_NAMED).map_or((None, Some(NO_GATEWAY)), |no| (Some(no), None));
    for fault in &FaultCode::ALL[1..] {
        let unbound = !config.has_clusters() && !config.has_grids() && !config.has_gateway();
        let unreachable = match fault {
            _ if fault.is_of_mbarrier() => no_mbarriers,
            _ if fault.is_of_cluster() => (!config.has_clusters()).then_some(bcu_hubs::NO_CLUSTERS),
            _ if fault.is_of_gateway() => no_gateway,
            FaultCode::CannotSave => unbound.then_some("the configuration has neither clusters nor grids"),
            _ if OF_NAMED.contains(fault) => no_named,
            _ => None,
        };
        points.list(format!("fault: {}", fault.name()), unreachable);
    }
    bcu_lanes::list(config, points);
    bcu_hubs::list(config, points);
    bcu_named::list(no_named, points);
    bcu_gateway::list(no_gateway, points);
    points.list_all(&["instruction: waits", "exit: waits", "retire: waits", "launch: waits", "fault: waits"]);
    points.list_all(&["exit and instruction in one cycle", "a trapped warp resumes"]);
    points.list_all(&[
        "exit, retire and launch offered in one cycle",
        "retire: with a trapped warp",
        "retire: saved, with a waiting warp",
    ]);
    bcu_objects::list(no_mbarriers, points);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    bcu_lanes::count(config, view, points)?;
    bcu_hubs::count(config, view, points)?;
    if config.has_mbarrier() {
        bcu_objects::count(view, points)?;
    }
    if config.has_named() {
        bcu_named::count(view, points)?;
    } else {
        bcu_gateway::count(view, points)?;
    }
    let reset = view.place("reset")?;
    let instr = view.places(["instr_valid", "instr_ready"])?;
    let word = view.place("instr_word_0")?;
    let [exit, retire, launch] = [
        view.places(["exit_valid", "exit_ready"])?,
        view.places(["retire_valid", "retire_ready"])?,
        view.places(["launch_valid", "launch_ready"])?,
    ];
    let [saved, live, blocked, trapped] = view.places(["retire_saved", "live", "blocked", "trapped"])?;
    let (fault, fault_code) = (view.places(["fault_valid", "fault_ready"])?, view.place("fault_code")?);
    let mut before = None;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let (issued, exits) = (view.both(instr, cycle), view.both(exit, cycle));
        if issued {
            hit_form(points, get(word));
        }
        let waits = get(instr[0]) == 1 && get(instr[1]) == 0;
        points.cover_if(waits, "instruction: waits");
        for (name, [valid, ready]) in [("exit", exit), ("retire", retire), ("launch", launch)] {
            points.cover_if(get(valid) == 1 && get(ready) == 0, &format!("{name}: waits"));
        }
        points.cover_if(issued && exits, "exit and instruction in one cycle");
        let retires = view.both(retire, cycle);
        let offers = [exit, retire, launch].iter().all(|channel| get(channel[0]) == 1);
        points.cover_if(offers, "exit, retire and launch offered in one cycle");
        points.cover_if(retires && get(trapped) != 0, "retire: with a trapped warp");
        points.cover_if(retires && get(saved) == 1 && get(blocked) & !get(trapped) != 0, "retire: saved, with a waiting warp");
        points.cover_if(before.is_some_and(|b: u64| b & !get(trapped) & get(live) != 0), "a trapped warp resumes");
        before = Some(get(trapped));
        points.cover_if(get(fault[0]) == 1 && get(fault[1]) == 0, "fault: waits");
        if view.both(fault, cycle) {
            points.cover(&format!("fault: {}", code(get(fault_code))));
        }
    }
    Ok(())
}
