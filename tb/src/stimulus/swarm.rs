// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parameters of a seed: every parameter is drawn once per seed, and often drawn as *never* or *nearly always*.
//!
//! If every event occurs at all times, the stimulus averages out: long waits, full queues and deep interleavings need runs in which
//! some events are absent.

use super::rng::Rng;

/// A two-state process, on or off, with separate rates.
#[derive(Clone, Debug)]
pub struct Duty {
    on: bool,
    /// Probability, in thousandths per cycle, to switch on and to switch off.
    rise: u64,
    fall: u64,
}

impl Duty {
    fn new(rise: u64, fall: u64) -> Self {
        Duty { on: true, rise, fall }
    }

    /// The pace of operations: without a pause, in bursts, occasional.
    pub fn source(rng: &mut Rng) -> Self {
        let choices = [((1000, 0), 4), ((500, 100), 3), ((100, 100), 2), ((20, 20), 2), ((300, 700), 2), ((30, 900), 1)];
        let (rise, fall) = rng.weighted(&choices).unwrap_or((1000, 0));
        Duty::new(rise, fall)
    }

    /// The pace of a sink: always ready, usually, half the time, with long stalls, hardly ever.
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
    /// An arrival that does not wait, without a count.
    Zero,
    /// A count that is no multiple of the warp.
    Multiple,
    /// A count above the size of the CTA.
    Exceeds,
    /// A second arrival in the same generation.
    Double,
    /// Another count than the generation's first.
    Mismatch,
    /// Another kind of arrival than the generation's first.
    Kind,
    /// A read of the result of a warp that has none.
    Result,
    /// A state word that is illegal, or illegal in the present state.
    Word,
    /// A fault found upstream, an illegal word.
    Illegal,
    /// A word of another operation type, or random bits.
    ForeignWord,
    /// No executing lane.
    Nobody,
    /// A launch into occupied slots, or into a slot that is not built.
    Occupied,
    /// A release of a slot that is empty.
    Empty,
    /// A warp that is not resident.
    Ghost,
    /// A warp that waits.
    Blocked,
}

/// Operations that violate the assumptions on the user of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    Ghost,
    Blocked,
    /// A warp names another CTA.
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
    /// Probability that an operation is misuse, and the kinds, by weight.
    pub misuse: u64,
    pub misuses: Vec<(Misuse, u64)>,
    /// Probability that an operation violates an assumption, and the kinds.
    pub broken: u64,
    pub brokens: Vec<(Broken, u64)>,
    /// Probability that a warp's contribution to POPC exceeds its number of lanes.
    pub excess_votes: u64,
    /// Ids in use.
    pub ids: u64,
    /// Probability that a new generation has a count.
    pub counted: u64,
    /// Probability that an arrival joins an open generation instead of opening another one.
    pub join: u64,
    /// Probability that an arrival of a counted generation waits.
    pub wait: u64,
    /// Warps of a CTA, in thousandths of all warps: minimum and maximum.
    pub size: [u64; 2],
    /// Operations in a CTA's life: minimum and maximum.
    pub life: [u64; 2],
    /// Probability that a CTA that ends is released before all its warps have exited.
    pub cut: u64,
    /// Probability that a new generation is a reduction.
    pub reduce: u64,
    /// Weights of an exit, of a read and of a written state word, relative to 100 arrivals.
    pub exit: u64,
    pub read: u64,
    pub write: u64,
    /// Probability that a fence replaces an arrival.
    pub fence: u64,
    /// Probability that an operation on an mbarrier replaces an arrival.
    pub objects: u64,
    /// Probability that an operation at the cluster barrier, or on the grid, replaces an arrival.
    pub clusters: u64,
    pub grids: u64,
    /// Probability that a written word is one that was read before.
    pub restore: u64,
    /// Probability that a written word traps its warp.
    pub trap: u64,
    /// Probability that a CTA is saved and restored instead of its next operation.
    pub switch: u64,
    /// Fault policies by weight, and the probability per cycle that another one is drawn.
    pub policies: Vec<(u64, u64)>,
    pub policy: u64,
    /// Probability that a warp of a launched CTA has already exited.
    pub exited_rate: u64,
    /// Probability that a release saves open barriers.
    pub saved: u64,
    /// Resets during the run, per 100,000 cycles.
    pub resets: u64,
    /// Probability per cycle that level inputs change, where they are driven at random.
    pub change: u64,
    /// Don't-care fields of channels carry random values.
    pub noise: bool,
    /// Probability that not all lanes are active, or that not all guards are true.
    pub lanes: u64,
}

/// For mbarriers, the cluster barrier and the grid: 1 in seeds that use them; with weights.
const UNITS_IN_USE: [([u64; 3], u64); 6] =
    [([0, 0, 0], 4), ([1, 0, 0], 4), ([0, 1, 0], 2), ([0, 0, 1], 1), ([0, 1, 1], 1), ([1, 1, 1], 3)];

/// Off, rare, usual or frequent.
fn weight(rng: &mut Rng) -> u64 {
    rng.pick(&[0, 0, 1, 5, 5, 25]).unwrap_or(0)
}

/// Fault policies, 0 to 2, with these weights.
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
        // The units downstream of `mem_order`, besides named barriers, that warps use: an operation at one keeps warps from the
        // others.
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
