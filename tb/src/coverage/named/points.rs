// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of the points of `named`, with the terms that their names contain.

use crate::coverage::points::Points;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::op::Kind;

pub const STATES: [&str; 9] = [
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
pub const ARRIVALS: [&str; 5] = ["Sync", "Arrive", "Reduce And", "Reduce Or", "Reduce Popc"];
pub const WARPS: [&str; 3] = ["free warp", "waiting warp", "trapped warp"];
pub const RESULTS: [&str; 4] = ["no result", "result of And", "result of Or", "result of Popc"];
const OUTCOMES: [&str; 3] = ["takes effect", "completes", "refused"];
/// The kinds of access to a row, for points of adjacent operations.
pub const LOOKS: [&str; 4] = ["arrival", "read", "write", "exit"];

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

/// Why an arrival of this kind cannot have this outcome in this state of the barrier; `None`: it can.
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
    // The kinds after the fence are operations on mbarriers, clusters and grids, which other units execute.
    let of_named = Kind::ALL.iter().filter(|kind| kind.value() <= Kind::Fence.value());
    of_named.for_each(|kind| points.list_astray(config, format!("slot that is not built: {kind:?}")));
    for state in STATES {
        for (arrival, outcome) in ARRIVALS.iter().flat_map(|a| OUTCOMES.map(|o| (a, o))) {
            points.list(format!("{arrival}, {state}: {outcome}"), impossible(arrival, state, outcome));
        }
        ["takes effect", "refused"].iter().for_each(|outcome| points.list(format!("Read Barrier, {state}: {outcome}"), None));
        OUTCOMES.iter().for_each(|outcome| points.list(format!("Write Barrier, {state}: {outcome}"), None));
        points.list(format!("Exit, {state}: takes effect"), None);
        let uncounted = state.ends_with("uncounted");
        points.list(format!("Exit, {state}: completes"), (!uncounted).then_some("an exit helps no count, and nothing idle"));
    }
    for warp in WARPS {
        for outcome in ["takes effect", "refused"] {
            points.list(format!("Read Warp, {warp}: {outcome}"), None);
            let waits = (warp == "waiting warp" && outcome == "takes effect").then_some("it is bad_state_word");
            points.list(format!("Write Warp, {warp}: {outcome}"), waits);
        }
    }
    for result in RESULTS {
        points.list(format!("Read Result, {result}: takes effect"), (result == "no result").then_some("it is no_result"));
        points.list(format!("Read Result, {result}: refused"), None);
    }
    DETECTED_FAULTS.iter().for_each(|fault| points.list(format!("fault found here: {}", fault.name()), None));
    for fault in &FaultCode::ALL[1..] {
        points.list(format!("fault from upstream: {}", fault.name()), None);
    }
    let upstream = [FaultCode::WarpBlocked, FaultCode::IllegalInstruction];
    for fault in upstream.iter().chain(&DETECTED_FAULTS).filter(|f| **f != FaultCode::BarrierLeftOpen) {
        points.list(format!("the policy applies: {}", fault.name()), None);
    }
    points.list_all(&[
        "no policy applies to a refused operation",
        "Write Warp: it is trapped",
        "Write Warp: it is not trapped",
    ]);
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
    points.list_all(&[
        "release without a warp",
        "release of one warp",
        "release of several warps",
        "release of a trapped warp",
    ]);
    points.list_all(&["Fence: without a fault", "Fence: refused"]);
    points.list_all(&["implicit_conflict", "Launch: over idle rows", "Launch: over open rows"]);
    points.list_all(&["Release: nothing open", "Release: rows left open", "Release: rows saved"]);
    points.list_all(&["operation waits for the fault queue", "operation waits for rows to be cleared", "fault waits"]);
    points.list_all(&["operation waits for the second slot of another", "operation waits for what a Release finds"]);
    // Only with violated assumptions: a CTA launched with more warps than the unit has.
    OUTCOMES[..2].iter().for_each(|outcome| points.list(format!("arrival of more warps than there are: {outcome}"), None));
    points.list_all(&["result: Popc above all lanes", "Write Warp: result above all lanes"]);
    points.list_all(&["reset with open rows", "several rows open without a count after an exit"]);
}
