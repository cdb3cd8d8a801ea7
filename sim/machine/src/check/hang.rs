// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run did not end: one finding per barrier at which warps wait, with who arrived and who is missing.

use super::codes::{Code, CLUSTER_WAIT, COUNTED_EXIT, CYCLE_LIMIT, DEADLOCK, SIGNAL_MISSING, WAIT_CYCLE};
use super::finding::{Case, Finding, Related};
use crate::report::{Blocked, ClusterWait, GatewayWait, Hang, HangCause, Role, Signal, Whereabouts};
use crate::sentence::place::lanes;
use crate::sentence::{cluster, signalled, too_few};
use crate::text::{missing, of_cluster, of_gateway};
use bcu_program::Place;

/// More is not told of one barrier.
const MAX_RELATED: usize = 8;

pub fn find(case: &Case) -> Vec<Finding> {
    let Some(hang) = &case.report.hang else { return vec![] };
    let mut found: Vec<Finding> = vec![];
    let mut told: Vec<(usize, u8)> = vec![];
    // What waits in a run that its limit stopped may go on, unless the unit says that it cannot.
    for first in hang.blocked.iter().filter(|b| hang.stuck.contains(&b.cta)) {
        if !told.contains(&(first.cta, first.id)) {
            told.push((first.cta, first.id));
            let code = code(hang, first);
            // The whole circle is one misuse.
            if code != &WAIT_CYCLE || !found.iter().any(|f| f.code == code) {
                found.push(one(case, hang, code, first));
            }
        }
    }
    for l in hang.lanes.iter().filter(|l| hang.stuck.contains(&l.cta)) {
        let message = format!("{} of warp {} wait for ever for {} of it", lanes(l.waiting), l.warp, lanes(l.missing));
        let mut finding = Finding::new(&DEADLOCK, case.at(l.cta, l.warp, &l.place), message);
        (finding.cta, finding.warp) = (Some(l.cta), Some(l.warp));
        finding.cycle = reported(case, l.cta);
        finding.help = "let all lanes that are awaited come there, or exit".to_string();
        found.push(finding);
    }
    found.extend(at_clusters(case, hang));
    found.extend(at_gateway(case, hang));
    // What waits at mbarriers of a CTA that can never end is told there.
    let told = hang.going.is_empty() && !hang.at_mbarriers.is_empty() && hang.not_launched == 0;
    let told = told && hang.at_mbarriers.iter().all(|w| hang.stuck.contains(&w.cta));
    if hang.cause != HangCause::NothingCanChange && !told {
        found.push(limit(case, hang));
    } else if hang.cause == HangCause::NothingCanChange && found.is_empty() && hang.at_mbarriers.is_empty() {
        // The fault policy can stop warps without any barrier.
        let mut finding = Finding::new(&DEADLOCK, None, "no warp can go on: the fault policy has stopped those that are left");
        if let Some(first) = hang.stopped.first() {
            finding.at = case.at(first.cta, first.warp, &first.place);
            (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), reported(case, first.cta));
        }
        finding.help = "see the faults; with the fault policy `report` the warps go on".to_string();
        found.push(finding);
    }
    found
}

/// All that wait for ever at the barrier of one cluster for one phase.
fn at_clusters(case: &Case, hang: &Hang) -> Vec<Finding> {
    let mut found: Vec<Finding> = vec![];
    let mut told = vec![];
    for first in hang.at_clusters.iter().filter(|w| hang.stuck.contains(&w.cta)) {
        let key = (&first.cluster, first.phase);
        if told.contains(&key) {
            continue;
        }
        told.push(key);
        let same: Vec<&ClusterWait> = hang.at_clusters.iter().filter(|w| (&w.cluster, w.phase) == key).collect();
        let warps: Vec<String> = same.iter().map(|w| format!("{} of CTA {}", w.warp, w.cta)).collect();
        let (who, wait) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
        let message = format!(
            "{who} {} {wait} for ever at the barrier of {} for phase {}: {} of its warps have not arrived",
            warps.join(", "),
            cluster(&first.cluster),
            first.phase,
            first.missing.len()
        );
        let mut finding = Finding::new(&CLUSTER_WAIT, case.at(first.cta, first.warp, &first.place), message);
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
        finding.cycle = reported(case, first.cta);
        for m in &first.missing {
            let at = m.warp.next.as_ref().and_then(|place| case.at(m.cta, m.warp.warp, place));
            finding.related.push(Related { at, note: format!("missing: {}", of_cluster(m)) });
        }
        cut(&mut finding);
        found.push(finding);
    }
    found
}

/// All that wait for ever at one barrier of Intel's gateway.
fn at_gateway(case: &Case, hang: &Hang) -> Vec<Finding> {
    let mut found: Vec<Finding> = vec![];
    let mut told = vec![];
    for first in hang.at_gateway.iter().filter(|w| hang.stuck.contains(&w.cta)) {
        let same = |w: &&GatewayWait| (w.cta, w.id) == (first.cta, first.id);
        if told.contains(&(first.cta, first.id)) {
            continue;
        }
        told.push((first.cta, first.id));
        let warps: Vec<String> = hang.at_gateway.iter().filter(same).map(|w| w.warp.to_string()).collect();
        let (who, wait) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
        let message = format!("{who} {} {wait} for ever at barrier {}: {}", warps.join(", "), first.id, signalled(first));
        let exited = first.missing.iter().filter(|m| matches!(m.warp.now, Whereabouts::Exited { .. })).count();
        let short = too_few(first);
        let step = |w: &GatewayWait| format!("CTA {} warp {} waits at", w.cta, w.warp);
        let circle = hang.circle.iter().any(|own| own.starts_with(&step(first)));
        let code = match short {
            Some(_) if exited > 0 => &COUNTED_EXIT,
            _ if circle => &WAIT_CYCLE,
            _ => &SIGNAL_MISSING,
        };
        // The whole circle is one misuse.
        if code == &WAIT_CYCLE && found.iter().any(|finding| finding.code == code) {
            continue;
        }
        let mut finding = Finding::new(code, case.at(first.cta, first.warp, &first.place), message);
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
        (finding.barrier, finding.generation) = (Some(first.id), Some(first.phase));
        finding.cycle = reported(case, first.cta);
        if code == &WAIT_CYCLE {
            let of = |own: &str| {
                let wait = hang.at_gateway.iter().find(|w| own.starts_with(&step(w)))?;
                case.at(wait.cta, wait.warp, &wait.place)
            };
            finding.related.extend(hang.circle.iter().map(|own| Related { at: of(own), note: own.clone() }));
        } else {
            let mut places: Vec<(&Place, Role)> = vec![];
            for key in first.signals.iter().map(|signal| (&signal.place, signal.role)) {
                if !places.contains(&key) {
                    places.push(key);
                }
            }
            for (place, role) in places {
                let same: Vec<&Signal> = first.signals.iter().filter(|s| (&s.place, s.role) == (place, role)).collect();
                let warps: Vec<String> = same.iter().map(|signal| signal.warp.to_string()).collect();
                let who = if warps.len() == 1 { "warp" } else { "warps" };
                let note = format!("{who} {} signalled here as {role}", warps.join(", "));
                let at = same.first().and_then(|signal| case.at(first.cta, signal.warp, place));
                finding.related.push(Related { at, note });
            }
            for m in &first.missing {
                let at = m.warp.next.as_ref().and_then(|place| case.at(first.cta, m.warp.warp, place));
                finding.related.push(Related { at, note: format!("missing: {}", of_gateway(m)) });
            }
            finding.related.extend(short.map(|note| Related { at: None, note }));
        }
        cut(&mut finding);
        found.push(finding);
    }
    found
}

/// The cycle in which the unit reported that a CTA cannot go on.
fn reported(case: &Case, cta: usize) -> Option<u64> {
    case.report.faults.iter().find(|f| f.cta == cta && f.code == DEADLOCK.name).map(|f| f.cycle)
}

/// The run was stopped, with where its warps wait.
fn limit(case: &Case, hang: &Hang) -> Finding {
    let why = if case.report.is_interrupted() { "when it was interrupted" } else { "the limit" };
    let message = format!("the run has not ended after {} cycles, {why}; it is not known to hang", case.report.cycles);
    let mut finding = Finding::new(&CYCLE_LIMIT, None, message);
    if let Some(first) = hang.going.first() {
        finding.at = case.at(first.cta, first.warp, &first.place);
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
    }
    finding.related = hang
        .blocked
        .iter()
        .filter(|b| !hang.stuck.contains(&b.cta))
        .map(|b| {
            let note = format!("CTA {} warp {} waits at barrier {} then, for generation {}", b.cta, b.warp, b.id, b.number);
            Related { at: case.at(b.cta, b.warp, &b.place), note }
        })
        .collect();
    finding.related.extend(hang.at_gateway.iter().filter(|w| !hang.stuck.contains(&w.cta)).map(|w| {
        let note = format!("CTA {} warp {} waits at barrier {} then, for phase {}", w.cta, w.warp, w.id, w.phase);
        Related { at: case.at(w.cta, w.warp, &w.place), note }
    }));
    cut(&mut finding);
    finding
}

/// The blocked warp whose step of the circle this is.
fn of_step<'a>(hang: &'a Hang, step: &str) -> Option<&'a Blocked> {
    hang.blocked.iter().find(|b| step.starts_with(&format!("CTA {} warp {} waits at", b.cta, b.warp)))
}

fn code(hang: &Hang, first: &Blocked) -> &'static Code {
    let short = first.expected.saturating_sub(first.arrived.len());
    let live = first.missing.iter().filter(|m| !matches!(m.now, Whereabouts::Exited { .. })).count();
    let mut circle = hang.circle.iter().filter_map(|step| of_step(hang, step));
    if first.threads.is_some() && live < short && live < first.missing.len() {
        &COUNTED_EXIT
    } else if circle.any(|b| (b.cta, b.id) == (first.cta, first.id)) {
        &WAIT_CYCLE
    } else {
        &DEADLOCK
    }
}

/// All that wait at one barrier.
fn one(case: &Case, hang: &Hang, code: &'static Code, first: &Blocked) -> Finding {
    let waiting = || hang.blocked.iter().filter(|b| (b.cta, b.id) == (first.cta, first.id));
    let short = first.expected.saturating_sub(first.arrived.len());
    let of = match first.threads {
        Some(threads) => format!("{} warps ({threads} threads)", first.expected),
        None => format!("the {} warps that have not exited", first.expected),
    };
    let warps: Vec<String> = waiting().map(|b| b.warp.to_string()).collect();
    let (who, them) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
    let since = first.arrived.iter().filter(|a| waiting().any(|b| b.warp == a.warp)).map(|a| a.cycle).min();
    let since = since.map_or(String::new(), |cycle| format!(", since cycle {cycle}"));
    let message = format!(
        "{who} {} {them} for ever at barrier {}{since}: {} of {of} arrived",
        warps.join(", "),
        first.id,
        first.arrived.len()
    );
    let mut finding = Finding::new(code, case.at(first.cta, first.warp, &first.place), message);
    (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), reported(case, first.cta));
    (finding.barrier, finding.generation) = (Some(first.id), Some(first.number));
    let mut places = vec![&first.place];
    for b in waiting() {
        if !places.contains(&&b.place) {
            places.push(&b.place);
            let since =
                b.arrived.iter().find(|a| a.warp == b.warp).map_or(String::new(), |a| format!(", since cycle {}", a.cycle));
            let note = format!("warp {} waits here{since}", b.warp);
            finding.related.push(Related { at: case.at(b.cta, b.warp, &b.place), note });
        }
    }
    if code == &WAIT_CYCLE {
        let of = |step: &str| of_step(hang, step).and_then(|b| case.at(b.cta, b.warp, &b.place));
        finding.related.extend(hang.circle.iter().map(|step| Related { at: of(step), note: step.clone() }));
    } else {
        for m in &first.missing {
            let at = m.next.as_ref().and_then(|place| case.at(first.cta, m.warp, place));
            finding.related.push(Related { at, note: format!("missing: {}", missing(m)) });
        }
        let never = |m: &crate::report::Missing| m.next.is_none() && !m.unclear;
        if !first.missing.is_empty() && first.missing.iter().all(never) {
            let note = format!("nobody else ever arrives at barrier {}", first.id);
            finding.related.push(Related { at: None, note });
        }
        if first.missing.len() < short {
            let note = format!("the count wants {short} more, but the CTA has only {} others", first.missing.len());
            finding.related.push(Related { at: None, note });
        }
    }
    cut(&mut finding);
    finding
}

fn cut(finding: &mut Finding) {
    let more = finding.related.len().saturating_sub(MAX_RELATED);
    if more > 0 {
        finding.related.truncate(MAX_RELATED);
        finding.related.push(Related { at: None, note: format!("and {more} more; `bcu run` tells all") });
    }
}
