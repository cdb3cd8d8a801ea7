// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of `named`, with the terms that their names contain.

use crate::coverage::points::{points, term, Reach};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::barriers::Row;
use bcu_model::op::{Kind, Operation, RedOp, Reduction};

term! {
    /// The state of the row of a barrier.
    pub enum RowState {
        Idle = "idle row",
        SyncCounted = "open sync, counted",
        SyncUncounted = "open sync, uncounted",
        AndCounted = "open And, counted",
        AndUncounted = "open And, uncounted",
        OrCounted = "open Or, counted",
        OrUncounted = "open Or, uncounted",
        PopcCounted = "open Popc, counted",
        PopcUncounted = "open Popc, uncounted",
    }
}

impl RowState {
    pub fn of(row: &Row) -> RowState {
        match (row.reduction, row.is_uncounted()) {
            _ if !row.is_open() => RowState::Idle,
            (Reduction::None, false) => RowState::SyncCounted,
            (Reduction::None, true) => RowState::SyncUncounted,
            (Reduction::And, false) => RowState::AndCounted,
            (Reduction::And, true) => RowState::AndUncounted,
            (Reduction::Or, false) => RowState::OrCounted,
            (Reduction::Or, true) => RowState::OrUncounted,
            (Reduction::Popc, false) => RowState::PopcCounted,
            (Reduction::Popc, true) => RowState::PopcUncounted,
        }
    }

    /// The reduction of the generation; `None` if the row is idle.
    fn reduction(self) -> Option<Reduction> {
        match self {
            RowState::Idle => None,
            RowState::SyncCounted | RowState::SyncUncounted => Some(Reduction::None),
            RowState::AndCounted | RowState::AndUncounted => Some(Reduction::And),
            RowState::OrCounted | RowState::OrUncounted => Some(Reduction::Or),
            RowState::PopcCounted | RowState::PopcUncounted => Some(Reduction::Popc),
        }
    }

    fn is_uncounted(self) -> bool {
        matches!(self, RowState::SyncUncounted | RowState::AndUncounted | RowState::OrUncounted | RowState::PopcUncounted)
    }
}

term! {
    /// The kind of an arrival, with its reduction.
    pub enum Arrival {
        Sync = "Sync",
        Arrive = "Arrive",
        ReduceAnd = "Reduce And",
        ReduceOr = "Reduce Or",
        ReducePopc = "Reduce Popc",
    }
}

impl Arrival {
    /// The arrival of a Sync, Arrive or Reduce.
    pub fn of(op: &Operation) -> Arrival {
        match (op.kind, op.redop) {
            (Kind::Sync, _) => Arrival::Sync,
            (Kind::Arrive, _) => Arrival::Arrive,
            (_, RedOp::And) => Arrival::ReduceAnd,
            (_, RedOp::Or) => Arrival::ReduceOr,
            (_, RedOp::Popc) => Arrival::ReducePopc,
        }
    }

    fn reduction(self) -> Reduction {
        match self {
            Arrival::Sync | Arrival::Arrive => Reduction::None,
            Arrival::ReduceAnd => Reduction::And,
            Arrival::ReduceOr => Reduction::Or,
            Arrival::ReducePopc => Reduction::Popc,
        }
    }
}

term! {
    pub enum Outcome {
        TakesEffect = "takes effect",
        Completes = "completes",
        Refused = "refused",
    }
}

term! {
    pub enum WarpState {
        Free = "free warp",
        Waiting = "waiting warp",
        Trapped = "trapped warp",
    }
}

term! {
    /// The result of the last reduction of a warp.
    pub enum LastResult {
        No = "no result",
        And = "result of And",
        Or = "result of Or",
        Popc = "result of Popc",
    }
}

impl LastResult {
    pub fn of(reduction: Reduction) -> LastResult {
        match reduction {
            Reduction::None => LastResult::No,
            Reduction::And => LastResult::And,
            Reduction::Or => LastResult::Or,
            Reduction::Popc => LastResult::Popc,
        }
    }
}

term! {
    /// The kinds of access to a row, for points of adjacent operations.
    pub enum Access {
        Arrival = "arrival",
        Read = "read",
        Write = "write",
        Exit = "exit",
    }
}

term! {
    /// The result of a reduction that completes.
    pub enum Value {
        And0 = "And 0",
        And1 = "And 1",
        Or0 = "Or 0",
        Or1 = "Or 1",
        Popc0 = "Popc 0",
        PopcAbove0 = "Popc above 0",
    }
}

points! {
    pub enum Point {
        /// An operation of this kind names a CTA slot that is not built.
        Unbuilt(kind: Kind) = "slot that is not built: {kind}",
        /// An arrival of this kind finds the barrier in this state and has this outcome.
        Arrives(arrival: Arrival, row: RowState, outcome: Outcome) = "{arrival}, {row}: {outcome}",
        /// A read of the state of a barrier finds the barrier in this state and has this outcome.
        ReadBarrier(row: RowState, outcome: Outcome) = "Read Barrier, {row}: {outcome}",
        /// A write of the state of a barrier finds the barrier in this state and has this outcome.
        WriteBarrier(row: RowState, outcome: Outcome) = "Write Barrier, {row}: {outcome}",
        /// A warp exits, the barrier that its CTA used last without a count is in this state, and the exit has this outcome.
        Exit(row: RowState, outcome: Outcome) = "Exit, {row}: {outcome}",
        /// A read of the state of a warp finds the warp in this state and has this outcome.
        ReadWarp(warp: WarpState, outcome: Outcome) = "Read Warp, {warp}: {outcome}",
        /// A write of the state of a warp finds the warp in this state and has this outcome.
        WriteWarp(warp: WarpState, outcome: Outcome) = "Write Warp, {warp}: {outcome}",
        /// A read of the last result of a warp finds a result of this kind and has this outcome.
        ReadResult(result: LastResult, outcome: Outcome) = "Read Result, {result}: {outcome}",
        /// The unit itself detects this fault.
        FaultFound(fault: FaultCode) = "fault found here: {fault}",
        /// An operation enters the unit with this fault, and the unit reports the fault.
        FaultFromUpstream(fault: FaultCode) = "fault from upstream: {fault}",
        /// An operation is refused with this fault, and the fault policy applies to its warp.
        PolicyApplies(fault: FaultCode) = "the policy applies: {fault}",
        /// An operation is refused, and the fault policy applies to no warp.
        NoPolicy = "no policy applies to a refused operation",
        /// A write of the state of a warp marks the warp as trapped.
        WriteTraps = "Write Warp: it is trapped",
        /// A write of the state of a warp marks the warp as not trapped.
        WriteUntraps = "Write Warp: it is not trapped",
        /// Two adjacent operations access the same row in these ways.
        TwoOperations(first: Access, second: Access) = "one row in two operations: {first}, {second}",
        /// The first and the third of three adjacent operations access the same row in these ways, and the second does not access it.
        ThreeOperations(first: Access, third: Access) = "one row in three operations: {first}, another row, {third}",
        /// An arrival of this kind at a barrier directly follows the operation that completed a generation of the same barrier.
        AfterCompletion(arrival: Arrival) = "directly after a completion of its row: {arrival}",
        /// A read of the result of a warp directly follows the operation that gave the warp this result.
        ReadAfterReduction = "directly after a reduction: read of its result",
        /// A read of the state of a warp directly follows the write of the state of the same warp.
        ReadAfterWrite = "directly after a written warp: its read",
        /// A reduction completes with this result.
        Result(value: Value) = "result: {value}",
        /// A generation completes, and no warp waits for it.
        ReleaseOfNone = "release without a warp",
        /// A generation completes, and one warp resumes.
        ReleaseOfOne = "release of one warp",
        /// A generation completes, and several warps resume.
        ReleaseOfSeveral = "release of several warps",
        /// A generation completes, and a trapped warp is one of the warps that waited for it.
        ReleaseOfTrapped = "release of a trapped warp",
        /// A fence without a fault enters the unit.
        Fence = "Fence: without a fault",
        /// A fence with a fault enters the unit.
        FenceRefused = "Fence: refused",
        /// A second barrier without a count is open in a CTA, so neither of the two barriers can complete.
        ImplicitConflict = "implicit_conflict",
        /// A CTA is launched into a slot whose barriers are all idle.
        LaunchOverIdle = "Launch: over idle rows",
        /// A CTA is launched into a slot in which a barrier is open.
        LaunchOverOpen = "Launch: over open rows",
        /// A CTA is released, and none of its barriers is open.
        ReleaseNothingOpen = "Release: nothing open",
        /// A CTA is released while one of its barriers is open, and its state was not saved.
        ReleaseLeftOpen = "Release: rows left open",
        /// A CTA is released while one of its barriers is open, and its state was saved.
        ReleaseSaved = "Release: rows saved",
        /// An operation is offered and not accepted, because the queue of faults has no free place.
        WaitsForFaults = "operation waits for the fault queue",
        /// An operation is offered and not accepted, because the unit clears rows.
        WaitsForRows = "operation waits for rows to be cleared",
        /// An operation is offered and not accepted, because the operation before it occupies the channel for two cycles.
        WaitsForSecondSlot = "operation waits for the second slot of another",
        /// An operation is offered and not accepted, because a Release in the pipeline has not yet determined whether it finds open rows.
        WaitsForRelease = "operation waits for what a Release finds",
        /// A fault is offered at the output and not accepted in this cycle.
        FaultWaits = "fault waits",
        /// An arrival at a barrier that needs more warps than the unit has is not refused and has this outcome.
        ArrivalOfTooMany(outcome: Outcome) = "arrival of more warps than there are: {outcome}",
        /// The result of a completed Popc is larger than the number of lanes of all warps.
        PopcAboveLanes = "result: Popc above all lanes",
        /// A write of the state of a warp stores a result that is larger than the number of lanes of all warps.
        WriteAboveLanes = "Write Warp: result above all lanes",
        /// The unit is reset while a barrier is open.
        ResetWithOpenRows = "reset with open rows",
        /// A warp exits while several barriers of its CTA are open without a count.
        SeveralUncounted = "several rows open without a count after an exit",
    }
}

/// Fault codes that `named` itself detects.
const DETECTED_FAULTS: [FaultCode; 11] = [
    FaultCode::IdOutOfRange,
    FaultCode::OperandNotUniform,
    FaultCode::CountZeroArrive,
    FaultCode::CountNotWarpMultiple,
    FaultCode::CountExceedsCta,
    FaultCode::DoubleArrival,
    FaultCode::KindMismatch,
    FaultCode::CountMismatch,
    FaultCode::NoResult,
    FaultCode::BadStateWord,
    FaultCode::BarrierLeftOpen,
];

/// Whether the fault policy can apply to an operation with this fault.
fn has_policy(fault: FaultCode) -> bool {
    match fault {
        FaultCode::WarpBlocked | FaultCode::IllegalInstruction => true,
        FaultCode::BarrierLeftOpen => false,
        fault => DETECTED_FAULTS.contains(&fault),
    }
}

/// Why an arrival of this kind cannot have this outcome in this state of the barrier; `None`: it can.
fn impossible(arrival: Arrival, row: RowState, outcome: Outcome) -> Option<&'static str> {
    match row.reduction() {
        _ if outcome == Outcome::Refused => None,
        Some(reduction) if reduction != arrival.reduction() => Some("kind_mismatch"),
        _ if arrival == Arrival::Arrive && row.is_uncounted() => Some("count_zero_arrive or count_mismatch"),
        _ => None,
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    let listed = |is_listed: bool| if is_listed { Reach::Reachable } else { Reach::Absent };
    match point {
        // The kinds after the fence are operations on mbarriers, clusters and grids, which other units execute.
        Point::Unbuilt(kind) if kind.value() > Kind::Fence.value() => Reach::Absent,
        Point::Unbuilt(_) => Reach::of_unbuilt_slot(config),
        Point::Arrives(arrival, row, outcome) => Reach::unless(impossible(arrival, row, outcome)),
        Point::ReadBarrier(_, Outcome::Completes)
        | Point::ReadWarp(_, Outcome::Completes)
        | Point::WriteWarp(_, Outcome::Completes)
        | Point::ReadResult(_, Outcome::Completes)
        | Point::Exit(_, Outcome::Refused)
        | Point::ArrivalOfTooMany(Outcome::Refused) => Reach::Absent,
        Point::Exit(row, Outcome::Completes) => {
            Reach::unless((!row.is_uncounted()).then_some("an exit helps no count, and nothing idle"))
        }
        Point::WriteWarp(WarpState::Waiting, Outcome::TakesEffect) => Reach::Unreachable("it is bad_state_word"),
        Point::ReadResult(LastResult::No, Outcome::TakesEffect) => Reach::Unreachable("it is no_result"),
        Point::FaultFound(fault) => listed(DETECTED_FAULTS.contains(&fault)),
        Point::PolicyApplies(fault) => listed(has_policy(fault)),
        _ => Reach::Reachable,
    }
}
