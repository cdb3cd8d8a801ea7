// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What barriers, the gateway and strong accesses have released, and no lane has acquired yet.

use super::clock::Clock;
use super::known::Known;
use super::observed::Observed;
use super::order::before::Before;
use super::strong::{WordRelease, WORD};
use super::warps::Warp;
use crate::memory::Bank;
use crate::warp::threads::bits;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The arrivals of a warp at a named barrier that no generation has used yet: their lanes, and what they release.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    pub(super) arrivals: HashMap<(usize, u8, usize), VecDeque<Arrival>>,
}

/// The arrival of a warp; its groups of lanes may arrive one after the other.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) lanes: u64,
    pub(super) released: Known,
    /// The operations of the groups of lanes.
    pub(super) operations: Vec<Before>,
}

/// The barriers of clusters.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// For each warp of a CTA, its arrivals that have not taken effect.
    pub(super) arrivals: HashMap<(usize, usize), VecDeque<ClusterArrival>>,
    /// For each phase of each cluster, given by its first CTA, what the arrivals release.
    pub(super) phases: BTreeMap<(usize, u64), ClusterPhase>,
}

/// The arrival of a warp; its groups of lanes may arrive one after the other.
#[derive(Debug, Default)]
pub(super) struct ClusterArrival {
    pub(super) lanes: u64,
    /// What is released to all CTAs.
    pub(super) to_all: Known,
    /// What is released in addition to the warps of the same CTA.
    pub(super) to_cta: Known,
    /// What was executed before the arrival, whatever it releases.
    pub(super) arrived: Clock,
}

#[derive(Debug, Default)]
pub(super) struct ClusterPhase {
    /// What is released to all CTAs.
    pub(super) to_all: Known,
    /// What is released in addition to the warps of the same CTA.
    pub(super) to_cta: HashMap<usize, Known>,
    /// What was executed before the arrivals, whatever they release.
    pub(super) arrived: Clock,
}

/// The state of the gateway.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    /// For each warp of a CTA, the accesses that are in memory, either because a fence of the warp waited for them or because the warp
    /// acquired them from other warps.
    pub(super) fenced: HashMap<(usize, usize), Known>,
    /// For each warp of a CTA, what its signals in flight to the gateway release.
    pub(super) signals_in_flight: HashMap<(usize, usize), VecDeque<Known>>,
    /// For each barrier of a CTA, what the signals of its open phase release.
    pub(super) phases: HashMap<(usize, u8), Known>,
    /// What a consumer acquires with its notification; the key is CTA, barrier and warp.
    pub(super) notified: HashMap<(usize, u8, usize), Known>,
}

impl Arrivals {
    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.arrivals.retain(|(of, ..), _| *of != cta);
    }
}

impl Clusters {
    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.arrivals.retain(|(of, _), _| *of != cta);
    }
}

impl Gateway {
    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.fenced.retain(|(of, _), _| *of != cta);
        self.signals_in_flight.retain(|(of, _), _| *of != cta);
        self.phases.retain(|(of, _), _| *of != cta);
        self.notified.retain(|(of, ..), _| *of != cta);
    }
}

/// The words to which strong accesses store.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// For each word that was last stored to by strong accesses, what they have released.
    pub(super) words: HashMap<(Bank, u64), Vec<WordRelease>>,
    /// For each word, its strong stores, and which of them reads have observed.
    pub(super) observed: HashMap<(Bank, u64), Observed>,
}

impl Words {
    /// Whether the strong stores of an event by the lanes `stored` to the word of a byte are ordered before an access of `lanes` of a warp,
    /// because reads that are ordered before this access have observed them.
    pub(super) fn has_observed(&self, (bank, at): (Bank, u64), (event, stored): (u32, u64), warp: &Warp, lanes: u64) -> bool {
        let observed = self.observed.get(&(bank, at / WORD));
        observed.is_some_and(|observed| bits(stored).all(|lane| observed.is_before((event, lane), warp, lanes)))
    }

    pub(super) fn remove(&mut self, bank: Bank) {
        self.words.retain(|(of, _), _| *of != bank);
        self.observed.retain(|(of, _), _| *of != bank);
    }
}
