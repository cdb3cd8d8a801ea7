// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is ordered before a lane, and what a lane releases to the lanes that observe its operation.

use super::clock::{join, Clock, Source};
use bcu_program::Scope;
use std::rc::Rc;

/// What fences of the asynchronous proxy order separately: accesses to shared memory and accesses to global memory.
pub(super) const SHARED: usize = 0;
pub(super) const GLOBAL: usize = 1;
/// The accesses that a fence of tensor maps has released, and those of them that a later fence has acquired.
pub(super) const MAP_RELEASED: usize = 2;
pub(super) const MAP: usize = 3;
/// The number of these kinds of fenced accesses.
pub(super) const FENCED: usize = 4;

/// The number of scopes that order differently: those of a CTA, of a cluster, and of the GPU or the system.
pub(super) const LEVELS: usize = 3;

/// The index of a scope among the levels.
pub(super) fn level(scope: Scope) -> usize {
    (scope as usize).min(Scope::Gpu as usize)
}

/// What a lane has released by its last fence, or by a store, for each level of scopes.
pub(super) type Fences = [Option<Rc<Release>>; LEVELS];

/// The accesses that are ordered before a lane. The clocks are shared between lanes and operations as long as they are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Accesses that are ordered before the next access by the generic proxy, and copies that have been waited for.
    pub(super) seen: Rc<Clock>,
    /// Accesses after which a fence of the asynchronous proxy has been executed that is ordered before the lane. They are ordered before the
    /// next asynchronous copy as well, for `MAP` before the next read of a tensor map; the indexes are `SHARED` to `MAP`.
    pub(super) fenced: [Rc<Clock>; FENCED],
    /// What later fences of the kind `fence.sc` order; `None` while there was no such fence.
    pub(super) sc: Option<Rc<ScOrder>>,
    /// Inits of mbarriers that are ordered before the lane, in addition to the inits in `seen`.
    pub(super) inits: Rc<Clock>,
    /// Operations that are executed before the next operation of the lane, in addition to those in `seen`: relaxed arrivals and starts of
    /// copies order execution, but no accesses.
    pub(super) executed: Rc<Clock>,
}

/// What fences `fence.sc` order with each other, for each scope (`level`).
#[derive(Clone, Debug, Default)]
pub(super) struct ScOrder {
    /// Accesses before fences of this scope or a wider one that are ordered before the lane.
    pub(super) fenced: [Rc<Clock>; LEVELS],
    /// Accesses before such fences of other threads, if a relaxed load that is ordered before the lane has observed a later store of that
    /// thread. The next fence of this scope or a wider one acquires them.
    pub(super) observed: [Rc<Clock>; LEVELS],
}

impl ScOrder {
    fn join(&mut self, added: &ScOrder) {
        let clocks = self.fenced.iter_mut().zip(&added.fenced).chain(self.observed.iter_mut().zip(&added.observed));
        clocks.for_each(|(clock, added)| join(clock, added));
    }
}

impl Known {
    /// The order of the fences `fence.sc`, to be changed.
    pub(super) fn sc_mut(&mut self) -> &mut ScOrder {
        Rc::make_mut(self.sc.get_or_insert_default())
    }

    pub(super) fn join(&mut self, added: &Known) {
        join(&mut self.seen, &added.seen);
        self.fenced.iter_mut().zip(&added.fenced).for_each(|(clock, added)| join(clock, added));
        join(&mut self.inits, &added.inits);
        join(&mut self.executed, &added.executed);
        match (&self.sc, &added.sc) {
            (_, None) => {}
            (None, Some(_)) => self.sc = added.sc.clone(),
            (Some(known), Some(added)) if Rc::ptr_eq(known, added) => {}
            (Some(_), Some(added)) => self.sc_mut().join(added),
        }
    }
}

/// What one lane releases: everything that was ordered before the lane, and the steps of the lane itself. These steps are in separate
/// fields, so that the lanes of a warp can share the rest.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub(super) known: Known,
    pub(super) source: Source,
    pub(super) lane: usize,
    pub(super) width: usize,
    /// The last step of the lane that is released.
    pub(super) step: u32,
    /// The last steps of the lane before its fences, as in `Known::fenced`, and as in `ScOrder::fenced`.
    pub(super) fenced: [u32; FENCED],
    pub(super) sc: [u32; LEVELS],
}

impl Known {
    /// Acquires what a lane has released.
    pub(super) fn acquire(&mut self, release: &Release) {
        self.join(&release.known);
        let Release { source, lane, width, step, fenced, sc, .. } = *release;
        let raise = |clock: &mut Rc<Clock>, step: u32| {
            if clock.step(source, lane) < step {
                Rc::make_mut(clock).raise(source, (1 << lane, width), |_| step);
            }
        };
        raise(&mut self.seen, step);
        self.fenced.iter_mut().zip(fenced).for_each(|(clock, step)| raise(clock, step));
        if sc != [0; LEVELS] {
            self.sc_mut().fenced.iter_mut().zip(sc).for_each(|(clock, step)| raise(clock, step));
        }
    }
}
