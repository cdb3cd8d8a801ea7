// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of `mbarrier`, and which configurations have them.

use crate::coverage::points::{points, term, Reach};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;

term! {
    /// The predicate that a wait returns.
    pub enum Answer {
        True = "true",
        False = "false",
    }
}

term! {
    /// The number of suspended warps that resume in one cycle.
    pub enum WokenWarps {
        One = "one warp",
        Several = "several warps",
    }
}

points! {
    pub enum Point {
        /// A warp's operation of this kind is committed, and its result does not report a refusal.
        Done(kind: MbarrierKind) = "{kind}: done",
        /// A fault with this code is reported.
        Fault(fault: FaultCode) = "fault: {fault}",
        /// A reported fault belongs to no warp: a copy engine, another CTA or the answer to a remote operation has caused it.
        FaultWithoutWarp = "fault: of a copy engine",
        /// A fault is offered and not accepted in this cycle.
        FaultWaits = "fault: waits",
        /// A wait returns this answer and does not suspend its warp.
        WaitAnswered(answer: Answer) = "wait: {answer}",
        /// A wait suspends its warp until the phase is complete or the time limit has passed.
        WaitSuspended = "wait: suspended",
        /// A wait suspends its warp at most 40 cycles after the last wake of the warp, so that a time-out of the earlier suspension may
        /// still be in flight.
        WaitSuspendedAgain = "wait: suspended soon after its wake",
        /// This many suspended warps resume in one cycle, and their waits return this answer.
        Wake(warps: WokenWarps, answer: Answer) = "wake: {warps}, {answer}",
        /// Shared memory accepts a request to read a word.
        MemoryRead = "memory: read",
        /// Shared memory accepts a request to write an mbarrier object.
        MemoryWritten = "memory: object written",
        /// Shared memory accepts a request to write 0 to the word of an mbarrier object.
        MemoryErased = "memory: object erased",
        /// A request to shared memory is offered and not accepted in this cycle.
        MemoryWaits = "memory: request waits",
        /// At least two requests to shared memory are unanswered.
        MemoryTwoUnanswered = "memory: two unanswered",
        /// An operation of a warp is offered and not accepted in this cycle.
        OpWaits = "op: waits",
        /// A message of a copy engine is offered and not accepted in this cycle.
        TxWaits = "tx: waits",
        /// An operation of a warp and a message of a copy engine are accepted in the same cycle.
        OpAndTx = "op and tx in one cycle",
        /// Operations are accepted in four consecutive cycles, or, with fewer than four warps, in as many as there are warps.
        OpInEveryCycle = "op: one in every cycle",
        /// A CTA retires, and its mbarrier objects are to be written to shared memory.
        RetireSaved = "retire: saved",
        /// A CTA retires, and its mbarrier objects are discarded.
        RetireNotSaved = "retire: not saved",
        /// A CTA retires while a warp is suspended.
        RetireWhileSuspended = "retire: with a suspended warp",
        /// A CTA retires while no other CTA is leaving, and `retired` follows after four cycles, as it does for a CTA without mbarrier
        /// objects.
        RetireWithoutObjects = "retire: of one without objects",
        /// A CTA retires while another CTA is leaving.
        RetireWhileAnotherLeaves = "retire: while another leaves",
        /// A CTA retires in the cycle after a message of a copy engine for this CTA is done.
        RetireAfterTxDone = "retire: in the cycle after a tx_done of its CTA",
        /// A CTA retires in a cycle in which suspended warps resume.
        RetireWithWake = "retire: in the cycle of a wake",
        /// The unit reports that it keeps nothing of a retired CTA.
        Retired = "retired",
        /// An operation returns the word of an mbarrier object whose phase bit is 1.
        TokenPhase1 = "token: phase 1",
        /// An operation returns the word of an mbarrier object from which all participants have dropped out.
        TokenSpent = "token: spent",
        /// Suspended warps resume with the answer true at most 20 cycles after a message of a copy engine, in a cycle in which no operation
        /// of a warp is committed.
        TxCompletes = "tx: completes",
        /// A message of a copy engine is done, and no other message is outstanding.
        TxDone = "tx: done",
        /// A message of a copy engine is done, and other messages are outstanding.
        TxDoneBeforeOthers = "tx: done while others are not",
        /// A reset occurs while a warp is suspended.
        ResetWhileSuspended = "reset with suspended warps",
        /// The network accepts an operation of this kind on an mbarrier object of another CTA of the cluster.
        Sent(kind: MbarrierKind) = "{kind}: sent",
        /// An operation of this kind is accepted from another CTA of the cluster.
        Received(kind: MbarrierKind) = "{kind}: received",
        /// An operation is offered to the network and not accepted in this cycle.
        RemoteWaits = "remote: waits",
        /// A CTA reaches the limit of unacknowledged operations on objects of other CTAs.
        RemoteAtLimit = "remote: at the limit",
        /// The network acknowledges an operation and reports that the addressed CTA is absent.
        RemoteAbsent = "remote: absent",
        /// A CTA retires while one of its operations on objects of other CTAs is unacknowledged.
        RemoteRetires = "remote: retire before the answer",
        /// An operation of another CTA is offered and not accepted in this cycle.
        ReceivedWaits = "received: waits",
        /// The unit replies to an operation of another CTA that the addressed CTA is absent.
        ReceivedAbsent = "received: absent",
        /// An operation of a warp, a message of a copy engine and an operation of another CTA are accepted in the same cycle.
        ReceivedWithOpAndTx = "received: in a cycle with op and tx",
        /// An operation in the form for shared memory of the cluster addresses an object of its own CTA, whose rank is not 0.
        ClusterFormOwnRank = "cluster form, own rank",
    }
}

/// Whether an operation of `kind` may address an object of another CTA.
fn may_be_remote(kind: MbarrierKind) -> bool {
    use MbarrierKind::*;
    !matches!(kind, Init | Inval | AddPending | TestWait | TryWait)
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Fault(_) | Point::FaultWithoutWarp | Point::FaultWaits => {
            Reach::unless((!config.faults).then_some("nothing is checked"))
        }
        Point::RetireWhileAnotherLeaves => {
            Reach::unless((config.cta_slots == 1).then_some("the configuration has one CTA slot"))
        }
        Point::Sent(kind) | Point::Received(kind) if !may_be_remote(kind) => Reach::Absent,
        Point::Sent(_)
        | Point::Received(_)
        | Point::RemoteWaits
        | Point::RemoteAtLimit
        | Point::RemoteAbsent
        | Point::RemoteRetires
        | Point::ReceivedWaits
        | Point::ReceivedAbsent
        | Point::ReceivedWithOpAndTx
        | Point::ClusterFormOwnRank => Reach::unless((!config.has_clusters()).then_some("the configuration has no clusters")),
        _ => Reach::Reachable,
    }
}
