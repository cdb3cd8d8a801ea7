// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What strong accesses release: the accesses that a strong store orders before the threads that read the stored value.

use super::known::{Fences, Known, LEVELS};
use bcu_program::Scope;

/// Bytes of a word; strong accesses to the same word synchronise.
pub(super) const WORD: u64 = 4;

/// A strong access between its issue and the cycle in which it is performed.
#[derive(Clone, Debug)]
pub(in super::super) struct StrongAccess {
    /// The number of the event of the access.
    pub(super) event: u32,
    /// The step of the warp at the access.
    pub(super) step: u32,
    pub(super) scope: Scope,
    /// Whether the lanes use what the access reads.
    pub(super) observes: bool,
    /// What each lane releases, in the order of the parts of the access; empty if the access only loads.
    pub(super) lanes: Vec<LaneRelease>,
}

/// What a lane releases by a strong store.
#[derive(Clone, Debug)]
pub(super) struct LaneRelease {
    /// For each scope (`level`), what is released to threads within it.
    pub(super) to: Fences,
    /// For each scope, what is released to a thread within it that executes `fence.sc` after its load.
    pub(super) to_sc: Fences,
}

/// What the lanes of one CTA have released by strong stores of one scope to the same bytes of a word.
#[derive(Clone, Debug)]
pub(super) struct WordRelease {
    pub(super) cta: u32,
    pub(super) cluster: u32,
    pub(super) scope: Scope,
    /// The bytes that no later store has overwritten, as a mask.
    pub(super) bytes: u8,
    /// As in `LaneRelease`, of all these lanes.
    pub(super) to: [Known; LEVELS],
    pub(super) to_sc: [Known; LEVELS],
}

impl LaneRelease {
    /// Whether the lane has released nothing: no fence precedes its relaxed store.
    pub(super) fn is_empty(&self) -> bool {
        self.to.iter().chain(&self.to_sc).all(Option::is_none)
    }
}

impl WordRelease {
    pub(super) fn new((cta, cluster): (u32, u32), scope: Scope, bytes: u8) -> WordRelease {
        WordRelease { cta, cluster, scope, bytes, to: Default::default(), to_sc: Default::default() }
    }

    pub(super) fn add(&mut self, release: &LaneRelease) {
        let known = self.to.iter_mut().chain(&mut self.to_sc);
        for (known, release) in known.zip(release.to.iter().chain(&release.to_sc)) {
            release.iter().for_each(|release| known.acquire(release));
        }
    }
}
