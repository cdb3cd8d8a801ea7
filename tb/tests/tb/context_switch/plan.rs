// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of the warps of a CTA, in order, with the expected events. The plan holds its state as sets, without the rows and counters of
//! the unit.

use bcu_tb::stimulus::Rng;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redop {
    And,
    Or,
    Popc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sync,
    Arrive,
    /// A reduction, with the lanes of the warp whose predicate is true.
    Reduce(Redop, u64),
}

/// One step of one warp; `count` is in warps, 0: all warps.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Arrive {
        warp: usize,
        kind: Kind,
        id: u64,
        count: usize,
    },
    /// The warp reads the result of its last reduction.
    Result {
        warp: usize,
    },
    Exit {
        warp: usize,
    },
}

/// An output event of the unit, with warps numbered within the CTA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Released { id: u64, warps: BTreeSet<usize>, result: Option<u64> },
    Read { warp: usize, value: u64, predicate: bool },
}

/// A generation in progress.
struct Open {
    count: usize,
    redop: Option<Redop>,
    arrived: BTreeSet<usize>,
    waiting: BTreeSet<usize>,
    votes: Vec<u64>,
}

pub struct Plan {
    pub steps: Vec<Step>,
    /// The expected events of each step.
    pub events: Vec<Vec<Event>>,
    /// Whether every live warp waits at the end, which is a deadlock.
    pub is_deadlock: bool,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    lanes: u64,
    warps: usize,
    live: BTreeSet<usize>,
    waiting: BTreeSet<usize>,
    open: BTreeMap<u64, Open>,
    results: BTreeMap<usize, (Redop, u64)>,
}

/// Draws at most `length` steps for a CTA of `warps` warps with `lanes` lanes and `ids` barriers. The plan has fewer steps if no warp can
/// make further progress.
pub fn draw(rng: &mut Rng, lanes: u64, warps: usize, ids: u64, length: usize) -> Plan {
    let live = (0..warps).collect();
    let mut writer =
        Writer { rng, lanes, warps, live, waiting: BTreeSet::new(), open: BTreeMap::new(), results: BTreeMap::new() };
    let mut plan = Plan { steps: vec![], events: vec![], is_deadlock: false };
    for _ in 0..20 * length {
        let free_warps: Vec<usize> = writer.live.difference(&writer.waiting).copied().collect();
        let Some(warp) = writer.rng.pick(&free_warps) else { break };
        if let Some((step, events)) = writer.draw_step(warp, ids) {
            plan.steps.push(step);
            plan.events.push(events);
        }
        if plan.steps.len() == length {
            break;
        }
    }
    plan.is_deadlock = writer.live.is_subset(&writer.waiting);
    plan
}

impl Writer<'_> {
    fn draw_step(&mut self, warp: usize, ids: u64) -> Option<(Step, Vec<Event>)> {
        if self.rng.chance(150) {
            let &(redop, value) = self.results.get(&warp)?;
            let popc = redop == Redop::Popc;
            let (value, predicate) = (if popc { value } else { 0 }, !popc && value == 1);
            return Some((Step::Result { warp }, vec![Event::Read { warp, value, predicate }]));
        }
        if self.rng.chance(40) && self.live.len() > 2 {
            self.live.remove(&warp);
            let mut events = vec![];
            for id in self.open.keys().copied().collect::<Vec<_>>() {
                events.extend(self.complete(id));
            }
            return Some((Step::Exit { warp }, events));
        }
        let id = self.rng.below(ids);
        let votes = match self.rng.below(3) {
            0 => (1 << self.lanes) - 1,
            1 => 0,
            _ => self.rng.draw() & ((1 << self.lanes) - 1),
        };
        let uncounted = self.open.values().any(|o| o.count == 0);
        let (kind, count) = match self.open.get(&id) {
            Some(o) if o.arrived.contains(&warp) => return None,
            Some(Open { count, redop: Some(redop), .. }) => (Kind::Reduce(*redop, votes), *count),
            Some(o) if o.count != 0 && self.rng.chance(400) => (Kind::Arrive, o.count),
            Some(o) => (Kind::Sync, o.count),
            None => {
                // A second id that is used without a count causes a deadlock, so further generations have a count.
                let count = if uncounted { 2 } else { self.rng.pick(&[0, 0, 2, 3, 4])? };
                let redop = self.rng.pick(&[Redop::And, Redop::Or, Redop::Popc])?;
                let kinds = [Kind::Sync, Kind::Arrive, Kind::Reduce(redop, votes)];
                (self.rng.pick(&kinds)?, count.min(self.warps))
            }
        };
        if kind == Kind::Arrive && count == 0 {
            return None;
        }
        let redop = if let Kind::Reduce(redop, _) = kind { Some(redop) } else { None };
        let fresh = || Open { count, redop, arrived: BTreeSet::new(), waiting: BTreeSet::new(), votes: vec![] };
        let row = self.open.entry(id).or_insert_with(fresh);
        row.arrived.insert(warp);
        if kind != Kind::Arrive {
            row.waiting.insert(warp);
            self.waiting.insert(warp);
        }
        if let Kind::Reduce(_, votes) = kind {
            row.votes.push(votes);
        }
        let events = self.complete(id).into_iter().collect();
        Some((Step::Arrive { warp, kind, id, count }, events))
    }

    /// The release of a barrier whose participants have all arrived; `None` if one of them is missing.
    fn complete(&mut self, id: u64) -> Option<Event> {
        let row = self.open.get(&id)?;
        let full = if row.count == 0 { row.arrived.is_superset(&self.live) } else { row.arrived.len() == row.count };
        if !full {
            return None;
        }
        let row = self.open.remove(&id)?;
        let all_lanes = (1 << self.lanes) - 1;
        let result = row.redop.map(|redop| match redop {
            Redop::And => row.votes.iter().all(|v| *v == all_lanes).into(),
            Redop::Or => row.votes.iter().any(|v| *v != 0).into(),
            Redop::Popc => row.votes.iter().map(|v| v.count_ones() as u64).sum(),
        });
        for warp in &row.waiting {
            self.waiting.remove(warp);
            if let (Some(redop), Some(value)) = (row.redop, result) {
                self.results.insert(*warp, (redop, value));
            }
        }
        Some(Event::Released { id, warps: row.waiting, result })
    }
}
