// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations that a user may request, and counts that are illegal.

use super::hubs::Seat;
use super::rng::Rng;
use super::shape::Shape;
use bcu_isa::op::{RedOp, StateWord};

/// One warp's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub slot: usize,
    pub warp: usize,
    pub id: u64,
    /// The count in threads; 0: no count.
    pub count: u64,
    /// Whether the warp waits.
    pub sync: bool,
    /// The operator, if the warp waits and takes part in a reduction.
    pub redop: Option<RedOp>,
}

/// One warp's read or write of a state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub slot: usize,
    pub warp: usize,
    pub state: StateWord,
    pub id: u64,
    pub data: u64,
}

/// The launch of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    pub slot: usize,
    pub warps: u64,
    pub exited: u64,
    pub barriers: u64,
    /// The number of declared warps that do not exist. It is above 0 only in launches that break a promise.
    pub more: u64,
    pub place: Place,
}

/// The position of a CTA in its cluster, and its grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub seat: Seat,
    pub grid: Option<u64>,
}

impl Place {
    /// A random position, independent of other CTAs.
    pub fn any(rng: &mut Rng) -> Place {
        let size = rng.pick(&[1, 1, 2, 4, 16]).unwrap_or(1);
        Place { seat: [rng.draw(), rng.below(size), size], grid: rng.chance(500).then(|| rng.draw()) }
    }

    /// A CTA without cluster and grid.
    pub fn alone(rng: &mut Rng) -> Place {
        Place { seat: [rng.draw(), rng.below(16), rng.below(2)], grid: None }
    }

    /// Whether this membership prevents the CTA from being saved.
    pub fn binds(&self, shape: Shape) -> bool {
        shape.has_clusters() && self.seat[2] > 1 || shape.has_grids && self.grid.is_some()
    }
}

impl Launch {
    /// A launch into any CTA slot, with warps that may belong to other CTAs. It has no cluster and no grid, because it may succeed
    /// although no hub expects the CTA.
    pub fn anywhere(rng: &mut Rng, shape: Shape) -> Launch {
        let (warps, place, slot) = (rng.sprinkle(shape.all_warps(), 250), Place::alone(rng), any_slot(rng, shape) as usize);
        Launch { slot, warps, exited: 0, barriers: rng.below(64), more: 0, place }
    }
}

/// A CTA slot that may be occupied, or not built.
pub fn any_slot(rng: &mut Rng, shape: Shape) -> u64 {
    let built = if rng.chance(700) { shape.slots } else { 64 };
    rng.below(built)
}

/// An operation as a legal user sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    Arrive(Arrival),
    Exit { slot: usize, warp: usize },
    Read(Access),
    Write(Access),
    Fence { slot: usize, warp: usize },
    Launch(Launch),
    Release { slot: usize, saved: bool },
}

/// A count that is not a multiple of a warp's lanes: a remainder, with or without a multiple.
pub fn ragged(rng: &mut Rng, shape: Shape, count: u64) -> u64 {
    let whole = if rng.chance(500) { count } else { 0 };
    (whole + rng.range(1, shape.lanes.max(2) - 1)).min(4095)
}

/// A count above the size of a CTA of `launched` warps: slightly above it, anywhere up to the 12 bits of the field, or a legal count with
/// one higher bit set.
pub fn excess(rng: &mut Rng, shape: Shape, launched: u64) -> u64 {
    let most = 4095 / shape.lanes;
    let (low, high) = (64 - launched.leading_zeros() as u64, most.ilog2() as u64);
    let warps = match rng.below(3) {
        0 => launched + rng.range(1, 3),
        1 if low <= high => rng.below(launched + 1) | 1 << rng.range(low, high),
        _ => rng.range(launched + 1, most),
    };
    (warps * shape.lanes).min(4095)
}
