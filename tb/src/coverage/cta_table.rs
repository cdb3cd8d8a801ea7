// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cta_table`: valid and invalid requests, alone and together.

use super::points::{CoverageError, Points};
use super::ports::{code, View};
use bcu_isa::config::Config;
use bcu_isa::op::{FaultCode, OpKind};

pub fn list(config: &Config, points: &mut Points) {
    for (kind, faults) in
        [(OpKind::Exit, [0, 1, 2]), (OpKind::Release, [0, 1, FaultCode::CannotSave as u64]), (OpKind::Launch, [0, 3, 3])]
    {
        for fault in faults {
            let alone = fault == FaultCode::CannotSave as u64 && !config.has_clusters() && !config.has_grids();
            let unreachable = alone.then_some("the configuration has neither clusters nor grids");
            points.list(format!("operation: {kind:?}, {}", code(fault)), unreachable);
        }
    }
    points.list_all(&["offered in one cycle: retire, launch", "offered in one cycle: all three", "exit: within a launch"]);
    points.list_all(&[
        "operation: waits",
        "launch: waits for clearing",
        "launch: waits for the launch in flight",
        "launch: with exited warps",
        "retire: saved",
    ]);
    points.list_all(&[
        "retire: with live warps",
        "warp_exited: the last warp",
        "exit: waits",
        "retire: waits",
        "launch: waits",
    ]);
    points.list_all(&[
        "retire: waits for what is in flight",
        "retire: waits for a copy",
        "retire: waits for clearing",
        "exit: while a retirement waits",
        "exit: of no lane",
        "exit: waits for an operation in flight of its warp",
    ]);
    points.list_all(&["warp_exited: while a retirement ends its CTA", "warp_exited: a warp that is not live"]);
    points.list_all(&["flushed: no CTA has left", "launch: waits for a CTA that leaves", "exit: of a warp whose CTA retires"]);
    points.list_astray(config, "launch: into a slot that is not built");
    points.list_astray(config, "retire: of a slot that is not built");
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let reset = view.place("reset")?;
    let exit = view.places(["exit_valid", "exit_ready"])?;
    let retire = view.places(["retire_valid", "retire_ready"])?;
    let launch = view.places(["launch_valid", "launch_ready"])?;
    let op = view.places(["op_valid", "op_ready"])?;
    let [kind, fault, saved, live, clearing] = view.places(["op_kind", "op_fault", "saved", "live", "clearing"])?;
    let launching = view.place("launching")?;
    let [warp_exited, exited_warp, in_flight, lanes] =
        view.places(["warp_exited_valid", "warp_exited_warp", "in_flight", "exit_lanes"])?;
    let [warps, exited, slot, retired] = view.places(["launch_warps", "launch_exited", "launch_cta", "retire_cta"])?;
    let [exits, copying, in_decode, exiting] = view.places(["exit_warp", "copying", "in_decode", "exits"])?;
    let slot_bits = view.slot_bits()?;
    // For how many cycles a retirement and a launch have been offered. Beyond the bounds `end` and `come`, in cycles, a request waits for
    // another event.
    let mut offered = [0, 0];
    let (end, come) = (config.warps + 1, 2 * config.warps + 1);
    let (flushed, of_cta) = (view.places(["flushed_valid", "flushed_cta"])?, view.place("op_cta")?);
    // Slots of CTAs whose release was transferred and for which no `flushed` has followed.
    let mut leaving = 0u64;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let transferred = [exit, retire, launch].map(|channel| view.both(channel, cycle));
        let offers = [exit, retire, launch].map(|[valid, _]| get(valid) == 1);
        points.cover_if(offers == [false, true, true], "offered in one cycle: retire, launch");
        points.cover_if(offers == [true; 3], "offered in one cycle: all three");
        points.cover_if(transferred[0] && offers[2] && !offers[1] && offered[1] > 0, "exit: within a launch");
        let [retires, launches] = [offered[0] > end && !transferred[1], offered[1] > come && !transferred[2] && !offers[1]];
        for (since, channel) in offered.iter_mut().zip(1..) {
            *since = if offers[channel] && !transferred[channel] { *since + 1 } else { 0 };
        }
        for (name, [valid, ready]) in [("exit", exit), ("retire", retire), ("launch", launch)] {
            points.cover_if(get(valid) == 1 && get(ready) == 0, &format!("{name}: waits"));
        }
        points.cover_if(launches && get(clearing) == 1 && get(op[0]) == 0, "launch: waits for clearing");
        points.cover_if(launches && get(launching) == 1 && get(op[0]) == 0, "launch: waits for the launch in flight");
        points.cover_if(transferred[1] && get(live) != 0, "retire: with live warps");
        points.cover_if(transferred[2] && get(warps) & get(exited) != 0, "launch: with exited warps");
        points.cover_if(transferred[2] && get(slot) as usize >= config.cta_slots, "launch: into a slot that is not built");
        points.cover_if(transferred[1] && get(retired) as usize >= config.cta_slots, "retire: of a slot that is not built");
        points.cover_if(get(op[0]) == 1 && get(op[1]) == 0, "operation: waits");
        let idle = get(op[0]) == 0 && get(exit[1]) == 1;
        points.cover_if(idle && retires && get(in_flight) != 0, "retire: waits for what is in flight");
        let only_copies = get(in_flight) == 0 && get(clearing) == 0 && get(copying) != 0;
        let only_clearing = get(in_flight) == 0 && get(clearing) == 1;
        points.cover_if(idle && retires && only_copies, "retire: waits for a copy");
        points.cover_if(idle && retires && only_clearing, "retire: waits for clearing");
        points.cover_if(transferred[0] && retires, "exit: while a retirement waits");
        points.cover_if(transferred[0] && get(lanes) == 0, "exit: of no lane");
        let waits_for_op = get(op[0]) == 0 && get(exiting) & get(in_decode) != 0;
        points.cover_if(waits_for_op, "exit: waits for an operation in flight of its warp");
        let of_exit = slot_bits.iter().enumerate().fold(0, |slot, (bit, warps)| slot | (get(*warps) >> get(exits) & 1) << bit);
        points.cover_if(transferred[0] && offers[1] && get(retired) == of_exit, "exit: of a warp whose CTA retires");
        if get(warp_exited) == 1 {
            points.cover_if(get(live) == 1 << get(exited_warp), "warp_exited: the last warp");
            points.cover_if(get(live) >> get(exited_warp) & 1 == 0, "warp_exited: a warp that is not live");
            let next = |place| if cycle + 1 < view.length() { view.get(place, cycle + 1) } else { get(place) };
            let others_stay = get(live) & !(1 << get(exited_warp)) & !next(live) == 0;
            points.cover_if(offered[0] > 1 && offered[0] < end && others_stay, "warp_exited: while a retirement ends its CTA");
        }
        points.cover_if(launches && leaving >> get(slot) & 1 == 1, "launch: waits for a CTA that leaves");
        if get(flushed[0]) == 1 {
            points.cover_if(leaving >> get(flushed[1]) & 1 == 0, "flushed: no CTA has left");
            leaving &= !(1 << get(flushed[1]));
        }
        let offered = get(op[0]) == 1 && get(kind) == OpKind::Release as u64 && get(fault) == 0;
        if offered && view.both(op, cycle) {
            leaving |= 1 << get(of_cta);
        }
        if !view.both(op, cycle) {
            continue;
        }
        let is = OpKind::ALL.get(get(kind) as usize).copied().unwrap_or(OpKind::Sync);
        points.cover(&format!("operation: {is:?}, {}", code(get(fault))));
        points.cover_if(is == OpKind::Release && get(fault) == 0 && get(saved) == 1, "retire: saved");
    }
    Ok(())
}
