// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schedules by random priorities (PCT: Burckhardt et al., ASPLOS 2010): of the warps that can continue, the one with the highest priority
//! issues. Before it issues again, its operation takes effect. At random operations, the priority of the warp becomes lower than all others.
//!
//! A failure of depth D, which needs D operations in a certain order, shows in such a schedule with a probability of at least
//! 1 / (N · K^(D − 1)), for N warps and K operations.

use super::warp::threads::At;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The depths of schedules.
pub const DEPTHS: RangeInclusive<u32> = 1..=64;

/// How many operations a warp executes in a row before its priority becomes the lowest. It may wait in a loop that is not recognised.
const MOST_IN_A_ROW: u32 = 1000;

/// The priorities at the start are above this one, those after changes and of warps that wait in a loop below.
const LOWEST_AT_START: u64 = 1 << 32;

/// The maximum number of cycles for which warps wait until no operation is in flight.
const MOST_UNQUIET: u64 = 4000;

/// A warp, as CTA and number in the CTA.
type WarpId = (usize, usize);

/// An instruction: the address of its code, and its place in the code.
type InstrKey = (usize, At);

/// Random priorities of warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priorities {
    pub seed: u64,
    /// The depth: one more than the number of changes of priorities.
    pub depth: u32,
    /// The number of operations in which priorities change.
    pub operations: u64,
}

/// The priorities of a run; the multiprocessors share them.
pub(super) type SharedTurns = Rc<RefCell<Turns>>;

/// The priorities of a run, and the warp that may issue.
pub(super) struct Turns {
    random: fastrand::Rng,
    /// The priority of each warp; the highest number has the highest priority.
    priorities: HashMap<WarpId, u64>,
    /// The operations at which the priority of the warp becomes one of the lowest, in the order of the entries.
    changes: Vec<u64>,
    operations: u64,
    /// The last warp that executed an operation, and how many it has executed in a row.
    in_a_row: (Option<WarpId>, u32),
    /// The lowest priority so far.
    lowest: u64,
    /// The warp that may issue.
    granted: Option<WarpId>,
    /// The number of cycles since the last operation in flight, and since the last operation.
    quiet_cycles: u64,
    cycles: u64,
    /// For each warp that executes a loop that waits for another value, the operation, and how often it was the last operation of the warp.
    polls: HashMap<WarpId, (InstrKey, u32)>,
    /// For each instruction, how often it is executed before its warp gives way.
    known_rounds: HashMap<InstrKey, Option<u32>>,
    /// The warps that have given way since another operation changed something.
    yielding: HashSet<WarpId>,
}

impl Turns {
    pub fn new(Priorities { seed, depth, operations }: Priorities) -> Turns {
        let mut random = fastrand::Rng::with_seed(seed);
        let changes = (1..depth).map(|_| random.u64(1..=operations.max(1))).collect();
        Turns {
            random,
            priorities: HashMap::new(),
            changes,
            operations: 0,
            in_a_row: (None, 0),
            lowest: LOWEST_AT_START / 2,
            granted: None,
            quiet_cycles: 0,
            cycles: 0,
            polls: HashMap::new(),
            known_rounds: HashMap::new(),
            yielding: HashSet::new(),
        }
    }

    /// Whether a warp may issue.
    pub fn permits(&self, warp: WarpId) -> bool {
        self.granted == Some(warp)
    }

    /// Records an operation of a warp. `most_rounds`: how often the operation is executed, without another one of the warp in between, before
    /// the warp gives way to the others; `None` for an operation that is not repeated until another warp changes something.
    pub fn operation(&mut self, warp: WarpId, at: InstrKey, most_rounds: impl FnOnce() -> Option<u32>) {
        self.operations += 1;
        self.granted = None;
        (self.quiet_cycles, self.cycles) = (0, 0);
        for (priority, change) in self.changes.iter().enumerate() {
            if *change == self.operations {
                self.priorities.insert(warp, LOWEST_AT_START / 2 + priority as u64);
            }
        }
        self.in_a_row = (Some(warp), if self.in_a_row.0 == Some(warp) { self.in_a_row.1 + 1 } else { 1 });
        if self.in_a_row.1 > MOST_IN_A_ROW {
            self.in_a_row.1 = 0;
            self.lowest -= 1;
            self.priorities.insert(warp, self.lowest);
        }
        // A warp that polls again waits for others, which a schedule must let continue at some time.
        let Some(most_rounds) = *self.known_rounds.entry(at).or_insert_with(most_rounds) else {
            self.polls.remove(&warp);
            self.yielding.clear();
            return;
        };
        let (last, rounds) = self.polls.entry(warp).or_insert((at, 0));
        *rounds = if *last == at { *rounds + 1 } else { 1 };
        *last = at;
        if *rounds > most_rounds {
            self.yielding.insert(warp);
        }
    }

    /// Records a cycle, in which operations are in flight or not. Returns whether all operations have taken effect: no warp may issue before.
    /// An operation takes effect within `latency` cycles after its warp and its multiprocessor are idle.
    pub fn is_quiet(&mut self, has_operations: bool, latency: u64) -> bool {
        self.cycles += 1;
        self.granted = None;
        self.quiet_cycles = if has_operations { 0 } else { self.quiet_cycles + 1 };
        self.quiet_cycles > latency || self.cycles > MOST_UNQUIET
    }

    /// Selects the warp that may issue in the next cycle among those that can continue; `ready`: the warp can issue now.
    pub fn decide(&mut self, warps: impl Iterator<Item = (WarpId, bool)>) {
        let mut best: Option<((bool, u64), WarpId, bool)> = None;
        for (warp, ready) in warps {
            let random = &mut self.random;
            let priority = *self.priorities.entry(warp).or_insert_with(|| LOWEST_AT_START + u64::from(random.u32(..)));
            let rank = (!self.yielding.contains(&warp), priority);
            if best.is_none_or(|(other, ..)| rank > other) {
                best = Some((rank, warp, ready));
            }
        }
        self.granted = best.filter(|(.., ready)| *ready).map(|(_, warp, _)| warp);
        if best.is_some_and(|((is_waiting, _), ..)| !is_waiting) {
            self.yielding.clear();
        }
    }
}
