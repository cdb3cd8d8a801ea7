// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is ordered before a lane, and what a lane releases to the lanes that observe its operation.

use super::clock::{join, Clock, Source};
use std::rc::Rc;

/// What fences order separately: accesses to shared memory and accesses to global memory before asynchronous copies, and accesses before
/// later fences of the kind `fence.sc`.
pub(super) const SHARED: usize = 0;
pub(super) const GLOBAL: usize = 1;
pub(super) const SC: usize = 2;

/// The accesses that are ordered before a lane. The clocks are shared between lanes and operations as long as they are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Accesses that are ordered before the next access by the generic proxy, and copies that have been waited for.
    pub(super) seen: Rc<Clock>,
    /// Accesses after which a fence has been executed that is ordered before the lane. With a fence of the asynchronous proxy (`SHARED`,
    /// `GLOBAL`) they are ordered before the next asynchronous copy as well, with `fence.sc` (`SC`) before later fences of this kind.
    pub(super) fenced: [Rc<Clock>; 3],
    /// Inits of mbarriers that are ordered before the lane, in addition to the inits in `seen`.
    pub(super) inits: Rc<Clock>,
}

impl Known {
    pub(super) fn join(&mut self, added: &Known) {
        join(&mut self.seen, &added.seen);
        self.fenced.iter_mut().zip(&added.fenced).for_each(|(clock, added)| join(clock, added));
        join(&mut self.inits, &added.inits);
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
    /// The last steps of the lane before its fences, as in `Known::fenced`.
    pub(super) fenced: [u32; 3],
}

impl Known {
    /// Acquires what a lane has released.
    pub(super) fn acquire(&mut self, release: &Release) {
        self.join(&release.known);
        let Release { source, lane, width, step, fenced, .. } = *release;
        let raise = |clock: &mut Rc<Clock>, step: u32| {
            if clock.step(source, lane) < step {
                Rc::make_mut(clock).raise(source, (1 << lane, width), |_| step);
            }
        };
        raise(&mut self.seen, step);
        self.fenced.iter_mut().zip(fenced).for_each(|(clock, step)| raise(clock, step));
    }
}
