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

use super::clock::{join, Source};
use super::mbarrier_state::Key;
use super::released::Arrival;
use crate::gate::{Execution, Hold};
use crate::report::{Operation, Unordered};
use bcu_program::Place;
use before::{Before, Mark};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// The maximum number of entries, each for other locations.
const MOST: usize = 20;

/// The maximum number of pairs of a run that are recorded.
const MOST_PAIRS: usize = 1 << 12;

/// The pairs of executions that another schedule may reverse, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The earlier execution of each pair is `held`.
    pub(super) list: Vec<Hold>,
    known: HashSet<Hold>,
    /// Whether there are pairs that a hold cannot reverse, or that are not recorded.
    pub(super) has_others: bool,
}

impl Pairs {
    /// Adds a pair.
    pub(super) fn add(&mut self, first: Option<Execution>, second: Option<Execution>) {
        let pair = first.zip(second).filter(|(first, second)| (first.cta, first.warp) != (second.cta, second.warp));
        match pair {
            Some((held, until)) if self.list.len() < MOST_PAIRS => {
                if self.known.insert(Hold { held, until }) {
                    self.list.push(Hold { held, until });
                }
            }
            _ => self.has_others = true,
        }
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
    /// For each lane, given by CTA, warp and lane, and each mbarrier, the arrivals that wait for the copies of the lane.
    pub(super) late: HashMap<(usize, usize, usize, Key), VecDeque<Rc<Before>>>,
}

impl Order {
    /// Adds an entry, unless there is one for the same locations.
    pub(super) fn add(&mut self, sentence: impl FnOnce() -> String, operation: &Mark, (other, came_first): (Option<&Mark>, bool)) {
        if let Some(pairs) = &mut self.pairs_of_run {
            let of = |mark: Option<&Mark>| mark.and_then(|mark| mark.execution);
            let (operation, other) = (operation.execution, of(other));
            let (first, second) = if came_first { (operation, other) } else { (other, operation) };
            pairs.add(first, second);
        }
        let place = |mark: &Mark| mark.place.clone();
        let same = |known: &&Unordered| {
            known.operation.place == operation.place
                && known.other.as_ref().map(|other| &other.place) == other.map(|other| &other.place)
        };
        if self.found.len() >= MOST || self.found.iter().any(|known| same(&known)) {
            return;
        }
        let operation_of =
            |mark: &Mark| Operation { cta: mark.cta, warp: mark.warp, place: place(mark), execution: mark.execution };
        let (operation, other) = (operation_of(operation), other.map(operation_of));
        self.found.push(Unordered { sentence: sentence(), operation, other, came_first });
    }

    /// Whether a pair of accesses, given by the indexes of their locations, is not in `found` yet and may be added.
    pub(super) fn is_new(&mut self, pair: (u32, u32)) -> bool {
        let is_new = self.pairs.len() < MOST && !self.pairs.contains(&pair);
        if is_new {
            self.pairs.push(pair);
        }
        is_new
    }

    /// Adds an operation for whose order there is no rule.
    pub(super) fn no_rule(&mut self, (cta, warp): (usize, usize), place: &Place, sentence: &str) {
        let mark = Mark { cta, warp, source: Source(0), lanes: 0, width: 0, step: 0, place: place.clone(), execution: None };
        self.add(|| sentence.to_string(), &mark, (None, true));
    }

    /// Checks the order of an arrival at a named barrier, given by CTA and id, after the last complete generation.
    pub(super) fn arrives(&mut self, barrier: (usize, u8), arrival: &Arrival) {
        // The warp arrives when its last group of lanes arrives, so what is executed before one group is executed before the arrival.
        let Some(last) = arrival.operations.last() else { return };
        let mut executed = last.executed.clone();
        arrival.operations.iter().for_each(|operation| join(&mut executed, &operation.executed));
        if let Some(earlier) = self.generations.unordered(barrier, &executed).cloned() {
            let sentence =
                "another schedule may count this arrival into the generation before, together with that arrival or in its place";
            self.add(|| sentence.to_string(), &last.mark, (Some(&earlier), false));
        }
    }

    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.phases.retain(|(of, _), _| *of != cta);
        self.late.retain(|(from, _, _, (to, _)), _| *from != cta && *to != cta);
        self.generations.remove_cta(cta);
    }
}
