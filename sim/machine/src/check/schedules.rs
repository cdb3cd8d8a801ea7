// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether another schedule of the same launch could give another result: another order of its warps, accesses and asynchronous copies. The
//! race detector has compared the operations of the run (`race::order`); this module adds what it does not compare, and states each reason
//! against a proof with its location. docs/guide/schedules.md has the rules.

use super::codes::DEADLOCK;
use super::finding::{At, Case, Kernel};
use super::unchecked::is_unchecked_access;
use crate::report::{Operation, Report, Unordered, Verdict};
use bcu_isa::instr::{decode, Op as IsaOp};
use bcu_program::{is_in_retry, Exchange, Function, Instr, Op, TensorCore};

/// What a proof assumes.
pub const ASSUMPTIONS: [&str; 4] = [
    "these arguments and buffers",
    "no warp that can continue waits for ever",
    "an access is performed for all threads at once",
    "diverged lanes reconverge as here",
];

/// Findings of mbarriers that do not change what the operations of the run do. The rules of `race::order` cover them.
const HARMLESS: [&str; 5] =
    ["mbarrier_missing_wait", "mbarrier_stale_phase", "mbarrier_not_fenced", "mbarrier_left_open", "mbarrier_init_lanes"];

/// Whether the run is a proof for every schedule.
#[derive(Clone, Debug)]
pub struct Schedules {
    /// Why the run is no proof; empty if it is one.
    pub reasons: Vec<Reason>,
    /// Whether the run hangs; with a proof, it hangs in every schedule.
    pub hangs: bool,
    /// Whether runs with other orders of pairs of operations can replace a proof: every reason is such a pair, or follows from one.
    pub is_explorable: bool,
}

/// A reason why a run is no proof for every schedule.
#[derive(Clone, Debug)]
pub struct Reason {
    /// One sentence without a full stop.
    pub message: String,
    pub operation: Option<Located>,
    /// The other operation, if the order of two operations matters.
    pub other: Option<Located>,
}

/// An operation in the text of a program.
#[derive(Clone, Debug)]
pub struct Located {
    pub at: At,
    /// The CTA and the warp in it that executes the operation; `None` for an instruction of all warps.
    pub warp: Option<(usize, usize)>,
}

impl Schedules {
    pub fn is_proved(&self) -> bool {
        self.reasons.is_empty()
    }
}

pub(super) fn judge(case: &Case) -> Schedules {
    let [mut reasons, others] = of_run(case.report);
    // An operation that the unit refuses, or an access to the shared memory of a CTA that has exited, is in no pair.
    let is_whole = !has_faults(case.report) && !has_errors(case.report);
    let has_ended = matches!(case.report.verdict, Verdict::Completed | Verdict::Hung);
    let is_explorable = has_ended && is_whole;
    let pairs = case.report.unordered.len() + others.len();
    reasons.extend(case.report.unordered.iter().map(|unordered| of_operations(case, unordered)));
    reasons.extend(case.kernels().iter().flat_map(of_kernel));
    reasons.extend(others);
    let is_explorable = reasons.is_empty() || is_explorable && reasons.len() <= pairs;
    Schedules { reasons, hangs: case.report.verdict == Verdict::Hung, is_explorable }
}

impl Reason {
    fn of_whole(message: impl Into<String>) -> Reason {
        Reason { message: message.into(), operation: None, other: None }
    }
}

/// Reasons of the run as a whole: those without which the others mean little, and those that its findings explain.
fn of_run(report: &Report) -> [Vec<Reason>; 2] {
    let races = report.races.iter().filter(|race| !race.kind.needs_strict()).count();
    let unknown = report.unknown_stores > 0 || !report.unknown_addresses.is_empty();
    let ends = [
        (report.verdict == Verdict::Unfinished, "the run did not end"),
        (report.verdict == Verdict::Stopped, "the program was stopped"),
        (unknown, "threads access memory at unknown addresses"),
        (!report.unknown_conditions.is_empty(), "branches or accesses have unknown conditions"),
        (!report.assumed.is_empty(), "guards with unknown values were assumed"),
        (report.has_dropped_accesses, "too many accesses to one word are not ordered, so that some were not compared"),
    ];
    let others = [
        (has_faults(report), "the run has faults"),
        (races > 0, "the run has races"),
        (has_errors(report), "the run has errors at mbarriers, clusters or warpgroups"),
    ];
    let reasons =
        |all: &[(bool, &str)]| all.iter().filter(|(holds, _)| *holds).map(|(_, message)| Reason::of_whole(*message)).collect();
    [reasons(&ends), reasons(&others)]
}

/// Whether the unit has refused operations. A deadlock is reported as a fault, but changes nothing.
fn has_faults(report: &Report) -> bool {
    report.faults.iter().any(|fault| fault.code != DEADLOCK.name) || report.lost_faults > 0
}

/// Whether the run has errors that may change what its operations do.
fn has_errors(report: &Report) -> bool {
    report.misuses.iter().any(|misuse| !HARMLESS.contains(&misuse.code))
}

/// Another order of operations.
fn of_operations(case: &Case, Unordered { change, operation, other, .. }: &Unordered) -> Reason {
    let locate = |Operation { cta, warp, place, .. }: &Operation| {
        Some(Located { at: case.locate_in(*cta, *warp, place)?, warp: Some((*cta, *warp)) })
    };
    Reason { message: change.sentence().to_string(), operation: locate(operation), other: other.as_ref().and_then(locate) }
}

/// Instructions of a kernel without a rule, whether or not the run has executed them; the first of each kind.
fn of_kernel(kernel: &Kernel) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = vec![];
    for function in &kernel.functions {
        for (index, instr) in function.instrs.iter().enumerate() {
            let Some(what) = without_rule(function, index, instr) else { continue };
            let message = format!("{what}: such an instruction has no rule");
            if !reasons.iter().any(|known| known.message == message) {
                let at = At::of(kernel.file, instr);
                reasons.push(Reason { message, operation: Some(Located { at, warp: None }), other: None });
            }
        }
    }
    reasons
}

/// What an instruction depends on that another schedule may change.
fn without_rule(function: &Function, index: usize, instr: &Instr) -> Option<&'static str> {
    match &instr.op {
        Op::Exchange { exchange: Exchange::Active, .. }
        | Op::Exchange { exchange: Exchange::Shuffle(_) | Exchange::Vote(_), members: None, .. } => {
            Some("the active lanes may differ in another schedule")
        }
        Op::Registers { .. } => Some("`setmaxnreg` may wait for registers in another order"),
        Op::Word(word) => match decode(word.word).ok()?.op {
            IsaOp::B2r { .. } | IsaOp::R2b { .. } => Some("the saved state of a barrier may differ in another schedule"),
            IsaOp::Nbar(_) => Some("a signal of the gateway may count in another phase"),
            _ => None,
        },
        Op::TensorCore(TensorCore::Allocate { .. }) => {
            Some("the columns that `tcgen05.alloc` allocates may differ in another schedule")
        }
        _ if instr.place.text.contains("tcgen05.") && matches!(instr.op, Op::Busy { .. }) => {
            Some("the order of this form of `tcgen05` is not checked")
        }
        _ if ["%smid", "%warpid"].iter().any(|name| instr.place.text.contains(name)) => {
            Some("the place of a warp on the GPU differs in another schedule")
        }
        _ if is_unchecked_access(instr) => Some("the access is not executed and not checked"),
        _ if instr.sees_time() && !is_in_retry(function, index) => Some("the clock differs in another schedule"),
        _ => None,
    }
}
