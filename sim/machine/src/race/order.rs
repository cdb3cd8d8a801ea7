// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What another schedule could change. If nothing is found here, and the run ended without a fault, a race or a limit, then every schedule
//! of the same launch gives the same result: every pair of operations that do not commute is ordered by operations that wait for each other
//! in every schedule. docs/guide/schedules.md states the rules and the assumptions.
//!
//! The order is that of the race detector, whose clocks follow only what warps wait for. What only this run did, such as the value that a
//! load of a flag returned, adds to the clocks too; each of these is a pair of operations and is found here as well.

pub(super) mod before;
pub(super) mod generations;
pub(super) mod phases;

use super::clock::join;
use super::known::Known;
use super::mbarrier_state::Key;
use super::released::Arrival;
use crate::report::{Change, Operation, Pair, Unordered};
use crate::schedule_file::{Constraint, Execution};
use before::{Before, Mark};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// The maximum number of entries, each for other locations.
const MOST: usize = 20;

/// The maximum number of pairs of a run that are recorded.
const MOST_PAIRS: usize = 1 << 12;

/// The pairs of executions that another schedule may reverse.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Each pair in the order of issue, with the time at which it was found.
    list: Vec<(Pair, u64)>,
    known: HashSet<Constraint>,
    /// The times at which accesses were performed.
    performed: HashMap<Execution, u64>,
    /// The number of pairs and of performed accesses so far.
    time: u64,
    /// Whether constraints of the schedule are not satisfied.
    has_constraints: bool,
    /// Whether there are pairs that a constraint cannot reverse, or that are not recorded.
    pub(super) has_others: bool,
}

impl Pairs {
    /// Adds a pair.
    pub(super) fn add(&mut self, change: Change, first: Option<Execution>, second: Option<Execution>) {
        let pair = first.zip(second).filter(|(first, second)| (first.cta, first.warp) != (second.cta, second.warp));
        match pair {
            Some((delayed, after)) if self.list.len() < MOST_PAIRS => {
                let reversal = Constraint { delayed, after };
                self.time += 1;
                if self.known.insert(reversal) {
                    self.list.push((Pair { reversal, change }, self.time));
                }
            }
            _ => self.has_others = true,
        }
    }

    /// Records whether constraints of the schedule are not satisfied.
    pub(super) fn has_constraints(&mut self, has_constraints: bool) {
        self.has_constraints = has_constraints;
    }

    /// Records that an access is performed.
    pub(super) fn performed(&mut self, execution: Execution) {
        self.time += 1;
        self.performed.insert(execution, self.time);
    }

    /// All pairs, each in the order in which its operations took effect, by the time of the later one.
    pub(super) fn in_order(self) -> Vec<Pair> {
        let in_order = |(pair, found): (Pair, u64)| {
            let Constraint { delayed, after } = pair.reversal;
            match (self.performed.get(&delayed), self.performed.get(&after)) {
                (Some(first), Some(second)) if first > second => (*first, pair.reverse()),
                (Some(_), Some(second)) => (*second, pair),
                _ => (found, pair),
            }
        };
        let mut pairs: Vec<(u64, Pair)> = self.list.into_iter().map(in_order).collect();
        pairs.sort_by_key(|(time, _)| *time);
        // The rounds of a repeated load are one execution, which may have been found on both sides of another one.
        let mut known = HashSet::new();
        pairs.into_iter().map(|(_, pair)| pair).filter(|pair| known.insert(pair.reversal)).collect()
    }
}

/// What another schedule of the run could change.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// All pairs of a run of an exploration.
    pub(super) pairs_of_run: Option<Pairs>,
    pub(super) found: Vec<Unordered>,
    /// The pairs of accesses that are in `found`, as indexes of locations.
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) generations: generations::Generations,
    pub(super) phases: HashMap<Key, phases::Phases>,
    /// For each CTA, the last operations of warps of other CTAs on its mbarriers.
    pub(super) remote: HashMap<usize, Vec<Mark>>,
    /// For each lane, given by CTA, warp and lane, and each mbarrier, the arrivals that wait for the copies of the lane, and what
    /// each of them releases.
    pub(super) late: HashMap<(usize, usize, usize, Key), VecDeque<(Rc<Before>, Option<Known>)>>,
}

impl Order {
    /// Adds an entry, unless there is one for the same locations.
    pub(super) fn add(&mut self, change: Change, operation: &Mark, (other, came_first): (Option<&Mark>, bool)) {
        if let Some(pairs) = &mut self.pairs_of_run {
            let of = |mark: Option<&Mark>| mark.and_then(|mark| mark.execution);
            let (operation, other) = (operation.execution, of(other));
            let (first, second) = if came_first { (operation, other) } else { (other, operation) };
            pairs.add(change, first, second);
        }
        let same = |known: &&Unordered| {
            known.operation.place == operation.place
                && known.other.as_ref().map(|other| &other.place) == other.map(|other| &other.place)
        };
        if self.found.len() >= MOST || self.found.iter().any(|known| same(&known)) {
            return;
        }
        let operation_of = |mark: &Mark| Operation { cta: mark.cta, warp: mark.warp, place: mark.place.clone() };
        self.found.push(Unordered { change, operation: operation_of(operation), other: other.map(operation_of) });
    }

    /// Whether a pair of accesses, given by the indexes of their locations, is not in `found` yet and may be added.
    pub(super) fn is_new(&mut self, pair: (u32, u32)) -> bool {
        let is_new = self.pairs.len() < MOST && !self.pairs.contains(&pair);
        if is_new {
            self.pairs.push(pair);
        }
        is_new
    }

    /// Whether an access of a run of an exploration is compared with all later accesses to its bytes, although it conflicts with the access
    /// that is issued now. Otherwise the pair of these two is enough: the earlier one has been performed, and no constraint delays the later
    /// one, so each further access comes after the earlier one or before both. `None`: an access without an execution.
    pub(super) fn is_compared_further(&self, earlier: Option<Execution>) -> bool {
        let is_performed = |pairs: &Pairs| earlier.is_some_and(|earlier| pairs.performed.contains_key(&earlier));
        self.pairs_of_run.as_ref().is_some_and(|pairs| pairs.has_constraints || !is_performed(pairs))
    }

    /// Checks the order of an arrival at a named barrier, given by CTA and id, after the last complete generation.
    pub(super) fn arrives(&mut self, barrier: (usize, u8), arrival: &Arrival) {
        // The warp arrives when its last group of lanes arrives, so what is executed before one group is executed before the arrival.
        let Some(last) = arrival.operations.last() else { return };
        let mut executed = last.executed.clone();
        arrival.operations.iter().for_each(|operation| join(&mut executed, &operation.executed));
        for earlier in self.generations.unordered(barrier, &executed) {
            self.add(Change::Generation, &last.mark, (Some(&earlier), false));
        }
    }

    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.phases.retain(|(of, _), _| *of != cta);
        self.late.retain(|(from, _, _, (to, _)), _| *from != cta && *to != cta);
        self.generations.remove_cta(cta);
    }
}
