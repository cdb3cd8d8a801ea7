// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of the arrivals at named barriers: generations in which no warp waits, groups of warps
//! that share a barrier id, and waits for one generation at several locations.

use super::codes::{Code, DIFFERENT_PLACES, EXIT_BEFORE_BARRIER, ID_SHARED, NOBODY_WAITS};
use super::finding::{Case, Finding, Related};
use super::Severity;
use crate::report::Arrival;
use crate::ArrivalForm;
use bcu_program::{Kind, Place};
use std::collections::{BTreeSet, HashMap};

/// A complete or incomplete generation of a named barrier, with its arrivals.
struct Meeting<'a> {
    cta: usize,
    id: u8,
    number: usize,
    threads: Option<u32>,
    arrivals: &'a [Arrival],
    exited_thread: Option<(usize, usize)>,
    complete: bool,
}

/// The warps that arrive at a location; the key is CTA, barrier id and index of the location.
type Users = HashMap<(usize, u8, usize), BTreeSet<usize>>;

pub fn find(case: &Case) -> Vec<Finding> {
    let done = case.report.generations.iter().map(|g| Meeting {
        cta: g.cta,
        id: g.id,
        number: g.number,
        threads: g.threads,
        arrivals: &g.arrivals,
        exited_thread: g.exited_thread,
        complete: true,
    });
    let mut meetings: Vec<Meeting> = done.collect();
    for b in case.report.hang.iter().flat_map(|h| &h.blocked) {
        let meeting = Meeting {
            cta: b.cta,
            id: b.id,
            number: b.number,
            threads: b.threads,
            arrivals: &b.arrived,
            exited_thread: None,
            complete: false,
        };
        let known = |m: &Meeting| !m.complete && (m.cta, m.id) == (b.cta, b.id);
        if !meetings.iter().rev().take_while(|m| !m.complete).any(known) {
            meetings.push(meeting);
        }
    }
    let mut users = Users::new();
    for issue in &case.issued.issues {
        users.entry((issue.cta, issue.barrier(), issue.place)).or_default().insert(issue.warp);
    }
    let mut found = vec![];
    for meeting in &meetings {
        found.extend(no_waiting_warp(case, meeting));
        found.extend(mixed(case, meeting, &users));
        found.extend(after_exit(case, meeting));
        if case.subject.strict {
            found.extend(places(case, meeting));
        }
    }
    found.extend(by_turns(case, &meetings));
    found
}

fn waits(arrival: &Arrival) -> bool {
    arrival.form != ArrivalForm::Arv
}

/// A finding at `arrival`, which is an arrival of the generation `meeting`.
fn finding_at(case: &Case, code: &'static Code, meeting: &Meeting, arrival: &Arrival, message: String) -> Finding {
    let mut finding = Finding::new(code, case.locate_in(meeting.cta, arrival.warp, &arrival.place), message);
    (finding.cta, finding.warp, finding.cycle) = (Some(meeting.cta), Some(arrival.warp), Some(arrival.cycle));
    (finding.barrier, finding.generation) = (Some(meeting.id), Some(meeting.number));
    finding
}

fn note_arrival(case: &Case, meeting: &Meeting, arrival: &Arrival, what: &str) -> Related {
    let note = format!("warp {} {what}, in cycle {}", arrival.warp, arrival.cycle);
    Related { at: case.locate_in(meeting.cta, arrival.warp, &arrival.place), note }
}

/// Reports a complete generation in which all warps arrive and none waits.
fn no_waiting_warp(case: &Case, meeting: &Meeting) -> Option<Finding> {
    let first = meeting.arrivals.first()?;
    if !meeting.complete || meeting.arrivals.iter().any(waits) {
        return None;
    }
    let message = format!("barrier {}: all {} participating warps arrive, and none waits", meeting.id, meeting.arrivals.len());
    let mut finding = finding_at(case, &NOBODY_WAITS, meeting, first, message);
    let differs = meeting.arrivals.iter().find(|a| a.place != first.place);
    finding.related.extend(differs.map(|a| note_arrival(case, meeting, a, "arrives here")));
    Some(finding)
}

/// Reports a generation in which warps of two unrelated groups arrive, although each group alone has enough warps to complete it.
fn mixed(case: &Case, meeting: &Meeting, users: &Users) -> Option<Finding> {
    let wanted = meeting.threads? as usize / case.subject.config.lanes;
    let group = |place: &Place| users.get(&(meeting.cta, meeting.id, case.issued.place(place)?));
    let waiting: Vec<&Arrival> = meeting.arrivals.iter().filter(|a| waits(a)).collect();
    let first = waiting.first()?;
    let own_group = group(&first.place)?;
    let stranger = waiting.iter().find(|a| {
        let theirs = group(&a.place);
        a.place != first.place && theirs.is_some_and(|theirs| theirs.len() >= wanted && theirs.is_disjoint(own_group))
    });
    let stranger = stranger.filter(|_| own_group.len() >= wanted)?;
    let message = format!(
        "barrier {} counts {wanted} warps, but two separate groups use it in the same generation: {} here, and {} at another place",
        meeting.id,
        list(own_group),
        list(group(&stranger.place)?)
    );
    let mut finding = finding_at(case, &ID_SHARED, meeting, first, message);
    finding.related.push(note_arrival(case, meeting, stranger, "arrives here at the same barrier"));
    Some(finding)
}

/// Reports disjoint groups of warps that use one barrier id one after the other, if only their timing keeps the groups apart.
fn by_turns(case: &Case, meetings: &[Meeting]) -> Vec<Finding> {
    struct Group<'a> {
        warps: BTreeSet<usize>,
        /// Numbers of the first and the last generation of the group.
        span: (usize, usize),
        first: &'a Meeting<'a>,
    }
    let mut rows: HashMap<(usize, u8), Vec<Group>> = HashMap::new();
    for meeting in meetings.iter().filter(|m| m.threads.is_some() && m.arrivals.iter().any(waits)) {
        let warps: BTreeSet<usize> = meeting.arrivals.iter().map(|a| a.warp).collect();
        let groups = rows.entry((meeting.cta, meeting.id)).or_default();
        match groups.iter_mut().find(|g| g.warps == warps) {
            Some(group) => group.span.1 = meeting.number,
            None => groups.push(Group { warps, span: (meeting.number, meeting.number), first: meeting }),
        }
    }
    let mut found = vec![];
    for groups in rows.values() {
        let overlap = |a: &Group, b: &Group| a.span.0 < b.span.1 && b.span.0 < a.span.1 && a.warps.is_disjoint(&b.warps);
        let pair = groups.iter().enumerate().find_map(|(i, a)| Some((a, groups[i + 1..].iter().find(|b| overlap(a, b))?)));
        let Some((a, b)) = pair else { continue };
        let (Some(first_arrival), Some(second_arrival)) = (a.first.arrivals.first(), b.first.arrivals.first()) else {
            continue;
        };
        let message = format!(
            "barrier {} is used by {} and by {} in turn; only timing keeps the two groups apart",
            a.first.id,
            list(&a.warps),
            list(&b.warps)
        );
        let mut finding = finding_at(case, &ID_SHARED, a.first, first_arrival, message);
        finding.severity = Severity::Warning;
        finding.related.push(note_arrival(case, b.first, second_arrival, "uses the same barrier"));
        found.push(finding);
    }
    // Sorts, because the iteration order of a map is undefined.
    found.sort_by_key(|f| (f.cta, f.barrier));
    found
}

/// Reports a generation of all threads of the CTA, such as a `__syncthreads()`, that completes after threads have exited. Hardware counts
/// exited threads as arrived. BCU assembly and vISA define this; CUDA leaves it undefined, so only programs in PTX get the finding.
fn after_exit(case: &Case, meeting: &Meeting) -> Option<Finding> {
    let (warp, lane) = meeting.exited_thread.filter(|_| meeting.threads.is_none())?;
    let waiting = meeting.arrivals.iter().find(|arrival| waits(arrival))?;
    let message = format!(
        "warp {} waits at barrier {} for all threads of the CTA, but lane {lane} of warp {warp} has exited",
        waiting.warp, meeting.id
    );
    let mut finding = finding_at(case, &EXIT_BEFORE_BARRIER, meeting, waiting, message);
    if case.subject.strict {
        finding.severity = Severity::Error;
    }
    (case.kind(&finding) == Kind::Ptx).then_some(finding)
}

/// Reports warps that wait at `__syncthreads()` (barrier 0, no count) in several locations. Waits at other barriers are not reported,
/// because warps with different roles use those barriers, each role at its own location.
fn places(case: &Case, meeting: &Meeting) -> Option<Finding> {
    if meeting.id != 0 || meeting.threads.is_some() {
        return None;
    }
    // Barriers without `.aligned` are excluded; only PTX has them, and the text of the instruction shows the form.
    let aligned = |a: &&Arrival| !a.place.text.contains("barrier.") || a.place.text.contains(".aligned");
    let waiting: Vec<&Arrival> = meeting.arrivals.iter().filter(|a| waits(a)).filter(aligned).collect();
    let first = waiting.first()?;
    let second = waiting.iter().find(|a| a.place != first.place)?;
    let message = format!("warps {} and {} wait at barrier {} at different places", first.warp, second.warp, meeting.id);
    let mut finding = finding_at(case, &DIFFERENT_PLACES, meeting, second, message);
    finding.related.push(note_arrival(case, meeting, first, "waits here"));
    Some(finding)
}

/// A list such as `warps 0, 1`.
fn list(warps: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = warps.iter().map(usize::to_string).collect();
    format!("{} {}", if numbers.len() == 1 { "warp" } else { "warps" }, numbers.join(", "))
}
