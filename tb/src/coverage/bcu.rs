// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu`: behaviour that only the joined units have, observed at the ports.

use super::points::{joined_points, points, CoverageError, Points, Reach, NO_GATEWAY, NO_MBARRIERS, NO_NAMED};
use super::ports::View;
use super::terms::Form;
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

joined_points! {
    pub enum Point {
        Whole(WholePoint),
        Lanes(bcu_lanes::Point),
        Hubs(bcu_hubs::Point),
        Named(bcu_named::Point),
        Gateway(bcu_gateway::Point),
        Objects(bcu_objects::Point),
    }
}

points! {
    pub enum WholePoint {
        /// An instruction of this form is transferred.
        Instruction(form: Form) = "form: {form}",
        /// A fault with this code is transferred.
        Fault(fault: FaultCode) = "fault: {fault}",
        /// An instruction is offered, and it is not taken in this cycle.
        InstructionWaits = "instruction: waits",
        /// The exit of a warp's lanes is offered, and it is not taken in this cycle.
        ExitWaits = "exit: waits",
        /// The retirement of a CTA is offered, and it is not taken in this cycle.
        RetireWaits = "retire: waits",
        /// The launch of a CTA is offered, and it is not taken in this cycle.
        LaunchWaits = "launch: waits",
        /// The unit offers a fault, and the fault is not taken in this cycle.
        FaultWaits = "fault: waits",
        /// An exit and an instruction are transferred in one cycle.
        ExitAndInstruction = "exit and instruction in one cycle",
        /// An exit, a retirement and a launch are offered in one cycle.
        AllOffered = "exit, retire and launch offered in one cycle",
        /// A warp that was trapped in the previous cycle is live and no longer trapped.
        TrappedResumes = "a trapped warp resumes",
        /// The retirement of a CTA is transferred while a warp is trapped.
        RetireWithTrapped = "retire: with a trapped warp",
        /// The retirement of a CTA with saved state is transferred while a warp is blocked and not trapped.
        RetireSavedWithWaiting = "retire: saved, with a waiting warp",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Whole(WholePoint::Fault(fault)) => Reach::unless(unreachable_fault(config, fault)),
        Point::Whole(_) => Reach::Reachable,
        Point::Lanes(point) => bcu_lanes::reach(config, point),
        Point::Hubs(point) => bcu_hubs::reach(config, point),
        Point::Named(_) => Reach::unless(no_named(config)),
        Point::Gateway(point) => bcu_gateway::reach(no_gateway(config), point),
        Point::Objects(_) => Reach::unless(no_mbarriers(config)),
    }
}

fn no_mbarriers(config: &Config) -> Option<&'static str> {
    (!config.has_mbarrier()).then_some(NO_MBARRIERS)
}

fn no_named(config: &Config) -> Option<&'static str> {
    (!config.has_named()).then_some(NO_NAMED)
}

fn no_gateway(config: &Config) -> Option<&'static str> {
    config.has_named().then_some(NO_GATEWAY)
}

/// The reason why no run of this configuration reports `fault`; `None`: a run can report it.
fn unreachable_fault(config: &Config, fault: FaultCode) -> Option<&'static str> {
    let unbound = !config.has_clusters() && !config.has_grids() && !config.has_gateway();
    match fault {
        _ if fault.is_of_mbarrier() => no_mbarriers(config),
        _ if fault.is_of_cluster() => (!config.has_clusters()).then_some(bcu_hubs::NO_CLUSTERS),
        _ if fault.is_of_gateway() => no_gateway(config),
        FaultCode::CannotSave => unbound.then_some("the configuration has neither clusters nor grids"),
        _ if OF_NAMED.contains(&fault) => no_named(config),
        _ => None,
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let mut lanes = Points::default();
    bcu_lanes::count(config, view, &mut lanes)?;
    points.add(lanes);
    let mut hubs = Points::default();
    bcu_hubs::count(config, view, &mut hubs)?;
    points.add(hubs);
    if config.has_mbarrier() {
        let mut objects = Points::default();
        bcu_objects::count(view, &mut objects)?;
        points.add(objects);
    }
    if config.has_named() {
        let mut named = Points::default();
        bcu_named::count(view, &mut named)?;
        points.add(named);
    } else {
        let mut gateway = Points::default();
        bcu_gateway::count(view, &mut gateway)?;
        points.add(gateway);
    }
    let mut whole = Points::default();
    count_whole(view, &mut whole)?;
    points.add(whole);
    Ok(())
}

fn count_whole(view: &View, points: &mut Points<WholePoint>) -> Result<(), CoverageError> {
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
    let channels = [
        (instr, WholePoint::InstructionWaits),
        (exit, WholePoint::ExitWaits),
        (retire, WholePoint::RetireWaits),
        (launch, WholePoint::LaunchWaits),
        (fault, WholePoint::FaultWaits),
    ];
    let mut before = None;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let (issued, exits) = (view.both(instr, cycle), view.both(exit, cycle));
        if let Some(form) = Form::of(get(word)).filter(|_| issued) {
            points.cover(WholePoint::Instruction(form));
        }
        for ([valid, ready], waits) in channels {
            points.cover_if(get(valid) == 1 && get(ready) == 0, waits);
        }
        points.cover_if(issued && exits, WholePoint::ExitAndInstruction);
        let retires = view.both(retire, cycle);
        let offers = [exit, retire, launch].iter().all(|channel| get(channel[0]) == 1);
        points.cover_if(offers, WholePoint::AllOffered);
        points.cover_if(retires && get(trapped) != 0, WholePoint::RetireWithTrapped);
        let waiting = get(blocked) & !get(trapped) != 0;
        points.cover_if(retires && get(saved) == 1 && waiting, WholePoint::RetireSavedWithWaiting);
        points.cover_if(before.is_some_and(|b: u64| b & !get(trapped) & get(live) != 0), WholePoint::TrappedResumes);
        before = Some(get(trapped));
        let code = FaultCode::from_u64(get(fault_code));
        points.cover_if(view.both(fault, cycle) && code != FaultCode::None, WholePoint::Fault(code));
    }
    Ok(())
}
