// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation as a point in the order of a run, and what is executed before it.

use super::super::clock::{Clock, Source};
use super::super::warps::{Stream, Warp};
use crate::schedule_file::Execution;
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
    pub(in super::super) execution: Option<Execution>,
}

/// An operation at its issue, and the operations that are executed before it in every schedule. Lanes that execute an operation together
/// wait for each other, so what is executed before one of them is executed before the operation.
#[derive(Debug)]
pub(in super::super) struct Before {
    pub(in super::super) mark: Mark,
    pub(in super::super) executed: Rc<Clock>,
}

impl Before {
    /// The operation of lanes of a warp that is issued now.
    pub(in super::super) fn new(warp: &Warp, lanes: u64, (place, execution): (&Place, Option<Execution>)) -> Before {
        Before::of(warp, lanes, (place, execution), warp.step)
    }

    /// The start of a copy, or of an arrival that waits for copies. Their signals may overtake arrivals of the warp that wait for accesses,
    /// so of its own operations only those count that have taken effect for certain.
    pub(in super::super) fn of_copy(warp: &Warp, lanes: u64, place: &Place) -> Before {
        Before::of(warp, lanes, (place, None), warp.effective())
    }

    fn of(warp: &Warp, lanes: u64, (place, execution): (&Place, Option<Execution>), own: u32) -> Before {
        let lanes = lanes & warp.all();
        let (source, width, step) = (warp.source(Stream::Program), warp.lanes.len(), warp.step);
        let (cta, number) = (warp.issuer.cta, warp.issuer.warp);
        let mark = Mark { cta, warp: number, source, lanes, width, step, place: place.clone(), execution };
        Before { mark, executed: Rc::new(warp.executed(lanes, own)) }
    }

    /// Whether `earlier`, an operation of lanes together, is executed before the operation.
    pub(in super::super) fn is_after(&self, earlier: &Mark) -> bool {
        bits(earlier.lanes).any(|lane| self.executed.step(earlier.source, lane) >= earlier.step)
    }
}

impl Mark {
    /// An operation of a warp without a point in the order.
    pub(in super::super) fn of_warp((cta, warp): (usize, usize), place: &Place) -> Mark {
        Mark { cta, warp, source: Source(0), lanes: 0, width: 0, step: 0, place: place.clone(), execution: None }
    }

    /// Adds the operation to a clock.
    pub(in super::super) fn add_to(&self, clock: &mut Clock) {
        clock.raise(self.source, (self.lanes, self.width), |_| self.step);
    }
}
