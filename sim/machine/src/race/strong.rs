// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What strong accesses release: the accesses that a strong store orders before the threads that read the stored value.

use super::clock::Source;
use super::known::{Known, Release};
use bcu_program::Scope;
use std::rc::Rc;

/// A strong access between its issue and the cycle in which it is performed.
#[derive(Clone, Debug)]
pub(in super::super) struct StrongAccess {
    /// The number of the event of the access.
    pub(super) event: u32,
    /// The step of the warp at the access.
    pub(super) step: u32,
    pub(super) scope: Scope,
    /// What each lane releases, in the order of the parts of the access; empty if the access only loads.
    pub(super) lanes: Vec<LaneRelease>,
}

/// What a lane releases by a strong store.
#[derive(Clone, Debug)]
pub(super) struct LaneRelease {
    /// The lane and the source of its warp.
    pub(super) source: Source,
    pub(super) lane: usize,
    /// For each scope (`warps::level`), what is released to threads within it.
    pub(super) to: [Option<Rc<Release>>; 3],
    /// What is released to a thread that executes `fence.sc` after its load.
    pub(super) to_sc: Option<Rc<Release>>,
}

/// What the lanes of one CTA have released by strong stores of one scope to a word.
#[derive(Clone, Debug)]
pub(super) struct WordRelease {
    pub(super) cta: u32,
    pub(super) cluster: u32,
    pub(super) scope: Scope,
    /// The lanes that have released, as masks, by the source of their warp.
    lanes: Vec<(Source, u64)>,
    /// As in `LaneRelease`, of all these lanes.
    pub(super) to: [Known; 3],
    pub(super) to_sc: Known,
}

impl LaneRelease {
    /// Whether the lane has released nothing: no fence precedes its relaxed store.
    pub(super) fn is_empty(&self) -> bool {
        self.to.iter().all(Option::is_none) && self.to_sc.is_none()
    }
}

impl WordRelease {
    pub(super) fn new((cta, cluster): (u32, u32), scope: Scope) -> WordRelease {
        WordRelease { cta, cluster, scope, lanes: vec![], to: Default::default(), to_sc: Known::default() }
    }

    /// Whether a lane is among those that have released.
    pub(super) fn is_of(&self, source: Source, lane: usize) -> bool {
        self.lanes.iter().any(|(of, lanes)| *of == source && lanes >> lane & 1 == 1)
    }

    pub(super) fn add(&mut self, release: &LaneRelease) {
        match self.lanes.iter_mut().find(|(of, _)| *of == release.source) {
            Some((_, lanes)) => *lanes |= 1 << release.lane,
            None => self.lanes.push((release.source, 1 << release.lane)),
        }
        for (known, release) in self.to.iter_mut().zip(&release.to) {
            release.iter().for_each(|release| known.acquire(release));
        }
        release.to_sc.iter().for_each(|release| self.to_sc.acquire(release));
    }
}
