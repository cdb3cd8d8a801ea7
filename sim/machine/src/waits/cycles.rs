// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circular waits: cycles in the wait-for graph.

use super::super::report::{Cause, Evidence};
use super::super::sentence::place;
use super::super::sentence::place::line;
use super::groups::{Group, Object, Warp};
use bcu_program::Place;
use std::collections::VecDeque;

/// A cycle of groups: each group waits for a warp that waits in the next group, and the last group for a warp in the first.
pub struct Cycle {
    pub groups: Vec<usize>,
    /// Whether each awaited warp would certainly arrive at the object at which other warps wait for it.
    pub is_certain: bool,
}

/// A warp of a cycle, with its wait.
pub struct Step<'a> {
    pub warp: Warp,
    /// The verb of the wait with the name of the object, such as `waits at barrier 1`.
    waits: String,
    /// The name of the object.
    name: String,
    is_memory: bool,
    at: &'a Place,
    /// The warp for which this warp waits.
    awaited: Warp,
    /// The location where the awaited warp would arrive.
    next: Option<&'a Place>,
}

impl Step<'_> {
    pub fn sentence(&self) -> String {
        let Step { warp: (cta, warp), waits, at, awaited, next, .. } = self;
        let does = if self.is_memory { "store to it" } else { "arrive there" };
        let next = next.map_or(String::new(), |next| format!(", which would {does} at {}", place(next)));
        let of = if awaited.0 == *cta { String::new() } else { format!(" of CTA {}", awaited.0) };
        format!("CTA {cta} warp {warp} {waits} ({}) for warp {}{of}{next}", place(at), awaited.1)
    }
}

/// The shortest cycle among the groups for which `open` is true. A cycle in which all warps would certainly arrive is preferred.
pub fn shortest(groups: &[Group], edges: &[Vec<usize>], open: &dyn Fn(&usize) -> bool) -> Option<Cycle> {
    let certain = |from: usize, to: &usize| {
        let would = groups[from].awaited.iter().filter(|a| a.next.is_some());
        would.into_iter().any(|a| groups[*to].waiting.contains(&a.warp))
    };
    let find = |is_certain: bool| {
        let next = |from: usize| -> Vec<usize> {
            edges[from].iter().copied().filter(|to| open(to) && (!is_certain || certain(from, to))).collect()
        };
        let starts = (0..groups.len()).filter(open);
        let shortest = starts.filter_map(|start| way_back(start, groups.len(), &next)).min_by_key(Vec::len)?;
        Some(Cycle { groups: shortest, is_certain })
    };
    find(true).or_else(|| find(false))
}

/// One warp of each group of a cycle.
pub fn steps<'a>(groups: &'a [Group<'a>], cycle: &Cycle) -> Vec<Step<'a>> {
    let length = cycle.groups.len();
    let group_at = |at: usize| &groups[cycle.groups[at % length]];
    // For the group at index `at` of the cycle: an awaited warp, which waits in the next group of the cycle, and the location where the
    // awaited warp would arrive.
    let awaited = |at: usize| {
        let waits_next = |warp: &Warp| group_at(at + 1).waiting.contains(warp);
        let mut known = group_at(at).awaited.iter().filter(|a| waits_next(&a.warp));
        let found = known.clone().find(|a| a.next.is_some()).or_else(|| known.next());
        let ended_by = || group_at(at + 1).waiting.iter().find(|warp| group_at(at).awaited_ctas.contains(&warp.0));
        found.map(|a| (a.warp, a.next)).or_else(|| Some((*ended_by()?, None)))
    };
    let build_step = |at: usize| {
        let (warp, _) = awaited((at + length - 1) % length)?;
        let (awaited, next) = awaited(at)?;
        Some(Step {
            warp,
            waits: group_at(at).waits(),
            name: group_at(at).name(),
            is_memory: matches!(group_at(at).object, Object::Memory(_)),
            at: group_at(at).place(warp)?,
            awaited,
            next,
        })
    };
    let first = (0..length).min_by_key(|at| awaited((at + length - 1) % length).map(|(warp, _)| warp)).unwrap_or(0);
    (first..first + length).filter_map(|at| build_step(at % length)).collect()
}

/// The cause for a cycle: one sentence for all its steps, and the remedy if it is known.
pub fn cause(groups: &[Group], cycle: &Cycle, steps: &[Step]) -> Cause {
    let several = steps.iter().any(|step| step.warp.0 != steps[0].warp.0);
    let name_warp = |(cta, warp): Warp| if several { format!("warp {warp} of CTA {cta}") } else { format!("warp {warp}") };
    let waits = |step: &Step| format!("{} {}", name_warp(step.warp), step.waits);
    let sentence = match (cycle.is_certain, steps) {
        (true, [step]) => format!("{} for {}", waits(step), name_warp(step.awaited)),
        (true, [first, later_steps @ ..]) => {
            let chain: Vec<String> =
                later_steps.iter().map(|step| format!("{}, which {}", name_warp(step.warp), step.waits)).collect();
            format!("{} for {} for {}: none of them can resume", waits(first), chain.join(" for "), name_warp(first.warp))
        }
        (false, _) => {
            let each: Vec<String> = steps.iter().map(waits).collect();
            let absent: String = steps.iter().filter_map(|step| absent(groups, cycle, step)).collect();
            format!("{}, and none of them reaches the place where the others wait{absent}", each.join(", "))
        }
        (true, []) => String::new(),
    };
    let of_first = cycle.groups.iter().map(|index| &groups[*index]).find(|group| group.waiting.contains(&steps[0].warp));
    let code = if cycle.is_certain { "wait_cycle" } else { of_first.map_or("deadlock", Group::code) };
    let first_round = producers_first_wait(groups, cycle, steps);
    let at = first_round.as_ref().map_or(0, |(step, _)| *step);
    let mut cause = Cause::new(code, steps[at].warp, steps[at].at, sentence);
    cause.help = first_round.map(|(_, help)| help);
    let evidence = |step: &Step| {
        let (cta, warp) = step.warp;
        Evidence { cta, warp, place: Some(step.at.clone()), note: step.sentence() }
    };
    cause.evidence = steps.iter().map(evidence).collect();
    cause
}

/// Text if the awaited warp has not arrived in the open phase of an mbarrier, while another warp has.
fn absent(groups: &[Group], cycle: &Cycle, step: &Step) -> Option<String> {
    let group = cycle.groups.iter().map(|index| &groups[*index]).find(|group| group.waiting.contains(&step.warp))?;
    let Object::Mbarrier(waits) = &group.object else { return None };
    let object = &waits[0].object;
    let is_own = object.arrived.iter().any(|arrival| arrival.warp == Some(step.awaited.1));
    let other = object.arrived.iter().find(|arrival| arrival.warp.is_some()).filter(|_| !is_own)?;
    let (warp, phase, name) = (step.awaited.1, object.phase, object.named());
    let as_others = format!("as warp {} has in {}", other.warp?, line(other.place.as_ref()?));
    Some(format!("; warp {warp} has not arrived in phase {phase} of {name}, {as_others}"))
}

/// If all mbarriers of a circular wait are in their first phase, the producer should not wait in that phase. Returns the index of the
/// producer's step, and the remedy.
fn producers_first_wait(groups: &[Group], cycle: &Cycle, steps: &[Step]) -> Option<(usize, String)> {
    let in_first_phase = |index: &usize| match &groups[*index].object {
        Object::Mbarrier(waits) => waits.iter().all(|w| w.object.phase == 0 && w.parity == 0),
        _ => false,
    };
    if !cycle.groups.iter().all(in_first_phase) {
        return None;
    }
    let help =
        "in the first phase of an mbarrier a wait for parity 1 returns at once: the producer's first wait for an empty buffer is for parity 1";
    // A warp is a producer if it expects bytes or starts copies.
    let produces = |place: &Place| ["expect_tx", "cp.async", "EXPECT"].iter().any(|word| place.text.contains(word));
    let is_producer = |warp: Warp| steps.iter().any(|step| step.awaited == warp && step.next.is_some_and(produces));
    let named = |step: &&Step| ["empty", "free"].iter().any(|word| step.name.contains(word));
    let by_action = steps.iter().position(|step| is_producer(step.warp));
    let step = by_action.or_else(|| steps.iter().position(|step| named(&step)));
    Some((step.unwrap_or(0), help.to_string()))
}

/// The shortest path from `start` back to `start`; `None` if there is none.
fn way_back(start: usize, nodes: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Option<Vec<usize>> {
    let mut from = vec![None; nodes];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for target in next(node) {
            if target == start {
                let mut way: Vec<usize> =
                    std::iter::successors(Some(node), |n| if *n == start { None } else { from[*n] }).collect();
                way.reverse();
                return Some(way);
            }
            if from[target].is_none() {
                from[target] = Some(node);
                queue.push_back(target);
            }
        }
    }
    None
}
