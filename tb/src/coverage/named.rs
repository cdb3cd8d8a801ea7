// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `named`: every operation in every state of its row or warp, every fault under every policy, and every sequence of
//! adjacent operations. The recording's operations are repeated on the model's barriers, which supply those states.

mod points;

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::barriers::{Barriers, Effect};
use bcu_model::op::{Code, Kind, Operation, Reduction, StateWord};
use bcu_model::{Named, Sizes};
pub use points::{reach, Point};
use points::{Access, Arrival, LastResult, Outcome, RowState, Value, WarpState};

fn outcome(effect: &Effect) -> Outcome {
    match (effect.fault, effect.release) {
        (Some(_), _) => Outcome::Refused,
        (_, Some(_)) => Outcome::Completes,
        _ => Outcome::TakesEffect,
    }
}

/// An access to a row: its kind, the CTA slot and the barrier id.
type RowAccess = (Access, u8, u8);

/// The row that `op` accesses.
fn row_access(op: &Operation, barriers: &Barriers) -> Option<RowAccess> {
    let slot = barriers.slot(op.cta);
    match op.kind {
        _ if op.fault != Code::None => None,
        Kind::Exit => Some((Access::Exit, op.cta, slot.last_uncounted)),
        _ if u32::from(op.id) >= slot.declared => None,
        Kind::Sync | Kind::Arrive | Kind::Reduce => Some((Access::Arrival, op.cta, op.id)),
        Kind::Read if op.state == StateWord::Barrier => Some((Access::Read, op.cta, op.id)),
        Kind::Write if op.state == StateWord::Barrier => Some((Access::Write, op.cta, op.id)),
        _ => None,
    }
}

/// The effects of the operation in the previous pipeline slot, for points of adjacent operations.
#[derive(Default)]
struct Before {
    access: Option<RowAccess>,
    /// The row access of the operation before that, if no pipeline slot between the two operations is empty.
    earlier_access: Option<RowAccess>,
    completed: Option<(u8, u8)>,
    results: u64,
    wrote: Option<u8>,
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset, trapped, clearing] = view.places(["reset", "trapped", "clearing"])?;
    let (op, fault) = (view.places(["op_valid", "op_ready"])?, view.places(["fault_valid", "fault_ready"])?);
    let mut barriers = Barriers::new(sizes);
    let mut before = Before::default();
    // The cycles after the last operation in which the unit takes no operation, whatever happens at the other ports.
    let mut closed = 0..0;
    for cycle in 1..view.length().saturating_sub(1) {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            let open = (0..sizes.cta_slots() as u8).any(|cta| barriers.slot(cta).open_rows > 0);
            points.cover_if(open, Point::ResetWithOpenRows);
            (barriers, before, closed) = (Barriers::new(sizes), Before::default(), 0..0);
            continue;
        }
        points.cover_if(get(fault[0]) == 1 && get(fault[1]) == 0, Point::FaultWaits);
        let transferred = view.inputs::<Named>(&sizes, cycle).op.filter(|_| get(op[1]) == 1);
        let Some(op) = transferred else {
            let wait = match (closed.contains(&cycle), get(clearing)) {
                (true, _) if cycle == closed.start => Point::WaitsForSecondSlot,
                (true, _) => Point::WaitsForRelease,
                (false, 0) => Point::WaitsForFaults,
                (false, _) => Point::WaitsForRows,
            };
            points.cover_if(get(op[0]) == 1, wait);
            if !closed.contains(&cycle) {
                before = Before::default();
            }
            continue;
        };
        let astray = usize::from(op.cta) >= sizes.cta_slots();
        let op = op.in_a_slot_of(&sizes);
        let effect = cycle + if op.takes_two_slots() { 3 } else { 2 };
        closed = cycle + 1..if op.kind == Kind::Release { effect + 1 } else { effect - 1 };
        // An operation has no effect if a reset precedes its effect.
        if effect >= view.length() || (cycle..=effect).any(|c| view.get(reset, c) == 1) {
            continue;
        }
        before = cover_op(points, &sizes, &mut barriers, &op, view.get(trapped, effect), &before);
        points.cover_if(astray, Point::Unbuilt(op.kind));
    }
    Ok(())
}

/// Counts the points of one operation and executes it on the model.
fn cover_op(
    points: &mut Points<Point>,
    sizes: &Sizes,
    barriers: &mut Barriers,
    op: &Operation,
    trapped: u64,
    before: &Before,
) -> Before {
    let access = row_access(op, barriers);
    let bit = 1u64 << op.warp;
    let warps = barriers.warps();
    let warp = match (warps.waiting & bit, trapped & bit) {
        (0, 0) => WarpState::Free,
        (0, _) => WarpState::Trapped,
        _ => WarpState::Waiting,
    };
    let reduction = warps.results[usize::from(op.warp)].reduction;
    let found = access.and_then(|(_, cta, id)| barriers.row(cta, id)).map(RowState::of);
    let target = match u32::from(op.count) / sizes.lanes() as u32 {
        0 => barriers.slot(op.cta).live,
        given => given,
    };
    let (open, uncounted) = (barriers.slot(op.cta).open_rows > 0, barriers.slot(op.cta).uncounted_rows);
    let commit = barriers.commit(op);
    let effect = barriers.apply(op, trapped);
    let outcome = outcome(&effect);

    if let (Some((how, cta, id)), Some(found)) = (access, found) {
        points.cover(match how {
            Access::Arrival => Point::Arrives(Arrival::of(op), found, outcome),
            Access::Read => Point::ReadBarrier(found, outcome),
            Access::Write => Point::WriteBarrier(found, outcome),
            Access::Exit => Point::Exit(found, outcome),
        });
        if let Some((first, ..)) = before.access.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.cover(Point::TwoOperations(first, how));
        } else if let Some((first, ..)) = before.earlier_access.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.cover(Point::ThreeOperations(first, how));
        }
        if how == Access::Arrival {
            let too_many = outcome != Outcome::Refused && target as usize > sizes.warps();
            points.cover_if(too_many, Point::ArrivalOfTooMany(outcome));
            points.cover_if(before.completed == Some((cta, id)), Point::AfterCompletion(Arrival::of(op)));
        }
        points.cover_if(how == Access::Exit && uncounted > 1, Point::SeveralUncounted);
    }
    if op.fault == Code::None {
        match (op.kind, op.state) {
            (Kind::Read, StateWord::Warp) => {
                points.cover(Point::ReadWarp(warp, outcome));
                points.cover_if(before.wrote == Some(op.warp), Point::ReadAfterWrite);
            }
            (Kind::Read, StateWord::Result) => {
                points.cover(Point::ReadResult(LastResult::of(reduction), outcome));
                points.cover_if(before.results & bit != 0, Point::ReadAfterReduction);
            }
            (Kind::Write, StateWord::Warp) => {
                points.cover(Point::WriteWarp(warp, outcome));
                points.cover_if(commit.traps, Point::WriteTraps);
                points.cover_if(commit.untraps, Point::WriteUntraps);
                let above = op.data as usize & 0xfff > sizes.warps() * sizes.lanes();
                points.cover_if(outcome == Outcome::TakesEffect && above, Point::WriteAboveLanes);
            }
            (Kind::Fence, _) => points.cover(Point::Fence),
            (Kind::Launch, _) => points.cover(if open { Point::LaunchOverOpen } else { Point::LaunchOverIdle }),
            (Kind::Release, _) => {
                points.cover(match (open, op.saved) {
                    (false, _) => Point::ReleaseNothingOpen,
                    (true, false) => Point::ReleaseLeftOpen,
                    (true, true) => Point::ReleaseSaved,
                });
            }
            _ => {}
        }
    }
    if let Some(fault) = effect.fault {
        points.cover_if(op.kind == Kind::Fence, Point::FenceRefused);
        let code = FaultCode::from_u64(fault.code.value());
        points.cover(if op.fault == Code::None { Point::FaultFound(code) } else { Point::FaultFromUpstream(code) });
        // For faults that other units detect, and for those of a CTA, the points do not include the policy.
        let of_another_unit = matches!(
            code,
            FaultCode::SlotOccupied
                | FaultCode::PartialMask
                | FaultCode::GatherMismatch
                | FaultCode::BarrierLeftOpen
                | FaultCode::Deadlock
                | FaultCode::CannotSave
        ) || code.is_of_mbarrier()
            || code.is_of_cluster()
            || code.is_of_gateway();
        points.cover_if(commit.refused && !of_another_unit, Point::PolicyApplies(code));
        points.cover_if(!commit.refused, Point::NoPolicy);
    }
    points.cover_if(effect.implicit_conflict.is_some(), Point::ImplicitConflict);
    let mut results = 0;
    if let Some(release) = effect.release {
        points.cover(match release.warps.count_ones() {
            0 => Point::ReleaseOfNone,
            1 => Point::ReleaseOfOne,
            _ => Point::ReleaseOfSeveral,
        });
        points.cover_if(release.warps & trapped != 0, Point::ReleaseOfTrapped);
        let value = match (release.result.reduction, release.result.value) {
            (Reduction::None, _) => None,
            (Reduction::And, 0) => Some(Value::And0),
            (Reduction::And, _) => Some(Value::And1),
            (Reduction::Or, 0) => Some(Value::Or0),
            (Reduction::Or, _) => Some(Value::Or1),
            (Reduction::Popc, 0) => Some(Value::Popc0),
            (Reduction::Popc, _) => Some(Value::PopcAbove0),
        };
        if let Some(value) = value {
            points.cover(Point::Result(value));
        }
        let is_popc = release.result.reduction == Reduction::Popc;
        let above = usize::from(release.result.value) > sizes.warps() * sizes.lanes();
        points.cover_if(is_popc && above && release.warps != 0, Point::PopcAboveLanes);
        results = if release.result.reduction == Reduction::None { 0 } else { release.warps };
    }
    if effect.rows_to_clear {
        for id in 0..16 {
            let cleared = barriers.clear_row(op.cta, id, op.saved);
            points.cover_if(cleared.fault.is_some(), Point::FaultFound(FaultCode::BarrierLeftOpen));
        }
    }
    let wrote = op.kind == Kind::Write && op.state == StateWord::Warp && effect.fault.is_none();
    let completed = effect.release.map(|r| (r.cta, r.id));
    Before { access, earlier_access: before.access, completed, results, wrote: wrote.then_some(op.warp) }
}
