// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults of the unit: one finding per refused operation, with the arrivals that the operation contradicts.

use super::codes::{
    of_fault, Code, BARRIER_LEFT_OPEN, COUNT_MISMATCH, DEADLOCK, DOUBLE_ARRIVAL, KIND_MISMATCH, OPERAND_NOT_UNIFORM,
};
use super::finding::{At, Case, Finding, Related};
use crate::issued::Issue;
use crate::report::Fault;
use bcu_isa::op::FaultCode;
use std::collections::{HashMap, HashSet, VecDeque};

/// The arrivals of a run, and the refused ones among them.
struct Arrivals<'a> {
    case: &'a Case<'a>,
    /// Arrivals that are part of neither a completed generation nor a hang, in order of time; the key is CTA, warp and location.
    unmatched: HashMap<(usize, usize, usize), VecDeque<Issue>>,
    /// All arrivals at a barrier, in order of time; the key is CTA and barrier id.
    of_row: HashMap<(usize, u8), Vec<Issue>>,
    /// The cycle of the last arrival of each completed generation; the key is CTA and barrier id.
    completed: HashMap<(usize, u8), Vec<u64>>,
    /// The index, from 0, of the completed generation that includes an arrival; the key is CTA, warp and cycle of the arrival.
    counted: HashMap<(usize, usize, u64), usize>,
    /// The refused arrivals, by CTA, warp and cycle.
    refused: HashSet<(usize, usize, u64)>,
}

/// One finding for each fault in the report, except faults without a finding code and deadlocks
/// that the module `hang` reports.
pub fn find(case: &Case) -> Vec<Finding> {
    let mut arrivals = Arrivals::new(case);
    case.report.faults.iter().filter_map(|fault| arrivals.finding(fault)).collect()
}

impl<'a> Arrivals<'a> {
    fn new(case: &'a Case<'a>) -> Arrivals<'a> {
        let generations = || case.report.generations.iter();
        let done = generations().flat_map(|g| g.arrivals.iter().map(move |a| (g.cta, a.warp, a.cycle)));
        let blocked = case.report.hang.iter().flat_map(|h| &h.blocked);
        let open = blocked.flat_map(|b| b.arrived.iter().map(move |a| (b.cta, a.warp, a.cycle)));
        let good: HashSet<(usize, usize, u64)> = done.chain(open).collect();
        let (mut unmatched, mut of_row, mut completed) = (HashMap::new(), HashMap::new(), HashMap::new());
        for issue in &case.issued.issues {
            let row: &mut Vec<Issue> = of_row.entry((issue.cta, issue.barrier())).or_default();
            row.push(*issue);
            if !good.contains(&(issue.cta, issue.warp, issue.cycle)) {
                let queue: &mut VecDeque<Issue> = unmatched.entry((issue.cta, issue.warp, issue.place)).or_default();
                queue.push_back(*issue);
            }
        }
        let mut counted = HashMap::new();
        for (generation, last) in generations().filter_map(|g| Some((g, g.arrivals.last()?))) {
            let row: &mut Vec<u64> = completed.entry((generation.cta, generation.id)).or_default();
            counted.extend(generation.arrivals.iter().map(|a| ((generation.cta, a.warp, a.cycle), row.len())));
            row.push(last.cycle);
        }
        Arrivals { case, unmatched, of_row, completed, counted, refused: HashSet::new() }
    }

    /// The finding for `fault`; `None` if no finding code exists for the fault, or if the module
    /// `hang` makes a finding for it.
    fn finding(&mut self, fault: &Fault) -> Option<Finding> {
        let of_name = FaultCode::ALL.iter().find(|f| f.name() == fault.code);
        let code = of_name.and_then(|f| of_fault(*f))?;
        // If the hang in the report includes the CTA, the module `hang` makes a more detailed finding for the deadlock of the CTA.
        let hangs = self.case.report.hang.as_ref().is_some_and(|hang| {
            let stopped = hang.stopped.iter().map(|s| s.cta);
            hang.blocked
                .iter()
                .map(|b| b.cta)
                .chain(hang.at_gateway.iter().map(|w| w.cta))
                .chain(hang.lanes.iter().map(|l| l.cta))
                .chain(stopped)
                .any(|c| c == fault.cta)
        });
        if code == &DEADLOCK && hangs {
            return None;
        }
        let mut finding = Finding::new(code, None, fault.sentence.clone());
        (finding.cta, finding.warp, finding.cycle) = (Some(fault.cta), fault.warp, Some(fault.cycle));
        finding.barrier = fault.id.filter(|_| code != &OPERAND_NOT_UNIFORM);
        if let (Some(warp), Some(place)) = (fault.warp, &fault.place) {
            finding.at = self.case.locate_in(fault.cta, warp, place);
        }
        finding.object = fault.object.as_ref().map(|object| object.name.clone());
        if let Some((maker, init)) = fault.object.as_ref().and_then(|object| object.init.as_ref()) {
            let note = format!("warp {maker} initialised the mbarrier here");
            finding.related.push(Related { at: self.case.locate_in(fault.cta, *maker, init), note });
        }
        if code == &DEADLOCK {
            // A deadlock concerns the whole CTA. The location of its finding is the last arrival instruction that the CTA issued before the
            // report.
            let last = self.case.issued.issues.iter().rev().find(|i| i.cta == fault.cta && i.cycle < fault.cycle);
            finding.at = last.and_then(|issue| self.locate_issue(issue));
        }
        // The fault is reported some cycles after its instruction was accepted. The cycle of acceptance decides which arrivals are earlier.
        let accepted_at = self.refused(fault, code).map_or(fault.cycle, |issue| issue.cycle);
        self.contradicted(fault, accepted_at, &mut finding);
        Some(finding)
    }

    /// If the fault concerns earlier arrivals, adds them and their generation to `finding`. The instruction of the fault was accepted in
    /// cycle `accepted_at`.
    fn contradicted(&self, fault: &Fault, accepted_at: u64, finding: &mut Finding) {
        let code = finding.code;
        if ![&COUNT_MISMATCH, &DOUBLE_ARRIVAL, &KIND_MISMATCH, &BARRIER_LEFT_OPEN].contains(&code) {
            return;
        }
        let Some(id) = fault.id else { return };
        let (number, open) = self.open(fault.cta, id, accepted_at);
        finding.generation = Some(number);
        if code == &BARRIER_LEFT_OPEN {
            let first = open.first();
            finding.at = first.and_then(|issue| self.locate_issue(issue));
            finding.warp = first.map(|issue| issue.warp);
            finding.related = open.iter().skip(1).map(|issue| self.related(issue, "arrived as well")).collect();
        } else if code == &DOUBLE_ARRIVAL {
            let first = open.iter().find(|i| Some(i.warp) == fault.warp);
            finding.related.extend(first.map(|issue| self.related(issue, "arrived before")));
        } else {
            finding.related.extend(open.first().map(|issue| self.related(issue, "arrived first")));
        }
    }

    /// Removes from `unmatched` the instruction that caused `fault`, and returns it. The faults of a warp are in the order of its
    /// instructions, so the instruction is the oldest arrival in `unmatched` of this warp at this location.
    fn refused(&mut self, fault: &Fault, code: &Code) -> Option<Issue> {
        let key = (fault.cta, fault.warp?, self.case.issued.place(fault.place.as_ref()?)?);
        let queue = self.unmatched.get(&key)?;
        // A double arrival is refused because the warp has already arrived in the open generation. The valid arrival of that generation may
        // be at the same location, so it is skipped.
        let again = |i: &Issue| self.open(i.cta, i.barrier(), i.cycle).1.iter().any(|arrival| arrival.warp == i.warp);
        let index = queue.iter().position(|i| code != &DOUBLE_ARRIVAL || again(i))?;
        let issue = self.unmatched.get_mut(&key)?.remove(index)?;
        self.refused.insert((issue.cta, issue.warp, issue.cycle));
        Some(issue)
    }

    /// The number, from 1, of the generation of barrier `id` that was open in `cycle`, and its arrivals before that cycle.
    fn open(&self, cta: usize, id: u8, cycle: u64) -> (usize, Vec<Issue>) {
        let completed = self.completed.get(&(cta, id)).map_or(&[][..], Vec::as_slice);
        let before = completed.partition_point(|last| *last < cycle);
        let row = self.of_row.get(&(cta, id)).map_or(&[][..], Vec::as_slice);
        // An arrival that waits for memory accesses counts later than it is issued, so the order of issue does not show which arrivals
        // belong to the open generation; `counted` does.
        let open = row.iter().take_while(|i| i.cycle < cycle).filter(|i| {
            let arrival = (i.cta, i.warp, i.cycle);
            !self.refused.contains(&arrival) && self.counted.get(&arrival).is_none_or(|generation| *generation >= before)
        });
        (before + 1, open.copied().collect())
    }

    fn locate_issue(&self, issue: &Issue) -> Option<At> {
        self.case.locate_in(issue.cta, issue.warp, &self.case.issued.places[issue.place])
    }

    fn related(&self, issue: &Issue, what: &str) -> Related {
        Related { at: self.locate_issue(issue), note: format!("warp {} {what}, in cycle {}", issue.warp, issue.cycle) }
    }
}
