// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which CTAs of a cluster have synchronised, and what was executed before a CTA exits, whatever its memory order.

use super::clock::{Clock, Source};
use super::warps::Issuer;
use crate::memory::Bank;
use bcu_program::Place;
use std::collections::{HashMap, HashSet};

/// An operation of lanes of a warp on an mbarrier of another CTA.
#[derive(Debug)]
pub(super) struct RemoteOp {
    pub(super) issuer: Issuer,
    pub(super) source: Source,
    pub(super) lanes: u64,
    pub(super) step: u32,
    pub(super) place: Place,
}

/// A lane's strong store to a word.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) cta: usize,
    pub(super) source: Source,
    pub(super) step: u32,
    pub(super) lane: usize,
    /// The bytes that no later store has overwritten, as a mask.
    pub(super) bytes: u8,
}

/// An access or operation of a warp that the exit of a CTA does not wait for.
pub(in super::super) struct EarlyExit {
    pub cta: usize,
    pub warp: usize,
    pub does: &'static str,
    pub place: Place,
}

#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    /// The CTAs that have synchronised with another CTA of their cluster.
    pub(super) synchronised: HashSet<usize>,
    /// For each CTA, the accesses before what it has waited for: arrivals at the barrier of the cluster, exits, and strong stores of other
    /// CTAs that it has read.
    pub(super) executed: HashMap<usize, Clock>,
    /// The CTAs that have arrived at mbarriers of other CTAs by relaxed operations. What these order is not followed.
    pub(super) relaxed: HashSet<usize>,
    /// For each CTA, the last operations of lanes of other CTAs on its mbarriers.
    pub(super) remote_ops: HashMap<usize, Vec<RemoteOp>>,
    /// For each word, the last strong store and the atomic operations after it.
    pub(super) writers: HashMap<(Bank, u64), Vec<Writer>>,
    /// The CTAs whose warps have all exited; their slots may not be free yet.
    pub(super) ended: HashSet<usize>,
    /// For each cluster, the warps that have exited: the number of their arrivals at its barrier, and their last step.
    pub(super) exited: HashMap<usize, Vec<(u64, Source, u32)>>,
}

impl Lifetimes {
    pub(super) fn synchronise(&mut self, cta: usize) {
        self.synchronised.insert(cta);
    }

    /// Records that a CTA has waited for the arrivals before which the accesses in `arrived` were executed.
    pub(super) fn wait(&mut self, cta: usize, arrived: &Clock) {
        self.synchronised.insert(cta);
        self.executed.entry(cta).or_default().join(arrived);
    }

    pub(super) fn arrive_relaxed(&mut self, cta: usize) {
        self.relaxed.insert(cta);
    }

    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.executed.remove(&cta);
        self.remote_ops.remove(&cta);
        self.writers.retain(|(bank, _), _| *bank != Bank::Shared(cta));
    }
}
