// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clocks of a lane: what is ordered before it, what its fences have released, and what its loads have observed.

use super::clock::{join, Clock};
use super::known::{level, Fences, Known, FENCED, LEVELS};
use crate::memory::Bank;
use bcu_program::Scope;
use std::collections::HashMap;
use std::rc::Rc;

/// The fence that acquires what a relaxed load has observed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needed {
    /// The smallest scope of the fence.
    pub(super) scope: Scope,
    /// Whether it must be a `fence.sc`.
    pub(super) sc: bool,
}

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) known: Known,
    /// The last steps of the lane before its fences of proxies (`Known::fenced`).
    pub(super) own_fenced: [u32; FENCED],
    /// The last steps of the lane before its fences `fence.sc` (`ScOrder::fenced`).
    pub(super) own_sc: [u32; LEVELS],
    pub(super) fences: Fences,
    /// What the lane has released by its last release at each word: the bytes, and what later strong stores of the lane to these bytes
    /// release too.
    pub(super) released: HashMap<(Bank, u64), (u8, Fences)>,
    /// The inits that the last `fence.mbarrier_init` has released.
    pub(super) init_fence: Option<(Rc<Clock>, u32)>,
    /// What the lane has observed by relaxed loads: for the scope (`level`) of the fence that acquires it, and whether it must be a `fence.sc`.
    pub(super) observed: [[Option<Known>; 2]; LEVELS],
    /// What the lane has observed by relaxed loads of a word, and a later acquire of the same word acquires, by the scope (`level`) of it.
    pub(super) observed_at: HashMap<(Bank, u64), [Option<Known>; LEVELS]>,
    /// For each scope, the number of events of the run at the last acquiring fence.
    pub(super) last_acquire: [u32; LEVELS],
    /// For each scope, the number of events of the run at the last `fence.sc`.
    pub(super) last_sc: [u32; LEVELS],
}

impl Lane {
    pub(super) fn new(known: Known) -> Lane {
        Lane {
            known,
            own_fenced: [0; FENCED],
            own_sc: [0; LEVELS],
            released: HashMap::new(),
            observed_at: HashMap::new(),
            fences: Fences::default(),
            init_fence: None,
            observed: Default::default(),
            last_acquire: [0; LEVELS],
            last_sc: [0; LEVELS],
        }
    }

    /// Adds to a clock what is ordered before the lane, or was released by what the lane has observed.
    pub(super) fn add_to(&self, clock: &mut Clock) {
        clock.join(&self.known.seen);
        self.observed.iter().flatten().flatten().for_each(|known| clock.join(&known.seen));
    }

    pub(super) fn keep_observed(&mut self, needed: Needed, released: &Known) {
        self.observed[level(needed.scope)][usize::from(needed.sc)].get_or_insert_default().join(released);
        if needed.sc {
            join(&mut self.known.sc_mut().observed[level(needed.scope)], &released.seen);
        }
    }

    /// Acquires by a `fence.sc` of this scope what relaxed loads that are ordered before the lane have observed.
    pub(super) fn acquire_by_sc(&mut self, scope: Scope) {
        let Some(sc) = self.known.sc.clone() else { return };
        sc.observed[..=level(scope)].iter().for_each(|observed| join(&mut self.known.seen, observed));
    }

    /// Acquires by a load of a word, within this scope, what earlier relaxed loads of the word have observed.
    pub(super) fn acquire_observed(&mut self, word: (Bank, u64), scope: Scope) {
        let Some(observed) = self.observed_at.get_mut(&word) else { return };
        let taken = observed[..=level(scope)].iter_mut().filter_map(Option::take);
        taken.for_each(|released| self.known.join(&released));
    }
}
