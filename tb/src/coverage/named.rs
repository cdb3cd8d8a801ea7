// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `named`: every operation in every state of its row or warp, every fault under every policy, and every sequence of
//! adjacent operations. The recording's operations are repeated on the model's barriers, which supply those states.

mod points;

use super::points::{CoverageError, Points};
use super::ports::{code, View};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::barriers::{Barriers, Effect, Row};
use bcu_model::op::{Code, Kind, Operation, Reduction, StateWord};
use bcu_model::{Named, Sizes};
pub use points::list;
use points::{ARRIVALS, LOOKS, RESULTS, STATES, WARPS};

fn state(row: &Row) -> &'static str {
    let at = match (row.is_open(), row.reduction) {
        (false, _) => return STATES[0],
        (true, reduction) => reduction as usize,
    };
    STATES[1 + 2 * at + usize::from(row.is_uncounted())]
}

fn outcome(effect: &Effect) -> &'static str {
    match (effect.fault, effect.release) {
        (Some(_), _) => "refused",
        (_, Some(_)) => "completes",
        _ => "takes effect",
    }
}

fn arrival(op: &Operation) -> &'static str {
    match op.kind {
        Kind::Sync => ARRIVALS[0],
        Kind::Arrive => ARRIVALS[1],
        _ => ARRIVALS[2 + op.redop as usize],
    }
}

/// The row that `op` accesses, with the name of the access.
fn look(op: &Operation, barriers: &Barriers) -> Option<(&'static str, u8, u8)> {
    let slot = barriers.slot(op.cta);
    match op.kind {
        _ if op.fault != Code::None => None,
        Kind::Exit => Some((LOOKS[3], op.cta, slot.last_uncounted)),
        _ if u32::from(op.id) >= slot.declared => None,
        Kind::Sync | Kind::Arrive | Kind::Reduce => Some((LOOKS[0], op.cta, op.id)),
        Kind::Read if op.state == StateWord::Barrier => Some((LOOKS[1], op.cta, op.id)),
        Kind::Write if op.state == StateWord::Barrier => Some((LOOKS[2], op.cta, op.id)),
        _ => None,
    }
}

/// The effects of the operation in the previous pipeline slot, for points of adjacent operations.
#[derive(Default)]
struct Before {
    look: Option<(&'static str, u8, u8)>,
    /// The row access of the operation in the slot before that, if the two are adjacent.
    look_before: Option<(&'static str, u8, u8)>,
    completed: Option<(u8, u8)>,
    results: u64,
    wrote: Option<u8>,
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
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
            points.cover_if(open, "reset with open rows");
            (barriers, before, closed) = (Barriers::new(sizes), Before::default(), 0..0);
            continue;
        }
        points.cover_if(get(fault[0]) == 1 && get(fault[1]) == 0, "fault waits");
        let transferred = view.inputs::<Named>(&sizes, cycle).op.filter(|_| get(op[1]) == 1);
        let Some(op) = transferred else {
            let why = match (closed.contains(&cycle), get(clearing)) {
                (true, _) if cycle == closed.start => "operation waits for the second slot of another",
                (true, _) => "operation waits for what a Release finds",
                (false, 0) => "operation waits for the fault queue",
                (false, _) => "operation waits for rows to be cleared",
            };
            points.cover_if(get(op[0]) == 1, why);
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
        points.cover_if(astray, &format!("slot that is not built: {:?}", op.kind));
    }
    Ok(())
}

/// Counts the points of one operation and executes it on the model.
fn cover_op(
    points: &mut Points,
    sizes: &Sizes,
    barriers: &mut Barriers,
    op: &Operation,
    trapped: u64,
    before: &Before,
) -> Before {
    let look = look(op, barriers);
    let bit = 1u64 << op.warp;
    let warps = barriers.warps();
    let warp = match (warps.waiting & bit, trapped & bit) {
        (0, 0) => WARPS[0],
        (0, _) => WARPS[2],
        _ => WARPS[1],
    };
    let reduction = warps.results[usize::from(op.warp)].reduction;
    let found = look.and_then(|(_, cta, id)| barriers.row(cta, id)).map(state);
    let target = match u32::from(op.count) / sizes.lanes() as u32 {
        0 => barriers.slot(op.cta).live,
        given => given,
    };
    let (open, uncounted) = (barriers.slot(op.cta).open_rows > 0, barriers.slot(op.cta).uncounted_rows);
    let commit = barriers.commit(op);
    let effect = barriers.apply(op, trapped);
    let outcome = outcome(&effect);

    if let (Some((how, cta, id)), Some(found)) = (look, found) {
        points.cover(&match how {
            "arrival" => format!("{}, {found}: {outcome}", arrival(op)),
            "read" => format!("Read Barrier, {found}: {outcome}"),
            "write" => format!("Write Barrier, {found}: {outcome}"),
            _ => format!("Exit, {found}: {outcome}"),
        });
        if let Some((first, ..)) = before.look.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.cover(&format!("one row in two operations: {first}, {how}"));
        } else if let Some((first, ..)) = before.look_before.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.cover(&format!("one row in three operations: {first}, another row, {how}"));
        }
        if how == "arrival" && outcome != "refused" && target as usize > sizes.warps() {
            points.cover(&format!("arrival of more warps than there are: {outcome}"));
        }
        if how == "arrival" && before.completed == Some((cta, id)) {
            points.cover(&format!("directly after a completion of its row: {}", arrival(op)));
        }
        points.cover_if(how == "exit" && uncounted > 1, "several rows open without a count after an exit");
    }
    if op.fault == Code::None {
        match (op.kind, op.state) {
            (Kind::Read, StateWord::Warp) => {
                points.cover(&format!("Read Warp, {warp}: {outcome}"));
                points.cover_if(before.wrote == Some(op.warp), "directly after a written warp: its read");
            }
            (Kind::Read, StateWord::Result) => {
                points.cover(&format!("Read Result, {}: {outcome}", RESULTS[reduction as usize]));
                points.cover_if(before.results & bit != 0, "directly after a reduction: read of its result");
            }
            (Kind::Write, StateWord::Warp) => {
                points.cover(&format!("Write Warp, {warp}: {outcome}"));
                points.cover_if(commit.traps, "Write Warp: it is trapped");
                points.cover_if(commit.untraps, "Write Warp: it is not trapped");
                let above = op.data as usize & 0xfff > sizes.warps() * sizes.lanes();
                points.cover_if(outcome == "takes effect" && above, "Write Warp: result above all lanes");
            }
            (Kind::Fence, _) => points.cover("Fence: without a fault"),
            (Kind::Launch, _) => points.cover(if open { "Launch: over open rows" } else { "Launch: over idle rows" }),
            (Kind::Release, _) => {
                points.cover(match (open, op.saved) {
                    (false, _) => "Release: nothing open",
                    (true, false) => "Release: rows left open",
                    (true, true) => "Release: rows saved",
                });
            }
            _ => {}
        }
    }
    if let Some(fault) = effect.fault {
        points.cover_if(op.kind == Kind::Fence, "Fence: refused");
        let from = if op.fault == Code::None { "found here" } else { "from upstream" };
        let name = code(fault.code.value());
        points.cover(&format!("fault {from}: {name}"));
        let is = FaultCode::from_u64(fault.code.value());
        let listed = !matches!(
            fault.code,
            Code::SlotOccupied
                | Code::PartialMask
                | Code::GatherMismatch
                | Code::BarrierLeftOpen
                | Code::Deadlock
                | Code::CannotSave
        ) && !is.is_of_mbarrier()
            && !is.is_of_cluster()
            && !is.is_of_gateway();
        points.cover_if(commit.refused && listed, &format!("the policy applies: {name}"));
        points.cover_if(!commit.refused, "no policy applies to a refused operation");
    }
    points.cover_if(effect.implicit_conflict.is_some(), "implicit_conflict");
    let mut results = 0;
    if let Some(release) = effect.release {
        points.cover(
            ["release without a warp", "release of one warp", "release of several warps"]
                [release.warps.count_ones().min(2) as usize],
        );
        points.cover_if(release.warps & trapped != 0, "release of a trapped warp");
        let value = release.result.value;
        match release.result.reduction {
            Reduction::None => {}
            Reduction::Popc => {
                points.cover(if value == 0 { "result: Popc 0" } else { "result: Popc above 0" });
                let above = usize::from(value) > sizes.warps() * sizes.lanes();
                points.cover_if(above && release.warps != 0, "result: Popc above all lanes");
            }
            reduction => points.cover(&format!("result: {reduction:?} {value}")),
        }
        results = if release.result.reduction == Reduction::None { 0 } else { release.warps };
    }
    if effect.rows_to_clear {
        for id in 0..16 {
            let cleared = barriers.clear_row(op.cta, id, op.saved);
            points.cover_if(cleared.fault.is_some(), "fault found here: barrier_left_open");
        }
    }
    let wrote = op.kind == Kind::Write && op.state == StateWord::Warp && effect.fault.is_none();
    let completed = effect.release.map(|r| (r.cta, r.id));
    Before { look, look_before: before.look, completed, results, wrote: wrote.then_some(op.warp) }
}
