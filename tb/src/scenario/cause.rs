// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run ended as it did, in one sentence: for the message about a verdict that is not the expected one.

use bcu_machine::report::{Blocked, Cause, Fault, Hang, HangCause, Report};
use bcu_program::Place;

/// The fault that follows from a hang: the cause of the hang says more.
const DEADLOCK: &str = "deadlock";

/// What stopped a run, its first fault, or why it hung; `None`: it completed.
pub fn cause(report: &Report) -> Option<String> {
    let of_stop = report.stop.as_ref().map(|stop| {
        let message = &stop.stopped.diagnostic.message;
        format!("CTA {} warp {}: {message}", stop.cta, stop.warp)
    });
    let first_fault = report.faults.iter().find(|fault| fault.code != DEADLOCK).map(fault);
    let of_hang = report.hang.as_ref().map(hang);
    of_stop.or(first_fault).or(of_hang).or_else(|| report.faults.first().map(fault))
}

/// A fault with its cycle, its warp and its instruction.
pub fn fault(fault: &Fault) -> String {
    let warp = fault.warp.map_or(String::new(), |warp| format!(" warp {warp}"));
    let place = fault.place.as_ref().map_or(String::new(), |place| format!(" ({})", at(place)));
    let Fault { code, cta, cycle, sentence, .. } = fault;
    format!("fault `{code}` in cycle {cycle}, CTA {cta}{warp}{place}: {sentence}")
}

/// The first cause of a hang, or else one of the warps that wait.
fn hang(hang: &Hang) -> String {
    let since = |cta, warp| hang.since(cta, warp).map_or(String::new(), |cycle| format!(" since cycle {cycle}"));
    let of_cause = |cause: &Cause| {
        let (cta, warp) = cause.waiting.first().copied().unwrap_or((cause.cta, cause.warp));
        format!("CTA {cta} warp {warp} waits{}: {} ({})", since(cta, warp), cause.sentence, at(&cause.place))
    };
    let of_barrier = |wait: &Blocked| {
        let Blocked { cta, warp, id, .. } = wait;
        format!("CTA {cta} warp {warp} waits at barrier {id}{} ({})", since(*cta, *warp), at(&wait.place))
    };
    let waits = hang.at_mbarriers.iter().map(|wait| (wait.cta, wait.warp, &wait.place));
    let waits = waits.chain(hang.at_gateway.iter().map(|wait| (wait.cta, wait.warp, &wait.place)));
    let waits = waits.chain(hang.lanes.iter().map(|wait| (wait.cta, wait.warp, &wait.place)));
    let mut waits = waits.chain(hang.stopped.iter().map(|warp| (warp.cta, warp.warp, &warp.place)));
    let of_any =
        || waits.next().map(|(cta, warp, place)| format!("CTA {cta} warp {warp} waits{} ({})", since(cta, warp), at(place)));
    let cause = hang.causes.first().map(of_cause).or_else(|| hang.blocked.first().map(of_barrier)).or_else(of_any);
    match hang.cause {
        HangCause::NothingCanChange => cause.unwrap_or_else(|| "nothing can change any more".to_string()),
        HangCause::MaxCycles => "the run reached its limit, `max_cycles`".to_string(),
        HangCause::Interrupted => "the run was interrupted".to_string(),
    }
}

fn at(place: &Place) -> String {
    format!("line {}: {}", place.line, place.text)
}
