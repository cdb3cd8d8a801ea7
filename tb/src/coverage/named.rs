// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `named`: every operation in every state of its row or warp, every fault under every policy, and what may follow
//! directly. The recording's operations are repeated on the model's barriers, which know those states.

use super::ports::{code, View};
use super::{CoverageError, Points};
use bcu_hw::config::Config;
use bcu_hw::unit::op::FaultCode;
use bcu_sim::model::barriers::{Barriers, Effect, Row};
use bcu_sim::model::op::{Code, FaultPolicy, Kind, Operation, Reduction, StateWord};
use bcu_sim::model::{Named, Sizes};

const STATES: [&str; 9] = [
    "idle row",
    "open sync, counted",
    "open sync, uncounted",
    "open And, counted",
    "open And, uncounted",
    "open Or, counted",
    "open Or, uncounted",
    "open Popc, counted",
    "open Popc, uncounted",
];
const ARRIVALS: [&str; 5] = ["Sync", "Arrive", "Reduce And", "Reduce Or", "Reduce Popc"];
const WARPS: [&str; 4] = ["free warp", "waiting warp", "trapped warp", "hanging warp"];
const RESULTS: [&str; 4] = ["no result", "result of And", "result of Or", "result of Popc"];
const OUTCOMES: [&str; 3] = ["goes on", "completes", "refused"];
/// What may look at a row, for what follows directly.
const LOOKS: [&str; 4] = ["arrival", "read", "write", "exit"];

/// Codes that are found here.
const OWN: [FaultCode; 11] = [
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

/// Why an arrival has not this outcome in this state.
fn impossible(arrival: &str, state: &str, outcome: &str) -> Option<&'static str> {
    let kind = arrival.strip_prefix("Reduce ").unwrap_or("sync");
    match outcome {
        "refused" => None,
        _ if state != "idle row" && !state.contains(kind) => Some("kind_mismatch"),
        _ if arrival == "Arrive" && state.ends_with("uncounted") => Some("count_zero_arrive or count_mismatch"),
        _ => None,
    }
}

pub fn list(config: &Config, points: &mut Points) {
    Kind::ALL.iter().for_each(|kind| points.list_astray(config, format!("slot that is not built: {kind:?}")));
    for state in STATES {
        for (arrival, outcome) in ARRIVALS.iter().flat_map(|a| OUTCOMES.map(|o| (a, o))) {
            points.list(format!("{arrival}, {state}: {outcome}"), impossible(arrival, state, outcome));
        }
        ["goes on", "refused"].iter().for_each(|outcome| points.list(format!("Read Barrier, {state}: {outcome}"), None));
        OUTCOMES.iter().for_each(|outcome| points.list(format!("Write Barrier, {state}: {outcome}"), None));
        points.list(format!("Exit, {state}: goes on"), None);
        let uncounted = state.ends_with("uncounted");
        points.list(format!("Exit, {state}: completes"), (!uncounted).then_some("an exit helps no count, and nothing idle"));
    }
    for warp in WARPS {
        for outcome in ["goes on", "refused"] {
            points.list(format!("Read Warp, {warp}: {outcome}"), None);
            let waits = (warp == "waiting warp" && outcome == "goes on").then_some("it is bad_state_word");
            points.list(format!("Write Warp, {warp}: {outcome}"), waits);
        }
    }
    for result in RESULTS {
        points.list(format!("Read Result, {result}: goes on"), (result == "no result").then_some("it is no_result"));
        points.list(format!("Read Result, {result}: refused"), None);
    }
    OWN.iter().for_each(|fault| points.list(format!("fault found here: {}", fault.name()), None));
    for fault in &FaultCode::ALL[1..] {
        points.list(format!("fault from upstream: {}", fault.name()), None);
    }
    let upstream = [FaultCode::NotResident, FaultCode::WarpBlocked, FaultCode::IllegalInstruction];
    for fault in upstream.iter().chain(&OWN).filter(|f| **f != FaultCode::BarrierLeftOpen) {
        ["Report", "Trap", "Hang"].iter().for_each(|policy| points.list(format!("policy {policy}: {}", fault.name()), None));
    }
    for (first, second) in LOOKS.iter().flat_map(|a| LOOKS.map(|b| (a, b))) {
        points.list(format!("one row in two operations: {first}, {second}"), None);
        points.list(format!("one row in three operations: {first}, another row, {second}"), None);
    }
    ARRIVALS.iter().for_each(|a| points.list(format!("directly after a completion of its row: {a}"), None));
    points.list_all(&["directly after a reduction: read of its result", "directly after a written warp: its read"]);
    points.list_all(&[
        "result: And 0",
        "result: And 1",
        "result: Or 0",
        "result: Or 1",
        "result: Popc 0",
        "result: Popc above 0",
    ]);
    points.list_all(&["release of nobody", "release of one warp", "release of several warps", "release of a stopped warp"]);
    points.list_all(&["tangle", "Launch: over idle rows", "Launch: over open rows"]);
    points.list_all(&["Release: nothing open", "Release: rows left open", "Release: rows saved", "Release: of stopped warps"]);
    points.list_all(&["operation waits for the fault queue", "operation waits for rows to be cleared", "fault waits"]);
    points.list_all(&["operation waits for the second slot of another", "operation waits for what a Release finds"]);
    points.list_all(&["reset with open rows", "several rows open without a count after an exit"]);
}

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
        _ => "goes on",
    }
}

fn arrival(op: &Operation) -> &'static str {
    match op.kind {
        Kind::Sync => ARRIVALS[0],
        Kind::Arrive => ARRIVALS[1],
        _ => ARRIVALS[2 + op.redop as usize],
    }
}

/// The row that an operation looks at, and how.
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

/// What the operation before did, for what follows directly.
#[derive(Default)]
struct Before {
    look: Option<(&'static str, u8, u8)>,
    /// What the one before that did, directly.
    look_before: Option<(&'static str, u8, u8)>,
    completed: Option<(u8, u8)>,
    results: u64,
    wrote: Option<u8>,
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset, policy, clearing] = view.places(["reset", "fault_policy", "clearing"])?;
    let (op, fault) = (view.places(["op_valid", "op_ready"])?, view.places(["fault_valid", "fault_ready"])?);
    let mut barriers = Barriers::new(sizes);
    let mut before = Before::default();
    // Of the last operation: the cycles after it in which nothing can be taken whatever else happens.
    let mut closed = 0..0;
    for cycle in 1..view.length().saturating_sub(1) {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            let open = (0..sizes.cta_slots() as u8).any(|cta| barriers.slot(cta).open_rows > 0);
            points.hit_if(open, "reset with open rows");
            (barriers, before, closed) = (Barriers::new(sizes), Before::default(), 0..0);
            continue;
        }
        points.hit_if(get(fault[0]) == 1 && get(fault[1]) == 0, "fault waits");
        let taken = view.inputs::<Named>(&sizes, cycle).op.filter(|_| get(op[1]) == 1);
        let Some(op) = taken else {
            let why = match (closed.contains(&cycle), get(clearing)) {
                (true, _) if cycle == closed.start => "operation waits for the second slot of another",
                (true, _) => "operation waits for what a Release finds",
                (false, 0) => "operation waits for the fault queue",
                (false, _) => "operation waits for rows to be cleared",
            };
            points.hit_if(get(op[0]) == 1, why);
            if !closed.contains(&cycle) {
                before = Before::default();
            }
            continue;
        };
        let astray = usize::from(op.cta) >= sizes.cta_slots();
        let op = op.in_a_slot_of(&sizes);
        let effect = cycle + if op.takes_two_slots() { 3 } else { 2 };
        closed = cycle + 1..if op.kind == Kind::Release { effect + 1 } else { effect - 1 };
        // What a reset takes away before its effect has had none.
        if effect >= view.length() || (cycle..=effect).any(|c| view.get(reset, c) == 1) {
            continue;
        }
        let policy = FaultPolicy::from_value(view.get(policy, effect));
        before = one(points, &mut barriers, &op, policy, &before);
        points.hit_if(astray, &format!("slot that is not built: {:?}", op.kind));
    }
    Ok(())
}

/// Counts one operation, and carries it out.
fn one(points: &mut Points, barriers: &mut Barriers, op: &Operation, policy: FaultPolicy, before: &Before) -> Before {
    let look = look(op, barriers);
    let bit = 1u64 << op.warp;
    let warps = barriers.warps();
    let warp = match (warps.waiting & bit, warps.trapped & bit, warps.hung & bit) {
        (0, 0, 0) => WARPS[0],
        (0, 0, _) => WARPS[3],
        (0, ..) => WARPS[2],
        _ => WARPS[1],
    };
    let stopped = warps.trapped | warps.hung;
    let reduction = warps.results[usize::from(op.warp)].reduction;
    let found = look.and_then(|(_, cta, id)| barriers.row(cta, id)).map(state);
    let (open, uncounted) = (barriers.slot(op.cta).open_rows > 0, barriers.slot(op.cta).uncounted_rows);
    let effect = barriers.apply(op, policy);
    let outcome = outcome(&effect);

    if let (Some((how, cta, id)), Some(found)) = (look, found) {
        points.hit(&match how {
            "arrival" => format!("{}, {found}: {outcome}", arrival(op)),
            "read" => format!("Read Barrier, {found}: {outcome}"),
            "write" => format!("Write Barrier, {found}: {outcome}"),
            _ => format!("Exit, {found}: {outcome}"),
        });
        if let Some((first, ..)) = before.look.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.hit(&format!("one row in two operations: {first}, {how}"));
        } else if let Some((first, ..)) = before.look_before.filter(|(_, c, i)| (*c, *i) == (cta, id)) {
            points.hit(&format!("one row in three operations: {first}, another row, {how}"));
        }
        if how == "arrival" && before.completed == Some((cta, id)) {
            points.hit(&format!("directly after a completion of its row: {}", arrival(op)));
        }
        points.hit_if(how == "exit" && uncounted > 1, "several rows open without a count after an exit");
    }
    if op.fault == Code::None {
        match (op.kind, op.state) {
            (Kind::Read, StateWord::Warp) => {
                points.hit(&format!("Read Warp, {warp}: {outcome}"));
                points.hit_if(before.wrote == Some(op.warp), "directly after a written warp: its read");
            }
            (Kind::Read, StateWord::Result) => {
                points.hit(&format!("Read Result, {}: {outcome}", RESULTS[reduction as usize]));
                points.hit_if(before.results & bit != 0, "directly after a reduction: read of its result");
            }
            (Kind::Write, StateWord::Warp) => points.hit(&format!("Write Warp, {warp}: {outcome}")),
            (Kind::Launch, _) => points.hit(if open { "Launch: over open rows" } else { "Launch: over idle rows" }),
            (Kind::Release, _) => {
                points.hit(match (open, op.saved) {
                    (false, _) => "Release: nothing open",
                    (true, false) => "Release: rows left open",
                    (true, true) => "Release: rows saved",
                });
                points.hit_if(stopped & op.mask != 0, "Release: of stopped warps");
            }
            _ => {}
        }
    }
    if let Some(fault) = effect.fault {
        let from = if op.fault == Code::None { "found here" } else { "from upstream" };
        let name = code(fault.code.value());
        points.hit(&format!("fault {from}: {name}"));
        let listed = !matches!(
            fault.code,
            Code::SlotOccupied | Code::PartialMask | Code::GatherMismatch | Code::BarrierLeftOpen | Code::Deadlock
        );
        points.hit_if(op.is_of_a_warp() && listed, &format!("policy {policy:?}: {name}"));
    }
    points.hit_if(effect.tangle.is_some(), "tangle");
    let mut results = 0;
    if let Some(release) = effect.release {
        points.hit(
            ["release of nobody", "release of one warp", "release of several warps"]
                [release.warps.count_ones().min(2) as usize],
        );
        points.hit_if(release.warps & stopped != 0, "release of a stopped warp");
        let value = release.result.value;
        match release.result.reduction {
            Reduction::None => {}
            Reduction::Popc => points.hit(if value == 0 { "result: Popc 0" } else { "result: Popc above 0" }),
            reduction => points.hit(&format!("result: {reduction:?} {value}")),
        }
        results = if release.result.reduction == Reduction::None { 0 } else { release.warps };
    }
    if effect.rows_to_clear {
        for id in 0..16 {
            let left = barriers.clear_row(op.cta, id, op.saved);
            points.hit_if(left.fault.is_some(), "fault found here: barrier_left_open");
        }
    }
    let wrote = op.kind == Kind::Write && op.state == StateWord::Warp && effect.fault.is_none();
    let completed = effect.release.map(|r| (r.cta, r.id));
    Before { look, look_before: before.look, completed, results, wrote: wrote.then_some(op.warp) }
}
