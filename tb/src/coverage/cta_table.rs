// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cta_table`: valid and invalid requests, alone and together.

use super::points::{points, term, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::op::Kind;

term! {
    /// A channel of requests.
    pub enum Channel {
        Exit = "exit",
        Retire = "retire",
        Launch = "launch",
    }
}

points! {
    pub enum Point {
        /// An operation of this kind is passed on without a fault.
        Accepted(kind: Kind) = "operation: {kind}, none",
        /// An operation of this kind is refused with this fault code.
        Refused(kind: Kind, fault: FaultCode) = "operation: {kind}, {fault}",
        /// A retirement and a launch of a CTA are offered in the same cycle, and no exit is offered.
        OfferedRetireAndLaunch = "offered in one cycle: retire, launch",
        /// An exit of a warp, a retirement and a launch of a CTA are offered in the same cycle.
        OfferedAllThree = "offered in one cycle: all three",
        /// An exit is accepted while a launch that was already offered in an earlier cycle is still offered, and no retirement is offered.
        ExitWithinLaunch = "exit: within a launch",
        /// An operation is offered to the next unit and not accepted in this cycle.
        OperationWaits = "operation: waits",
        /// A launch has been offered for longer than its evaluation takes, while a released CTA is being cleared.
        LaunchWaitsForClearing = "launch: waits for clearing",
        /// A launch has been offered for longer than its evaluation takes, while an earlier launch has not yet taken effect.
        LaunchWaitsForLaunch = "launch: waits for the launch in flight",
        /// A CTA is launched of which some warps have already exited.
        LaunchWithExitedWarps = "launch: with exited warps",
        /// A CTA is retired whose state is to be saved.
        RetireSaved = "retire: saved",
        /// A retirement is accepted while a warp is live.
        RetireWithLiveWarps = "retire: with live warps",
        /// The last live warp of the multiprocessor exits.
        LastWarpExits = "warp_exited: the last warp",
        /// A request is offered on this channel and not accepted in this cycle.
        Waits(channel: Channel) = "{channel}: waits",
        /// A retirement has been offered for longer than its evaluation takes, while an operation of a warp is in flight.
        RetireWaitsForInFlight = "retire: waits for what is in flight",
        /// A retirement has been offered for longer than its evaluation takes, while only asynchronous copies are outstanding.
        RetireWaitsForCopy = "retire: waits for a copy",
        /// A retirement has been offered for longer than its evaluation takes, while a released CTA is being cleared and no operation is in
        /// flight.
        RetireWaitsForClearing = "retire: waits for clearing",
        /// An exit is accepted while a retirement has been offered for longer than its evaluation takes.
        ExitWhileRetireWaits = "exit: while a retirement waits",
        /// An exit is accepted that names no lane.
        ExitOfNoLane = "exit: of no lane",
        /// An exit is accepted and not yet passed on, while an earlier operation of its warp is in `decode`.
        ExitWaitsForOperation = "exit: waits for an operation in flight of its warp",
        /// A warp exits while the retirement of a CTA is being evaluated, and no other warp ceases to be live in the next cycle.
        ExitedDuringRetire = "warp_exited: while a retirement ends its CTA",
        /// The unit is informed of the exit of a warp that is not live.
        ExitedNotLive = "warp_exited: a warp that is not live",
        /// The unit is informed that a CTA slot is free, although no CTA has left the slot.
        FlushedNotLeaving = "flushed: no CTA has left",
        /// A launch has been offered for longer than its evaluation takes, while another CTA is leaving the CTA slot of the launch.
        LaunchWaitsForLeaving = "launch: waits for a CTA that leaves",
        /// An exit of a warp is accepted while the retirement of its CTA is offered.
        ExitOfRetiringCta = "exit: of a warp whose CTA retires",
        /// A launch is accepted that names a CTA slot number that does not exist in this configuration.
        LaunchIntoUnbuiltSlot = "launch: into a slot that is not built",
        /// A retirement is accepted that names a CTA slot number that does not exist in this configuration.
        RetireOfUnbuiltSlot = "retire: of a slot that is not built",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Accepted(Kind::Exit | Kind::Release | Kind::Launch) => Reach::Reachable,
        Point::Refused(Kind::Exit, FaultCode::NotResident | FaultCode::WarpBlocked) => Reach::Reachable,
        Point::Refused(Kind::Release, FaultCode::NotResident) => Reach::Reachable,
        Point::Refused(Kind::Release, FaultCode::CannotSave) => {
            let alone = !config.has_clusters() && !config.has_grids();
            Reach::unless(alone.then_some("the configuration has neither clusters nor grids"))
        }
        Point::Refused(Kind::Launch, FaultCode::SlotOccupied) => Reach::Reachable,
        Point::Accepted(_) | Point::Refused(..) => Reach::Absent,
        Point::LaunchIntoUnbuiltSlot | Point::RetireOfUnbuiltSlot => Reach::of_unbuilt_slot(config),
        _ => Reach::Reachable,
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
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
    // `offered`: the numbers of cycles for which a retirement and a launch have been offered. The evaluation takes at most `end` cycles
    // for a retirement and `come` cycles for a launch; a request that is offered for longer waits for something else.
    let mut offered = [0, 0];
    let (end, come) = (config.warps + 1, 2 * config.warps + 1);
    let (flushed, of_cta) = (view.places(["flushed_valid", "flushed_cta"])?, view.place("op_cta")?);
    // Slots of CTAs whose release was transferred and for which no `flushed` has followed.
    let mut leaving = 0u64;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let transferred = [exit, retire, launch].map(|channel| view.both(channel, cycle));
        let offers = [exit, retire, launch].map(|[valid, _]| get(valid) == 1);
        points.cover_if(offers == [false, true, true], Point::OfferedRetireAndLaunch);
        points.cover_if(offers == [true; 3], Point::OfferedAllThree);
        points.cover_if(transferred[0] && offers[2] && !offers[1] && offered[1] > 0, Point::ExitWithinLaunch);
        let [retires, launches] = [offered[0] > end && !transferred[1], offered[1] > come && !transferred[2] && !offers[1]];
        for (since, channel) in offered.iter_mut().zip(1..) {
            *since = if offers[channel] && !transferred[channel] { *since + 1 } else { 0 };
        }
        for (channel, [valid, ready]) in [(Channel::Exit, exit), (Channel::Retire, retire), (Channel::Launch, launch)] {
            points.cover_if(get(valid) == 1 && get(ready) == 0, Point::Waits(channel));
        }
        points.cover_if(launches && get(clearing) == 1 && get(op[0]) == 0, Point::LaunchWaitsForClearing);
        points.cover_if(launches && get(launching) == 1 && get(op[0]) == 0, Point::LaunchWaitsForLaunch);
        points.cover_if(transferred[1] && get(live) != 0, Point::RetireWithLiveWarps);
        points.cover_if(transferred[2] && get(warps) & get(exited) != 0, Point::LaunchWithExitedWarps);
        points.cover_if(transferred[2] && get(slot) as usize >= config.cta_slots, Point::LaunchIntoUnbuiltSlot);
        points.cover_if(transferred[1] && get(retired) as usize >= config.cta_slots, Point::RetireOfUnbuiltSlot);
        points.cover_if(get(op[0]) == 1 && get(op[1]) == 0, Point::OperationWaits);
        let idle = get(op[0]) == 0 && get(exit[1]) == 1;
        points.cover_if(idle && retires && get(in_flight) != 0, Point::RetireWaitsForInFlight);
        let only_copies = get(in_flight) == 0 && get(clearing) == 0 && get(copying) != 0;
        let only_clearing = get(in_flight) == 0 && get(clearing) == 1;
        points.cover_if(idle && retires && only_copies, Point::RetireWaitsForCopy);
        points.cover_if(idle && retires && only_clearing, Point::RetireWaitsForClearing);
        points.cover_if(transferred[0] && retires, Point::ExitWhileRetireWaits);
        points.cover_if(transferred[0] && get(lanes) == 0, Point::ExitOfNoLane);
        let waits_for_op = get(op[0]) == 0 && get(exiting) & get(in_decode) != 0;
        points.cover_if(waits_for_op, Point::ExitWaitsForOperation);
        let of_exit = slot_bits.iter().enumerate().fold(0, |slot, (bit, warps)| slot | (get(*warps) >> get(exits) & 1) << bit);
        points.cover_if(transferred[0] && offers[1] && get(retired) == of_exit, Point::ExitOfRetiringCta);
        if get(warp_exited) == 1 {
            points.cover_if(get(live) == 1 << get(exited_warp), Point::LastWarpExits);
            points.cover_if(get(live) >> get(exited_warp) & 1 == 0, Point::ExitedNotLive);
            let next = |place| if cycle + 1 < view.length() { view.get(place, cycle + 1) } else { get(place) };
            let others_stay = get(live) & !(1 << get(exited_warp)) & !next(live) == 0;
            points.cover_if(offered[0] > 1 && offered[0] < end && others_stay, Point::ExitedDuringRetire);
        }
        points.cover_if(launches && leaving >> get(slot) & 1 == 1, Point::LaunchWaitsForLeaving);
        if get(flushed[0]) == 1 {
            points.cover_if(leaving >> get(flushed[1]) & 1 == 0, Point::FlushedNotLeaving);
            leaving &= !(1 << get(flushed[1]));
        }
        if !view.both(op, cycle) {
            continue;
        }
        let (kind, fault) = (Kind::from_value(get(kind)), FaultCode::from_u64(get(fault)));
        points.cover(if fault == FaultCode::None { Point::Accepted(kind) } else { Point::Refused(kind, fault) });
        if kind == Kind::Release && fault == FaultCode::None {
            leaving |= 1 << get(of_cta);
            points.cover_if(get(saved) == 1, Point::RetireSaved);
        }
    }
    Ok(())
}
