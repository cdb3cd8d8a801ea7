// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `gateway`: the states that signals and waits find, the causes of a phase end and the notified warps, refusals, and the
//! rows left open at a release.

use super::points::{CoverageError, Points};
use super::ports::{code, View};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::gateway::{Barrier, Outcome, Rows, Work};
use bcu_model::gateway_ports::{GatewayKind, GatewayOp};
use bcu_model::op::Code;
use bcu_model::{Clocked, Gateway as Unit, Sizes};

const ROLES: [&str; 3] = ["both", "producer", "consumer"];
const DETECTED_FAULTS: [FaultCode; 10] = [
    FaultCode::IdOutOfRange,
    FaultCode::OperandNotUniform,
    FaultCode::DoubleArrival,
    FaultCode::SignalType,
    FaultCode::CountZero,
    FaultCode::CountExceedsGroup,
    FaultCode::SignalMismatch,
    FaultCode::OverSignal,
    FaultCode::NotificationLost,
    FaultCode::ProducerWaits,
];

pub fn list(config: &Config, points: &mut Points) {
    for role in ROLES {
        for does in ["opens", "joins", "completes", "opens and completes"] {
            let single = does == "opens and completes" && role != "both";
            points.list(format!("signal as {role}: {does}"), single.then_some("a phase has a producer and a consumer"));
        }
    }
    for waiters in ["no warp waits", "some wait", "all wait"] {
        points.list(format!("phase over: {waiters}"), None);
    }
    points.list_all(&["phase over: the signalling warp is not notified", "phase over: a warp was notified before"]);
    points.list_all(&["wait: notified before", "wait: waits", "wait: notified, and the next phase is open"]);
    points.list_all(&[
        "wait: of a warp that waits",
        "signal: as producer, then as consumer",
        "signal: as consumer, then as producer",
    ]);
    FaultCode::ALL[1..].iter().for_each(|fault| points.list(format!("fault: {}", fault.name()), None));
    DETECTED_FAULTS.iter().for_each(|fault| points.list(format!("refused here: {}", fault.name()), None));
    points.list_astray(config, "slot that is not built");
    for kind in GatewayKind::ALL {
        points.list(format!("{kind:?}: refused upstream"), None);
    }
    points.list_all(&["launch: more barriers than are built", "launch: none declared", "exit: of a warp that has signalled"]);
    points.list_all(&["release: nothing in use", "release: a warp waits", "release: with a notification alone"]);
    points.list_all(&["release: several rows in use", "cleared: open", "cleared: notified", "cleared: idle"]);
    points.list_all(&[
        "row of the operation before",
        "row of the one before that",
        "row: neither",
        "row is cleared, then used",
    ]);
    points.list_all(&["fault: waits", "fault: an operation waits for it", "fault: a row to clear waits for it"]);
}

/// Counts the points of one operation: the state of the row before it, and its effect.
fn operation(rows: &Rows, op: &GatewayOp, outcome: &Outcome, points: &mut Points) {
    let upstream = op.fault != Code::None;
    points.cover_if(upstream, &format!("{:?}: refused upstream", op.kind));
    if let Some(fault) = outcome.fault {
        points.cover_if(!upstream, &format!("refused here: {}", code(fault.code.value())));
        points.cover_if(!upstream && fault.code == Code::NotResident, "slot that is not built");
        return;
    }
    let before = rows.barrier(op.cta, op.message.id).copied().unwrap_or_default();
    let bit = 1u64 << op.warp;
    match op.kind {
        GatewayKind::Signal => signal(&before, op, outcome, points),
        GatewayKind::Wait => {
            let notified = before.notified & bit != 0;
            points.cover(if notified { "wait: notified before" } else { "wait: waits" });
            points.cover_if(notified && before.phase.is_some(), "wait: notified, and the next phase is open");
            points.cover_if(before.waiting & bit != 0, "wait: of a warp that waits");
        }
        GatewayKind::Launch => {
            let built = (0..32).take_while(|id| rows.barrier(op.cta, *id).is_some()).count();
            points.cover_if(usize::from(op.barriers) > built, "launch: more barriers than are built");
            points.cover_if(op.barriers == 0, "launch: none declared");
        }
        GatewayKind::Exit => {
            let has = |row: &Barrier| row.phase.is_some_and(|phase| (phase.produced | phase.consumed) & bit != 0);
            points.cover_if(barriers_of(rows, op.cta).any(|row| has(&row)), "exit: of a warp that has signalled");
        }
        GatewayKind::Release => {
            let used = barriers_of(rows, op.cta).filter(Barrier::is_in_use).count();
            points.cover_if(used == 0, "release: nothing in use");
            points.cover_if(used > 1, "release: several rows in use");
            points.cover_if(rows.waiting & op.mask != 0, "release: a warp waits");
            let alone = used > 0 && barriers_of(rows, op.cta).all(|row| row.phase.is_none());
            points.cover_if(alone, "release: with a notification alone");
        }
        GatewayKind::Refused => (),
    }
}

fn barriers_of(rows: &Rows, cta: u8) -> impl Iterator<Item = Barrier> + use<'_> {
    (0..32).map_while(move |id| rows.barrier(cta, id).copied())
}

fn signal(before: &Barrier, op: &GatewayOp, outcome: &Outcome, points: &mut Points) {
    let does = match (before.phase.is_some(), outcome.release.is_some()) {
        (false, false) => "opens",
        (true, false) => "joins",
        (true, true) => "completes",
        (false, true) => "opens and completes",
    };
    points.cover(&format!("signal as {}: {does}", ROLES[usize::from(op.message.role % 3)]));
    let (bit, phase) = (1u64 << op.warp, before.phase.unwrap_or_default());
    points.cover_if(phase.produced & bit != 0, "signal: as producer, then as consumer");
    points.cover_if(phase.consumed & bit != 0, "signal: as consumer, then as producer");
    if let Some(release) = outcome.release {
        points.cover(match release.warps {
            0 => "phase over: no warp waits",
            warps if warps == release.notified => "phase over: all wait",
            _ => "phase over: some wait",
        });
        points.cover_if(release.notified & bit == 0, "phase over: the signalling warp is not notified");
        points.cover_if(before.notified != 0, "phase over: a warp was notified before");
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    // The rows of the last two operations or clearing turns, and whether the last was a turn.
    let mut recent = [None; 2];
    for cycle in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, cycle);
        let out = unit.outputs();
        let rows = unit.rows().clone();
        if !inputs.reset {
            points.cover_if(out.fault_valid && !inputs.fault_ready, "fault: waits");
            points.cover_if(
                inputs.op.is_some() && !out.op_ready && out.fault_valid && !out.clearing,
                "fault: an operation waits for it",
            );
            points.cover_if(out.clearing && out.fault_valid && unit.is_held(), "fault: a row to clear waits for it");
            if out.fault_valid && inputs.fault_ready {
                points.cover(&format!("fault: {}", code(out.fault.code.value())));
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
                    points.cover_if(turned, "row is cleared, then used");
                    points.cover(match (is(recent[0]), is(recent[1])) {
                        (true, _) => "row of the operation before",
                        (_, true) => "row of the one before that",
                        _ => "row: neither",
                    });
                }
                row
            }
            Some((Work::Row { cta, id, silent }, _)) => {
                let cleared_row = rows.barrier(*cta, *id).copied().unwrap_or_default();
                points.cover_if(!silent && cleared_row.phase.is_some(), "cleared: open");
                points.cover_if(!silent && cleared_row.phase.is_none() && cleared_row.notified != 0, "cleared: notified");
                points.cover_if(!silent && !cleared_row.is_in_use(), "cleared: idle");
                Some((*cta, *id, true))
            }
            None => None,
        };
        recent = [row, recent[0]];
    }
    Ok(())
}
