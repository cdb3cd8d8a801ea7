// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation as a point in the order of a run, and what is ordered before it.

use super::super::clock::{Clock, Source};
use super::super::warps::{Stream, Warp};
use crate::warp::threads::bits;
use bcu_program::Place;
use std::rc::Rc;

/// An operation of lanes of a warp.
#[derive(Clone, Debug)]
pub(in super::super) struct Mark {
    pub(in super::super) cta: usize,
    pub(in super::super) warp: usize,
    pub(in super::super) source: Source,
    pub(in super::super) lanes: u64,
    pub(in super::super) width: usize,
    pub(in super::super) step: u32,
    pub(in super::super) place: Place,
}

/// An operation at its issue, and what is ordered before each of its lanes.
#[derive(Debug)]
pub(in super::super) struct Before {
    pub(in super::super) mark: Mark,
    /// Lanes with equal clocks: the lanes as a mask, what is ordered before them, and the inits of mbarriers that are ordered before them
    /// in addition.
    lanes: Vec<(u64, Rc<Clock>, Rc<Clock>)>,
}

impl Before {
    /// The operation of lanes of a warp that is issued now.
    pub(in super::super) fn new(warp: &Warp, lanes: u64, place: &Place) -> Before {
        let mut groups: Vec<(u64, Rc<Clock>, Rc<Clock>)> = vec![];
        let lanes = lanes & warp.all();
        for lane in bits(lanes) {
            let known = &warp.lanes[lane].known;
            let same = |(_, seen, inits): &&mut (u64, Rc<Clock>, Rc<Clock>)| {
                Rc::ptr_eq(seen, &known.seen) && Rc::ptr_eq(inits, &known.inits)
            };
            match groups.iter_mut().find(same) {
                Some((group, ..)) => *group |= 1 << lane,
                None => groups.push((1 << lane, known.seen.clone(), known.inits.clone())),
            }
        }
        let (source, width, step) = (warp.source(Stream::Program), warp.lanes.len(), warp.step);
        let (cta, number) = (warp.issuer.cta, warp.issuer.warp);
        Before { mark: Mark { cta, warp: number, source, lanes, width, step, place: place.clone() }, lanes: groups }
    }

    /// An entry of `clock`, as source and lane, that is not ordered before every lane of the operation. `has_inits`: the clock is that of
    /// an init, so that fences of inits order it too.
    pub(in super::super) fn missing(&self, clock: &Clock, has_inits: bool) -> Option<(Source, usize)> {
        let Mark { source, width, .. } = self.mark;
        self.lanes.iter().find_map(|(lanes, seen, inits)| {
            if seen.includes(clock) {
                return None;
            }
            let missing = |lane: usize| seen.missing(clock, (source, lane), width);
            let by_init = |lane: usize| has_inits && inits.missing(clock, (source, lane), width).is_none();
            bits(*lanes).filter(|lane| !by_init(*lane)).find_map(missing)
        })
    }

    /// Whether each lane of `earlier` is ordered before some lane of the operation.
    pub(in super::super) fn is_after(&self, earlier: &Mark) -> bool {
        let sees = |by: usize, seen: &Clock, lane: usize| {
            earlier.source == self.mark.source && by == lane || seen.step(earlier.source, lane) >= earlier.step
        };
        bits(earlier.lanes).all(|lane| self.lanes.iter().any(|(lanes, seen, _)| bits(*lanes).any(|by| sees(by, seen, lane))))
    }
}

impl Mark {
    /// Adds the operation to a clock.
    pub(in super::super) fn add_to(&self, clock: &mut Clock) {
        clock.raise(self.source, (self.lanes, self.width), |_| self.step);
    }
}
