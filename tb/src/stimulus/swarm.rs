// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parameters of a seed. Each parameter is drawn once for a seed, and often drawn as *never* or *nearly always*.
//!
//! If every event could occur at all times, the stimulus would average out: long waits, full queues and deep interleavings need runs in
//! which some events are absent.

use super::rng::Rng;

/// A random process that is on or off, with separate rates of switching on and off. A source or sink acts while it is on.
#[derive(Clone, Debug)]
pub struct Duty {
    on: bool,
    /// In thousandths per cycle: the probability to switch on.
    rise: u64,
    /// In thousandths per cycle: the probability to switch off.
    fall: u64,
}

impl Duty {
    fn new(rise: u64, fall: u64) -> Self {
        Duty { on: true, rise, fall }
    }

    /// The pace of a source of operations: without a pause, in bursts, or occasional.
    pub fn source(rng: &mut Rng) -> Self {
        let choices = [((1000, 0), 4), ((500, 100), 3), ((100, 100), 2), ((20, 20), 2), ((300, 700), 2), ((30, 900), 1)];
        let (rise, fall) = rng.weighted(&choices).unwrap_or((1000, 0));
        Duty::new(rise, fall)
    }

    /// The pace of a sink: always ready, usually ready, half the time, with long stalls, or rarely ready.
    pub fn sink(rng: &mut Rng) -> Self {
        let choices = [((1000, 0), 4), ((800, 100), 3), ((500, 500), 3), ((40, 40), 2), ((10, 100), 1), ((60, 900), 1)];
        let (rise, fall) = rng.weighted(&choices).unwrap_or((1000, 0));
        Duty::new(rise, fall)
    }

    /// Always on.
    pub fn steady() -> Self {
        Duty::new(1000, 0)
    }

    pub fn allows_event(&mut self, rng: &mut Rng) -> bool {
        let flip = rng.chance(if self.on { self.fall } else { self.rise });
        self.on ^= flip;
        self.on
    }
}

/// Operations that cause a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// An id that was not declared.
    Id,
    /// Lanes that disagree about id or count.
    Lanes,
    /// An arrival that does not wait and has no count.
    Zero,
    /// A count that is not a multiple of the number of lanes of a warp.
    Multiple,
    /// A count above the size of the CTA.
    Exceeds,
    /// A second arrival in the same generation.
    Double,
    /// A count that differs from the count of the generation's first arrival.
    Mismatch,
    /// A kind of arrival that differs from the kind of the generation's first arrival.
    Kind,
    /// A read of the result of a warp that has none.
    Result,
    /// A state word that is illegal, or illegal in the present state.
    Word,
    /// A fault found upstream, or an illegal instruction word.
    Illegal,
    /// An instruction word of another operation type, or random bits.
    ForeignWord,
    /// An instruction without an executing lane.
    Nobody,
    /// A launch into occupied CTA slots or warp slots, or into a CTA slot that is not built.
    Occupied,
    /// A release of a CTA slot that has no CTA.
    Empty,
    /// An operation of a warp that is not resident.
    Ghost,
    /// An operation of a warp that waits.
    Blocked,
}

/// Operations that break a promise of the user of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    Ghost,
    Blocked,
    /// An operation of a warp that names the CTA slot of another CTA.
    WrongCta,
    Occupied,
    Empty,
    /// Every field at random.
    Wild,
}

impl Broken {
    const ALL: [Broken; 6] = [Broken::Ghost, Broken::Blocked, Broken::WrongCta, Broken::Occupied, Broken::Empty, Broken::Wild];
}

/// The parameters of one seed; probabilities are in thousandths.
#[derive(Clone, Debug)]
pub struct Swarm {
    pub source: Duty,
    /// Probability that an operation is misuse.
    pub misuse: u64,
    /// The weight of each kind of misuse.
    pub misuses: Vec<(Misuse, u64)>,
    /// Probability that an operation breaks a promise.
    pub broken: u64,
    /// The weight of each kind of broken promise.
    pub brokens: Vec<(Broken, u64)>,
    /// Probability that a warp's contribution to POPC exceeds its number of lanes.
    pub excess_votes: u64,
    /// Ids that are used, one bit each.
    pub ids: u64,
    /// Probability that a new generation has a count.
    pub counted: u64,
    /// Probability that an arrival joins an open generation; otherwise it opens another one.
    pub join: u64,
    /// Probability that an arrival of a counted generation waits.
    pub wait: u64,
    /// Minimum and maximum number of warps of a CTA, in thousandths of all warps.
    pub size: [u64; 2],
    /// Minimum and maximum number of operations in a CTA's life.
    pub life: [u64; 2],
    /// Probability that a CTA at the end of its life is released before all its warps have exited.
    pub cut: u64,
    /// Probability that a new generation is a reduction.
    pub reduce: u64,
    /// Weight of an exit, relative to 100 arrivals.
    pub exit: u64,
    /// Weight of a read of a state word, relative to 100 arrivals.
    pub read: u64,
    /// Weight of a write of a state word, relative to 100 arrivals.
    pub write: u64,
    /// Probability that a fence replaces an arrival.
    pub fence: u64,
    /// Probability that an operation on an mbarrier replaces an arrival.
    pub objects: u64,
    /// Probabilities that an operation at the cluster barrier, or on the grid, replaces an arrival.
    pub clusters: u64,
    pub grids: u64,
    /// Probability that a written state word is one that was read before.
    pub restore: u64,
    /// Probability that a written state word traps its warp.
    pub trap: u64,
    /// Probability that a CTA is saved and restored instead of executing its next operation.
    pub switch: u64,
    /// Weights of the fault policies.
    pub policies: Vec<(u64, u64)>,
    /// Probability per cycle that another fault policy is drawn.
    pub policy: u64,
    /// Probability that a warp of a launched CTA has already exited.
    pub exited_rate: u64,
    /// Probability that a release saves the open barriers of its CTA.
    pub saved: u64,
    /// Resets during the run, per 100,000 cycles.
    pub resets: u64,
    /// Probability per cycle that a level input changes, where it is driven at random.
    pub change: u64,
    /// Whether don't-care fields of channels have random values.
    pub noise: bool,
    /// Probability that an instruction has an inactive lane or a lane whose guard is false.
    pub lanes: u64,
}

/// The uses of mbarriers, the cluster barrier and the grid in a seed (1: used), with the weight of each combination.
const UNITS_IN_USE: [([u64; 3], u64); 6] =
    [([0, 0, 0], 4), ([1, 0, 0], 4), ([0, 1, 0], 2), ([0, 0, 1], 1), ([0, 1, 1], 1), ([1, 1, 1], 3)];

/// The weight of a kind of operation: 0 (never), rare, usual or frequent.
fn weight(rng: &mut Rng) -> u64 {
    rng.pick(&[0, 0, 1, 5, 5, 25]).unwrap_or(0)
}

/// The fault policies 0 to 2 with these weights.
fn weights(weights: [u64; 3]) -> Vec<(u64, u64)> {
    (0..).zip(weights).collect()
}

impl Swarm {
    pub fn draw(rng: &mut Rng, barriers: u64) -> Self {
        use Misuse::*;
        let misuses =
            [Id, Lanes, Zero, Multiple, Exceeds, Double, Mismatch, Illegal, ForeignWord, Nobody, Occupied, Empty, Ghost];
        let more = [Blocked, Kind, Result, Word];
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let built = (1 << barriers) - 1;
        let few = rng.range(1, 3);
        let ids = if rng.chance(500) { rng.subset(built, few) } else { built };
        // The warps use only some of mbarriers, the cluster barrier and the grid, because a warp that uses one of these uses the others
        // less often.
        let [objects, clusters, grids] = rng.weighted(&UNITS_IN_USE).unwrap_or_default();
        Swarm {
            source: Duty::source(rng),
            misuse: pick(rng, &[0, 0, 5, 30, 150, 500]),
            misuses: misuses.iter().chain(&more).map(|m| (*m, weight(rng))).collect(),
            broken: pick(rng, &[0, 0, 0, 0, 3, 30, 200]),
            brokens: Broken::ALL.iter().map(|b| (*b, weight(rng))).collect(),
            excess_votes: pick(rng, &[0, 0, 0, 0, 1000]),
            ids,
            counted: pick(rng, &[0, 200, 500, 900, 1000]),
            join: pick(rng, &[500, 850, 950, 1000]),
            wait: pick(rng, &[0, 300, 600, 900, 1000]),
            size: rng.pick(&[[0, 200], [0, 500], [100, 1000], [500, 600], [800, 1000]]).unwrap_or([0, 1000]),
            life: rng.pick(&[[0, 5], [5, 60], [50, 400], [500, 5000]]).unwrap_or([5, 60]),
            cut: pick(rng, &[0, 100, 500, 1000]),
            exit: pick(rng, &[0, 0, 2, 10, 60]),
            reduce: pick(rng, &[0, 0, 300, 600, 1000]),
            read: pick(rng, &[0, 3, 10, 50]),
            write: pick(rng, &[0, 3, 10, 50]),
            fence: pick(rng, &[0, 0, 20, 200]),
            objects: objects * pick(rng, &[100, 500, 950]),
            clusters: clusters * pick(rng, &[200, 900]),
            grids: grids * pick(rng, &[50, 300]),
            restore: pick(rng, &[0, 300, 900]),
            trap: pick(rng, &[0, 0, 50, 300]),
            switch: pick(rng, &[0, 0, 2, 20]),
            policies: rng
                .pick(&[[9, 0, 0], [9, 0, 0], [1, 1, 1], [8, 1, 0], [0, 1, 0], [0, 0, 1], [8, 0, 1]])
                .map_or(vec![], weights),
            policy: pick(rng, &[0, 1, 20, 500]),
            exited_rate: pick(rng, &[0, 0, 100, 500]),
            saved: pick(rng, &[0, 300, 1000]),
            resets: pick(rng, &[0, 0, 20, 50, 300]),
            change: pick(rng, &[0, 5, 50, 300, 1000]),
            noise: rng.chance(500),
            lanes: pick(rng, &[0, 200, 1000]),
        }
    }
}
