// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about lanes and memory accesses, at its ports.

use super::points::{points, term, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::Form;

/// Why the points of arrivals that are gathered or parked are unreachable.
const NO_ARRIVALS: &str = "no arrivals are gathered or parked";

term! {
    /// The kind of an arrival at a named barrier.
    pub enum ArrivalKind {
        Sync = "SYNC",
        Arv = "ARV",
        Red = "RED",
    }
}

term! {
    /// How the lanes of a warp arrive at a barrier.
    pub enum ArrivalForm {
        Raw = "Raw",
        Aligned = "Aligned",
        Gathered = "Gathered",
    }
}

term! {
    /// The kind of a rendezvous of lanes of one warp.
    pub enum Rendezvous {
        WarpSync = "WarpSync",
        Elect = "Elect",
    }
}

term! {
    /// Why a warp waits at a fence.
    pub enum FenceWait {
        Nothing = "nothing to wait for",
        Accesses = "waits for accesses",
        ParkedOperation = "waits for a parked operation",
    }
}

points! {
    pub enum Point {
        /// An instruction of this kind and form is transferred, by which lanes of a warp arrive at a named barrier.
        Arrival(kind: ArrivalKind, form: ArrivalForm) = "arrival: {kind}, {form}",
        /// An instruction of this kind is transferred, by which lanes of a warp wait for each other.
        Meeting(kind: Rendezvous) = "meeting: {kind}",
        /// Lanes of a warp that have waited for other lanes of the warp resume.
        LanesResume = "lanes: resume",
        /// All live lanes of a warp wait for lanes of the warp.
        Gathering = "gathering: a warp",
        /// All live lanes of several warps wait for lanes of their warps in one cycle.
        GatheringSeveral = "gathering: several warps",
        /// An operation of a warp waits for memory accesses, and the warp may issue instructions meanwhile.
        WaitsAndMayIssue = "waits_for_memory: a warp that may issue",
        /// A warp issues an arrival at a named barrier in the first cycle after a barrier has released the warp.
        ArrivalAfterRelease = "an arrival right after its release",
        /// Several lanes of a warp meet at an Elect, and the lowest of them becomes the leader.
        LowestLeads = "lanes: the lowest of several leads",
        /// Several lanes of a warp meet at an Elect, and the highest of them becomes the leader.
        HighestLeads = "lanes: the highest of several leads",
        /// Lanes of a warp must issue their rendezvous again, because the warp has as many open rendezvous as are built.
        LanesSentBack = "lanes: sent back",
        /// An operation of a warp waits for memory accesses.
        Waits = "waits_for_memory: a warp",
        /// Operations of several warps wait for memory accesses in one cycle.
        WaitsSeveral = "waits_for_memory: several warps",
        /// An instruction that reads state is transferred while an earlier operation of its warp waits for memory accesses.
        WaitsAndReads = "waits_for_memory: a warp reads",
        /// The retirement of a CTA is offered while an operation of a live warp waits for memory accesses.
        RetireWhileWaits = "retire: with a warp that drains",
        /// An exit of some lanes of a warp, but not of as many as a warp has, is transferred.
        ExitOfSomeLanes = "exit: some lanes",
        /// An exit of lanes of a warp is transferred while an earlier operation of the warp waits for memory accesses.
        ExitWhileWaits = "exit: of a warp that drains",
        /// A warp resumes after a fence, having waited there for what the name of the point says.
        Fence(why: FenceWait) = "fence: {why}",
        /// The exit of lanes of a warp and an arrival of other lanes of this warp are transferred in one cycle.
        ExitAndPartialArrival = "exit and partial arrival of one warp in one cycle",
        /// A warp issues a memory access in the first cycle after a barrier has released the warp.
        AccessAfterRelease = "an access right after its release",
        /// A memory access that was issued in the previous epoch of its warp is performed.
        PerformInEarlierEpoch = "perform in the epoch before",
        /// Lanes of a warp resume or must issue again in a cycle in which a fault is offered.
        FaultAndLanes = "fault and lanes in one cycle",
        /// Lanes of a warp resume or must issue again in a cycle in which a barrier releases warps.
        ReleaseAndLanes = "release and lanes in one cycle",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Arrival(..) if !config.has_named() => Reach::Absent,
        Point::Gathering
        | Point::GatheringSeveral
        | Point::WaitsAndMayIssue
        | Point::ArrivalAfterRelease
        | Point::Fence(FenceWait::ParkedOperation)
        | Point::ExitAndPartialArrival => Reach::unless((!config.has_named()).then_some(NO_ARRIVALS)),
        Point::LanesSentBack => Reach::unless((config.lanes <= 4).then_some("two open rendezvous have at least four lanes")),
        _ => Reach::Reachable,
    }
}

/// The form of an arrival; `None`: the instruction is a rendezvous.
fn arrival_form(form: Form) -> Option<ArrivalForm> {
    match form {
        Form::Raw => Some(ArrivalForm::Raw),
        Form::Aligned => Some(ArrivalForm::Aligned),
        Form::Gathered => Some(ArrivalForm::Gathered),
        Form::WarpSync | Form::Elect => None,
    }
}

/// The kind of a rendezvous; `None`: the instruction is no rendezvous.
fn rendezvous(form: Form) -> Option<Rendezvous> {
    match form {
        Form::WarpSync => Some(Rendezvous::WarpSync),
        Form::Elect => Some(Rendezvous::Elect),
        Form::Raw | Form::Aligned | Form::Gathered => None,
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
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
    // For each warp at a fence: the cycle of the fence, and the reason for the wait.
    let mut fences: [Option<(usize, FenceWait)>; 64] = [None; 64];
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
            if *why == FenceWait::Nothing && get(waits_for_memory) >> slot & 1 == 1 {
                *why = FenceWait::Accesses;
            }
            if cycle > *since + 1 && get(blocked) >> slot & 1 == 0 {
                points.cover(Point::Fence(*why));
                *fence = None;
            }
        }
        let form = Form::from_u64(get(form));
        let kind = match (get(word) & 0xff, get(mode) >> 16 & 1) {
            (0x1d, 0) => Some(ArrivalKind::Sync),
            (0x1d, _) => Some(ArrivalKind::Arv),
            (0xdd, _) => Some(ArrivalKind::Red),
            _ => None,
        };
        let meeting = rendezvous(form);
        let meets = meeting.is_some();
        let arrival = kind.zip(arrival_form(form)).filter(|_| issued && config.has_named());
        let executes = get(active) & get(guard) != 0 && (get(live) & !get(blocked)) >> get(warp) & 1 == 1;
        // The lowest 12 bits identify a fence. The other bits are not checked here, because most words are legal.
        if issued && !meets && executes && get(word) & 0xfff == 0x3e3 {
            let parked = get(waits_for_memory) >> get(warp) & 1 == 1;
            let why = if parked { FenceWait::ParkedOperation } else { FenceWait::Nothing };
            fences[get(warp) as usize & 63] = Some((cycle, why));
        }
        if let Some(meeting) = meeting.filter(|_| issued) {
            points.cover(Point::Meeting(meeting));
        }
        if let Some((kind, arrival_form)) = arrival {
            points.cover(Point::Arrival(kind, arrival_form));
            points.cover_if(fresh >> get(warp) & 1 == 1, Point::ArrivalAfterRelease);
            let same = exits && get(exit_warp) == get(warp) && arrival_form == ArrivalForm::Gathered;
            points.cover_if(same, Point::ExitAndPartialArrival);
        }
        let reads = [0x1c, 0xdc].contains(&(get(word) & 0xff)) && !meets;
        points.cover_if(issued && reads && get(waits_for_memory) >> get(warp) & 1 == 1, Point::WaitsAndReads);
        for ([issue, issuer], [perform, performer, access_epoch]) in &accesses {
            points.cover_if(get(*issue) == 1 && fresh >> get(*issuer) & 1 == 1, Point::AccessAfterRelease);
            let before = get(epoch) >> get(*performer) & 1 != get(*access_epoch);
            points.cover_if(get(*perform) == 1 && before, Point::PerformInEarlierEpoch);
        }
        points.cover_if(get(gathering) != 0, Point::Gathering);
        points.cover_if(get(gathering).count_ones() > 1, Point::GatheringSeveral);
        points.cover_if(get(waits_for_memory) != 0, Point::Waits);
        points.cover_if(get(waits_for_memory).count_ones() > 1, Point::WaitsSeveral);
        points.cover_if(get(waits_for_memory) & !get(blocked) & get(live) != 0, Point::WaitsAndMayIssue);
        points.cover_if(get(retire) == 1 && get(waits_for_memory) & get(live) != 0, Point::RetireWhileWaits);
        if exits {
            let exits_partly = (1..config.lanes).contains(&(get(exit_lanes).count_ones() as usize));
            points.cover_if(exits_partly, Point::ExitOfSomeLanes);
            points.cover_if(get(waits_for_memory) >> get(exit_warp) & 1 == 1, Point::ExitWhileWaits);
        }
        if get(lanes) == 1 {
            let [mask_lanes, leads] = [get(mask), get(leaders)];
            points.cover(if get(retry) == 1 { Point::LanesSentBack } else { Point::LanesResume });
            let several = mask_lanes.count_ones() > 1 && leads.count_ones() == 1;
            points.cover_if(several && leads == mask_lanes & mask_lanes.wrapping_neg(), Point::LowestLeads);
            points.cover_if(several && leads > mask_lanes / 2, Point::HighestLeads);
            points.cover_if(get(fault) == 1, Point::FaultAndLanes);
            points.cover_if(get(released) != 0, Point::ReleaseAndLanes);
        }
        fresh = get(released);
    }
    Ok(())
}
