// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of `gather`, with the terms that their names contain.

use crate::coverage::points::{points, term, Reach, NO_MBARRIERS};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::op::Kind;

/// Why lanes of a warp with fewer than five lanes are never sent back.
const FOUR_LANES: &str = "two open groups have two live lanes each, and these are all lanes of the warp";

term! {
    /// The effect of a Gathered arrival.
    pub enum Gathered {
        Joins = "joins",
        Completes = "completes",
        OperandsDiffer = "operands differ",
        UnavailableLane = "a lane waits or is not live",
        AnotherOperation = "another operation",
    }
}

term! {
    /// The forms in which lanes of one warp meet without arriving at a barrier.
    pub enum Meeting {
        WarpSync = "WarpSync",
        Elect = "Elect",
    }
}

term! {
    /// The effect of a WarpSync or Elect.
    pub enum Met {
        Joins = "joins",
        Completes = "completes",
        UnavailableLane = "a lane waits or is not live",
        NoMember = "a lane is not a member",
    }
}

term! {
    /// One of the two rendezvous of a warp.
    pub enum Place {
        First = "first",
        Second = "second",
    }
}

term! {
    /// Why arriving lanes contradict an open rendezvous.
    pub enum Clash {
        OtherMembers = "other members",
        OtherForm = "the other form",
    }
}

term! {
    /// The effect of an Exit of lanes.
    pub enum Exit {
        SomeLanes = "some lanes",
        LastLanes = "the last lanes",
        CompletesWaitingGathering = "completes a gathering that waits",
        CompletesOtherGathering = "completes a gathering that does not wait",
        CompletesOneMeeting = "completes one meeting",
        CompletesTwoMeetings = "completes two meetings",
        NotResident = "not_resident",
        WarpBlocked = "warp_blocked",
    }
}

points! {
    pub enum Point {
        /// An operation of this kind has form Raw, so any executing lane represents the whole warp.
        Raw(kind: Kind) = "Raw {kind}",
        /// All live lanes of a warp execute an operation of this kind and form Aligned together.
        Aligned(kind: Kind) = "Aligned {kind}",
        /// An operation of this kind and form Aligned is refused with this fault code.
        AlignedRefused(kind: Kind, fault: FaultCode) = "Aligned {kind}: {fault}",
        /// Lanes execute an operation of this kind and form Gathered, which waits for all live lanes of the warp, with this effect.
        Gathered(kind: Kind, effect: Gathered) = "Gathered {kind}: {effect}",
        /// Lanes execute a WarpSync or Elect, which waits for the lanes of a member mask, with this effect.
        Meets(form: Meeting, effect: Met) = "{form}: {effect}",
        /// A WarpSync or Elect is refused, because this rendezvous of the warp is open with overlapping members and differs in this way.
        Clashes(form: Meeting, place: Place, clash: Clash) = "{form}: clashes with the {place} for {clash}",
        /// The lanes of a WarpSync or Elect must issue their instruction again, because both rendezvous of the warp are in use.
        SentBack(form: Meeting) = "{form}: sent back",
        /// A WarpSync or Elect is refused for a reason that the coverage does not recognize.
        RefusedWithoutCause(form: Meeting) = "{form}: refused without a cause",
        /// Several lanes complete an Elect, and the lowest of them becomes the leader.
        LowestLeads = "Elect: the lowest of several leads",
        /// Several lanes complete an Elect, and the highest of them becomes the leader.
        HighestLeads = "Elect: the highest of several leads",
        /// Lanes of a warp exit, with this effect.
        Exit(effect: Exit) = "exit: {effect}",
        /// A CTA is launched whose last warp has fewer live lanes than a warp can have.
        LaunchInPart = "launch: the last warp in part",
        /// An operation arrives that already has a fault.
        FaultFromBefore = "a fault from before",
        /// A Read of a state word passes without a fault.
        Read = "read",
        /// A Write of a state word passes without a fault.
        Write = "write",
        /// A fence passes without a fault.
        Fence = "fence",
        /// A GridLaunch passes without a fault: the grids that depend on the grid of the warp may start early.
        GridLaunch = "grid launch",
        /// A GridWait passes without a fault: the warp waits for the grids that its grid depends on.
        GridWait = "grid wait",
        /// A message to the gateway passes without a fault.
        Gateway = "gateway",
        /// The Release of a CTA passes without a fault.
        Release = "release",
        /// All live lanes of a warp execute an operation on an mbarrier together, and no lane of the warp waits.
        MbarrierByAll = "mbarrier: by all live lanes",
        /// Some of the live lanes of a warp execute an operation on an mbarrier, or a lane of the warp waits.
        MbarrierBySome = "mbarrier: by some lanes",
        /// An operation is offered at the input and not accepted in this cycle.
        InWaits = "in: waits",
        /// An operation is offered at the output and not accepted in this cycle.
        OperationWaits = "operation: waits",
        /// The unit passes on no operation for an instruction.
        Absorbed = "op_absorbed",
        /// Each of several warps has live lanes, and all of them wait in the unit.
        SeveralGathering = "gathering: two warps",
        /// The output `exit_pending` is 1 for several warps: exits of their lanes have caused operations that are still in flight.
        SeveralExitPending = "exit_pending: two warps",
        /// The operation in the entry waits, because an operation on the lanes of the same warp was evaluated at most two cycles before.
        WaitsForRow = "waits for the row of its warp",
        /// The operation in the entry waits, because a Launch or Release was evaluated in the cycle before.
        WaitsForReset = "waits after a launch or release",
        /// The operation in the entry waits until the effects of an earlier operation have left the unit.
        WaitsForOutput = "waits for the output",
        /// `op_done` reports an operation of a warp at the clock edge that sets `exit_pending` of the warp, and `exit_pending` remains 1.
        DoneAndPendingAgain = "op_done, and exit_pending again at the same edge",
        /// Lanes resume, and the unit passes on no operation.
        ResumeWithoutOperation = "lanes resume and nothing is passed on",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Raw(kind) | Point::Aligned(kind) | Point::AlignedRefused(kind, _) | Point::Gathered(kind, _)
            if !kind.has_form() =>
        {
            Reach::Absent
        }
        Point::AlignedRefused(_, fault) if fault != FaultCode::PartialMask => Reach::Absent,
        Point::RefusedWithoutCause(_) => Reach::Absent,
        Point::SentBack(_) => Reach::unless((config.lanes < 5).then_some(FOUR_LANES)),
        Point::MbarrierByAll | Point::MbarrierBySome => Reach::unless((!config.has_mbarrier()).then_some(NO_MBARRIERS)),
        _ => Reach::Reachable,
    }
}
