// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gateway`: the states that signals and waits find, the causes of a phase end and the notified warps, refusals, and the
//! rows left open at a release.

use super::points::{points, term, CoverageError, Points, Reach, Term};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::gateway::{Barrier, Outcome, Rows, Work};
use bcu_model::gateway_ports::{GatewayKind, GatewayOp};
use bcu_model::op::Code;
use bcu_model::{Clocked, Gateway as Unit, Sizes};

impl Term for GatewayKind {
    fn all() -> Vec<Self> {
        GatewayKind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

term! {
    /// The role in which a warp signals a barrier.
    pub enum Role {
        Both = "both",
        Producer = "producer",
        Consumer = "consumer",
    }
}

term! {
    /// The effect of a signal on the phase of its barrier.
    pub enum SignalEffect {
        Opens = "opens",
        Joins = "joins",
        Completes = "completes",
        OpensAndCompletes = "opens and completes",
    }
}

term! {
    /// How many consumers of a phase wait when the phase is complete.
    pub enum Waiters {
        None = "no warp waits",
        Some = "some wait",
        All = "all wait",
    }
}

points! {
    pub enum Point {
        /// A signal in this role has this effect on the phase of its barrier.
        Signal(role: Role, effect: SignalEffect) = "signal as {role}: {effect}",
        /// A phase is complete, and of its consumers this many already wait.
        PhaseOver(waiters: Waiters) = "phase over: {waiters}",
        /// A phase is complete, and the warp that has sent the last signal is not one of its consumers.
        PhaseOverSignallerNotNotified = "phase over: the signalling warp is not notified",
        /// A phase is complete while a warp has not yet taken its notification of an earlier phase of the barrier.
        PhaseOverNotifiedBefore = "phase over: a warp was notified before",
        /// A warp waits at a barrier that has already notified it, and resumes at once.
        WaitNotifiedBefore = "wait: notified before",
        /// A warp waits at a barrier that has not notified it, and is blocked.
        WaitWaits = "wait: waits",
        /// A warp waits at a barrier that has already notified it and whose next phase is open.
        WaitNextPhaseOpen = "wait: notified, and the next phase is open",
        /// A warp that already waits at a barrier sends another wait for it.
        WaitOfWaitingWarp = "wait: of a warp that waits",
        /// A warp that has signalled as producer signals the same phase as consumer.
        ProducerThenConsumer = "signal: as producer, then as consumer",
        /// A warp that has signalled as consumer signals the same phase as producer.
        ConsumerThenProducer = "signal: as consumer, then as producer",
        /// A fault with this code is reported.
        Fault(fault: FaultCode) = "fault: {fault}",
        /// The gateway itself refuses an operation with this fault code.
        RefusedHere(fault: FaultCode) = "refused here: {fault}",
        /// An operation is refused because its CTA slot number does not exist in this configuration.
        UnbuiltSlot = "slot that is not built",
        /// The gateway processes an operation of this kind that an earlier unit has refused.
        RefusedUpstream(kind: GatewayKind) = "{kind}: refused upstream",
        /// A CTA is launched that declares more barriers than the gateway has for each CTA slot.
        LaunchTooManyBarriers = "launch: more barriers than are built",
        /// A CTA is launched that declares no barriers.
        LaunchNoBarriers = "launch: none declared",
        /// A warp exits that has signalled a barrier whose phase is still open.
        ExitOfSignaller = "exit: of a warp that has signalled",
        /// A CTA is released of which no barrier is in use.
        ReleaseNothingInUse = "release: nothing in use",
        /// A CTA is released while one of its warps waits.
        ReleaseWarpWaits = "release: a warp waits",
        /// A CTA is released whose barriers are in use only because warps have not taken their notifications: no phase is open.
        ReleaseNotificationAlone = "release: with a notification alone",
        /// A CTA is released of which several barriers are in use.
        ReleaseSeveralInUse = "release: several rows in use",
        /// After the release of a CTA, a barrier with an open phase is cleared.
        ClearedOpen = "cleared: open",
        /// After the release of a CTA, a barrier is cleared that has no open phase and has notified a warp that has not waited since.
        ClearedNotified = "cleared: notified",
        /// After the release of a CTA, a barrier that is not in use is cleared.
        ClearedIdle = "cleared: idle",
        /// A signal or wait accesses the barrier that was accessed or cleared in the cycle before.
        RowOfOperationBefore = "row of the operation before",
        /// A signal or wait accesses the barrier that was accessed or cleared two cycles before, and not in the cycle before.
        RowOfOneBeforeThat = "row of the one before that",
        /// A signal or wait accesses a barrier that was neither accessed nor cleared in the two cycles before.
        RowNeither = "row: neither",
        /// A signal or wait accesses a barrier that was cleared in one of the two cycles before.
        RowClearedThenUsed = "row is cleared, then used",
        /// A fault is offered and not accepted in this cycle.
        FaultWaits = "fault: waits",
        /// An operation is offered and not accepted while a fault is offered and no barriers are being cleared.
        FaultHoldsOperation = "fault: an operation waits for it",
        /// The clearing of a barrier waits because the fault queue has no room.
        FaultHoldsClearing = "fault: a row to clear waits for it",
    }
}

/// Whether the gateway itself detects this fault in an operation.
fn is_detected(fault: FaultCode) -> bool {
    use FaultCode::*;
    matches!(
        fault,
        IdOutOfRange
            | OperandNotUniform
            | DoubleArrival
            | SignalType
            | CountZero
            | CountExceedsGroup
            | SignalMismatch
            | OverSignal
            | NotificationLost
            | ProducerWaits
    )
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Signal(Role::Producer | Role::Consumer, SignalEffect::OpensAndCompletes) => {
            Reach::Unreachable("a phase has a producer and a consumer")
        }
        Point::RefusedHere(fault) if !is_detected(fault) => Reach::Absent,
        Point::UnbuiltSlot => Reach::of_unbuilt_slot(config),
        _ => Reach::Reachable,
    }
}

/// Counts the points of one operation: the state of the row before it, and its effect.
fn operation(rows: &Rows, op: &GatewayOp, outcome: &Outcome, points: &mut Points<Point>) {
    let upstream = op.fault != Code::None;
    points.cover_if(upstream, Point::RefusedUpstream(op.kind));
    if let Some(fault) = outcome.fault {
        points.cover_if(!upstream, Point::RefusedHere(FaultCode::from_u64(fault.code.value())));
        points.cover_if(!upstream && fault.code == Code::NotResident, Point::UnbuiltSlot);
        return;
    }
    let before = rows.barrier(op.cta, op.message.id).copied().unwrap_or_default();
    let bit = 1u64 << op.warp;
    match op.kind {
        GatewayKind::Signal => signal(&before, op, outcome, points),
        GatewayKind::Wait => {
            let notified = before.notified & bit != 0;
            points.cover(if notified { Point::WaitNotifiedBefore } else { Point::WaitWaits });
            points.cover_if(notified && before.phase.is_some(), Point::WaitNextPhaseOpen);
            points.cover_if(before.waiting & bit != 0, Point::WaitOfWaitingWarp);
        }
        GatewayKind::Launch => {
            let built = (0..32).take_while(|id| rows.barrier(op.cta, *id).is_some()).count();
            points.cover_if(usize::from(op.barriers) > built, Point::LaunchTooManyBarriers);
            points.cover_if(op.barriers == 0, Point::LaunchNoBarriers);
        }
        GatewayKind::Exit => {
            let has = |row: &Barrier| row.phase.is_some_and(|phase| (phase.produced | phase.consumed) & bit != 0);
            points.cover_if(barriers_of(rows, op.cta).any(|row| has(&row)), Point::ExitOfSignaller);
        }
        GatewayKind::Release => {
            let used = barriers_of(rows, op.cta).filter(Barrier::is_in_use).count();
            points.cover_if(used == 0, Point::ReleaseNothingInUse);
            points.cover_if(used > 1, Point::ReleaseSeveralInUse);
            points.cover_if(rows.waiting & op.mask != 0, Point::ReleaseWarpWaits);
            let alone = used > 0 && barriers_of(rows, op.cta).all(|row| row.phase.is_none());
            points.cover_if(alone, Point::ReleaseNotificationAlone);
        }
        GatewayKind::Refused => (),
    }
}

fn barriers_of(rows: &Rows, cta: u8) -> impl Iterator<Item = Barrier> + use<'_> {
    (0..32).map_while(move |id| rows.barrier(cta, id).copied())
}

fn signal(before: &Barrier, op: &GatewayOp, outcome: &Outcome, points: &mut Points<Point>) {
    let effect = match (before.phase.is_some(), outcome.release.is_some()) {
        (false, false) => SignalEffect::Opens,
        (true, false) => SignalEffect::Joins,
        (true, true) => SignalEffect::Completes,
        (false, true) => SignalEffect::OpensAndCompletes,
    };
    let role = match op.message.role {
        1 => Role::Producer,
        2 => Role::Consumer,
        _ => Role::Both,
    };
    points.cover(Point::Signal(role, effect));
    let (bit, phase) = (1u64 << op.warp, before.phase.unwrap_or_default());
    points.cover_if(phase.produced & bit != 0, Point::ProducerThenConsumer);
    points.cover_if(phase.consumed & bit != 0, Point::ConsumerThenProducer);
    if let Some(release) = outcome.release {
        points.cover(Point::PhaseOver(match release.warps {
            0 => Waiters::None,
            warps if warps == release.notified => Waiters::All,
            _ => Waiters::Some,
        }));
        points.cover_if(release.notified & bit == 0, Point::PhaseOverSignallerNotNotified);
        points.cover_if(before.notified != 0, Point::PhaseOverNotifiedBefore);
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    // The rows of the last two cycles: CTA slot, barrier id, and whether the row was cleared rather than accessed by an operation.
    let mut recent = [None; 2];
    for cycle in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, cycle);
        let out = unit.outputs();
        let rows = unit.rows().clone();
        if !inputs.reset {
            points.cover_if(out.fault_valid && !inputs.fault_ready, Point::FaultWaits);
            let op_waits = inputs.op.is_some() && !out.op_ready;
            points.cover_if(op_waits && out.fault_valid && !out.clearing, Point::FaultHoldsOperation);
            points.cover_if(out.clearing && out.fault_valid && unit.is_held(), Point::FaultHoldsClearing);
            if out.fault_valid && inputs.fault_ready {
                let code = FaultCode::from_u64(out.fault.code.value());
                points.cover_if(code != FaultCode::None, Point::Fault(code));
            }
        }
        unit.clock(&inputs);
        let row = match unit.done() {
            Some((Work::Operation(op), outcome)) => {
                operation(&rows, op, outcome, points);
                let talks = matches!(op.kind, GatewayKind::Signal | GatewayKind::Wait) && outcome.fault.is_none();
                let row = talks.then_some((op.cta, op.message.id, false));
                if let Some((cta, id, _)) = row {
                    let is = |recent_row: Option<(u8, u8, bool)>| recent_row.is_some_and(|(c, i, _)| (c, i) == (cta, id));
                    let turned = recent.iter().flatten().any(|(c, i, turn)| *turn && (*c, *i) == (cta, id));
                    points.cover_if(turned, Point::RowClearedThenUsed);
                    points.cover(match (is(recent[0]), is(recent[1])) {
                        (true, _) => Point::RowOfOperationBefore,
                        (_, true) => Point::RowOfOneBeforeThat,
                        _ => Point::RowNeither,
                    });
                }
                row
            }
            Some((Work::Row { cta, id, silent }, _)) => {
                let cleared_row = rows.barrier(*cta, *id).copied().unwrap_or_default();
                points.cover_if(!silent && cleared_row.phase.is_some(), Point::ClearedOpen);
                points.cover_if(!silent && cleared_row.phase.is_none() && cleared_row.notified != 0, Point::ClearedNotified);
                points.cover_if(!silent && !cleared_row.is_in_use(), Point::ClearedIdle);
                Some((*cta, *id, true))
            }
            None => None,
        };
        recent = [row, recent[0]];
    }
    Ok(())
}
