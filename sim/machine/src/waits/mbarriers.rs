// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a phase of an mbarrier remains incomplete, if this does not follow from another wait.

use super::super::report::{Cause, EndedPhase, Evidence, ObjectArrival, ObjectHistory, ObjectWait, Whereabouts};
use super::super::sentence::place::line;
use super::super::sentence::{counted, waits};
use bcu_program::Place;

/// The cause if a warp waits for a wrong phase; such a wait hangs whatever other warps do.
pub fn out_of_step(waits: &[&ObjectWait]) -> Option<Cause> {
    let stale = waits.iter().find_map(|wait| stale(wait));
    stale.or_else(|| waits.iter().find_map(|wait| missed(wait))).or_else(|| waits.iter().find_map(|wait| skipped(wait)))
}

/// The cause if the count is too large: arrivals would still be missing if each warp that can arrive repeated its arrivals of this phase.
pub fn count_too_large(waits: &[&ObjectWait]) -> Option<Cause> {
    let wait = waits[0];
    let object = &wait.object;
    let by = |warp: usize| object.arrived.iter().filter(move |arrival| arrival.warp == Some(warp));
    let awaited: Vec<usize> = wait.missing.iter().filter(|m| m.next.is_some() || m.unclear).map(|m| m.warp).collect();
    let all_have_arrived = !awaited.is_empty() && awaited.iter().all(|warp| by(*warp).count() == 1) && wait.remote.is_empty();
    let come: u32 = object.arrived.iter().map(|arrival| arrival.arrivals).sum();
    let again: u32 = awaited.iter().flat_map(|warp| by(*warp)).map(|arrival| arrival.arrivals).sum();
    let is_first = wait.history.ended.is_empty();
    (is_first && all_have_arrived && come + again < object.expected).then(|| arrivals(wait)).flatten()
}

/// The cause if an earlier wait of the warp was for a phase whose completion the warp had already observed.
fn stale(wait: &ObjectWait) -> Option<Cause> {
    let (place, cycle) = wait.history.stale_wait.as_ref()?;
    // If the warp has observed all completed phases since then, it may have waited twice on purpose.
    if wait.history.unseen >= wait.object.phase {
        return None;
    }
    let (warp, object) = (wait.warp, wait.object.named());
    let sentence = format!(
        "warp {warp} waits in cycle {cycle} for a phase of {object} for which it has already waited: the wait returns at once, before the next phase completes"
    );
    let mut cause = Cause::new("mbarrier_stale_phase", (wait.cta, warp), place, sentence);
    cause.evidence.push(waits_at_last(wait));
    Some(cause)
}

fn waits_at_last(wait: &ObjectWait) -> Evidence {
    let (cta, warp) = (wait.cta, wait.warp);
    let note = format!("warp {warp} waits for ever here for phase {}, since cycle {}", wait.object.phase, wait.since);
    Evidence { cta, warp, place: Some(wait.place.clone()), note }
}

/// The cause if the wait is too late: the awaited phase and the next phase, which has the other parity, were both complete before the wait.
fn missed(wait: &ObjectWait) -> Option<Cause> {
    let ObjectWait { cta, warp, object, history, .. } = wait;
    let late = object.phase.checked_sub(history.unseen).filter(|late| *late >= 2 && late % 2 == 0)?;
    let phase = history.unseen;
    let find = |number: u64| history.ended.iter().find(|ended| ended.number == number);
    let (from, until) = (find(phase), find(phase + 1));
    let when = match (from, until) {
        (Some(from), Some(until)) => format!("which was complete from cycle {} to cycle {}", from.cycle, until.cycle),
        _ => format!("which was complete {late} phases ago"),
    };
    let sentence = format!(
        "warp {warp} waits too late at {} for phase {phase} (parity {}), {when}: by its parity this wait is for phase {}",
        object.named(),
        wait.parity,
        object.phase
    );
    let mut cause = Cause::new("mbarrier_wait", (*cta, *warp), &wait.place, sentence);
    let first = until.and_then(|until| until.arrived.first());
    cause.evidence.extend(first.and_then(|arrival| arrives(*cta, arrival, &format!("begins phase {} here", phase + 1))));
    let help = "wait for each phase before the next one can complete: an arrival in the next phase must be after all waits for this one";
    Some(Cause { help: Some(help.to_string()), ..cause })
}

/// The cause if the warp waits for the second phase, but has not waited for the first phase, which is complete.
fn skipped(wait: &ObjectWait) -> Option<Cause> {
    let ObjectWait { cta, warp, object, history, .. } = wait;
    // From the second phase on, the warps may share the phases, so that each warp waits only for some of them.
    if (object.phase, history.unseen) != (1, 0) {
        return None;
    }
    let phase = history.unseen;
    let since = history.ended.iter().find(|ended| ended.number == phase);
    let since = since.map_or(String::new(), |ended| format!(" since cycle {}", ended.cycle));
    let sentence = format!(
        "warp {warp} waits at {} for parity {} (phase {}), not for parity {} (phase {phase}), which is complete{since}",
        object.named(),
        wait.parity,
        object.phase,
        phase & 1,
    );
    Some(Cause::new("mbarrier_wrong_parity", (*cta, *warp), &wait.place, sentence))
}

/// The cause of an incomplete phase if no warp can act any more.
pub fn incomplete(waits: &[&ObjectWait]) -> Cause {
    let first = waits[0];
    let found = own_arrival(waits).or_else(|| bytes(first)).or_else(|| arrivals(first));
    found.unwrap_or_else(|| Cause::new("mbarrier_wait", (first.cta, first.warp), &first.place, waits::at_mbarrier(waits)))
}

/// The cause if a waiting warp would itself arrive, but only after its wait.
fn own_arrival(waits: &[&ObjectWait]) -> Option<Cause> {
    let has_arrived = |wait: &ObjectWait| wait.object.arrived.iter().any(|arrival| arrival.warp == Some(wait.warp));
    let wait = waits.iter().find(|wait| wait.next.is_some() && wait.object.pending > 0 && !has_arrived(wait))?;
    let (warp, object, next) = (wait.warp, wait.object.named(), wait.next.clone()?);
    let sentence =
        format!("warp {warp} waits at {object} for a phase in which it arrives only after this wait, in {}", line(&next));
    let mut cause = Cause::new("mbarrier_wait", (wait.cta, warp), &wait.place, sentence);
    let note = format!("warp {warp} would arrive here");
    cause.evidence.push(Evidence { cta: wait.cta, warp, place: Some(next), note });
    Some(Cause { help: Some("arrive before the wait, or wait for the previous phase (the other parity)".to_string()), ..cause })
}

/// The cause if all arrivals have been made, but copies have brought more or fewer bytes than expected.
fn bytes(wait: &ObjectWait) -> Option<Cause> {
    let ObjectWait { cta, warp, object, history: ObjectHistory { expected_bytes, received_bytes, .. }, .. } = wait;
    if object.pending > 0 || object.bytes == 0 {
        return None;
    }
    let copied = match received_bytes {
        0 => "no copy has signalled bytes".to_string(),
        bytes => format!("copies have signalled {bytes}"),
    };
    let (name, phase) = (object.named(), object.phase);
    let sentence = format!("{name} expects {expected_bytes} bytes in phase {phase}, but {copied}");
    let expects = object.arrived.iter().rev().find_map(|arrival| Some((arrival.warp?, arrival.place.as_ref()?)));
    let (at, place) = expects.map_or(((*cta, *warp), &wait.place), |(warp, place)| ((*cta, warp), place));
    let mut cause = Cause::new("mbarrier_wait", at, place, sentence);
    cause.evidence.push(waits_at_last(wait));
    let help =
        "make the bytes of `expect_tx` equal to the bytes of the copies of this phase, and let each of these copies signal this mbarrier";
    Some(Cause { help: Some(help.to_string()), ..cause })
}

/// The cause if arrivals are missing and no warp would arrive any more.
fn arrivals(wait: &ObjectWait) -> Option<Cause> {
    let ObjectWait { cta, warp, object, history, .. } = wait;
    let (name, phase, expected) = (object.named(), object.phase, object.expected);
    let come: u32 = object.arrived.iter().map(|arrival| arrival.arrivals).sum();
    if let Some(before) = history.ended.last() {
        let (absentee, evidence) = absent(wait, before)?;
        let pending = object.pending;
        let sentence = format!(
            "{name} lacks {pending} of {expected} arrivals in phase {phase}: {absentee}, although it arrived in phase {}",
            before.number
        );
        let cause = Cause::new("mbarrier_wait", (*cta, *warp), &wait.place, sentence);
        let help = "let all arriving and all waiting warps execute the same number of phases".to_string();
        return Some(Cause { evidence, help: Some(help), ..cause });
    }
    let (maker, init) = history.init.as_ref()?;
    let what = match come {
        0 => "no thread will arrive".to_string(),
        1 => "only 1 arrives".to_string(),
        come => format!("only {come} arrive"),
    };
    let sentence = format!("{name} is initialised for {} in each phase, but {what}", counted(expected, "arrival"));
    let (at, place): ((usize, usize), &Place) = match come {
        0 => ((*cta, *warp), &wait.place),
        _ => ((*cta, *maker), init),
    };
    let mut cause = Cause::new("mbarrier_wait", at, place, sentence);
    if come > 0 {
        cause.evidence.push(waits_at_last(wait));
    } else {
        let note = format!("the mbarrier is initialised here, for {}", counted(expected, "arrival"));
        cause.evidence.push(Evidence { cta: *cta, warp: *maker, place: Some(init.clone()), note });
    }
    let help = match come {
        0 => "let the counted threads arrive at this mbarrier; a wait for an empty buffer begins with parity 1, which returns at once in the first phase".to_string(),
        come => format!(
            "initialise {name} for {}, or let {expected} threads arrive; each lane that executes an arrival counts",
            counted(come, "arrival")
        ),
    };
    Some(Cause { help: Some(help), ..cause })
}

/// Text and evidence for a warp that has arrived in the previous phase but not in the open phase.
fn absent(wait: &ObjectWait, before: &EndedPhase) -> Option<(String, Vec<Evidence>)> {
    let has_arrived = |warp: usize| wait.object.arrived.iter().any(|arrival| arrival.warp == Some(warp));
    let arrival = before.arrived.iter().find(|arrival| arrival.warp.is_some_and(|warp| !has_arrived(warp)))?;
    let warp = arrival.warp?;
    let whereabouts = wait.missing.iter().find(|missing| missing.warp == warp).map(|missing| &missing.whereabouts);
    let absentee = match whereabouts {
        Some(Whereabouts::Exited { cycle, .. }) => format!("warp {warp} exited in cycle {cycle} and does not arrive"),
        _ => format!("warp {warp} will not arrive"),
    };
    let note = format!("warp {warp} arrived here in phase {}, in cycle {}", before.number, arrival.cycle);
    let evidence = Evidence { cta: wait.cta, warp, place: arrival.place.clone(), note };
    Some((absentee, vec![evidence]))
}

/// Evidence with the location of an arrival; `None` if it is not an arrival of a warp.
fn arrives(cta: usize, arrival: &ObjectArrival, what: &str) -> Option<Evidence> {
    let note = format!("warp {} {what}, in cycle {}", arrival.warp?, arrival.cycle);
    Some(Evidence { cta, warp: arrival.warp?, place: arrival.place.clone(), note })
}
