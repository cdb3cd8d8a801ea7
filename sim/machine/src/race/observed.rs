// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which strong stores strong reads have observed (PTX, *Observation order*). A strong read observes the store whose value it reads, and, if
//! an atomic operation has stored that value, what this operation has observed. Each of these pairs has scopes that include the other
//! thread. An observed store alone is ordered before the later accesses of the reading lane; what its lane has done before it is not
//! ([`super::words`] has the order of releases).

use super::clock::Source;
use super::event::common_scope;
use super::warps::{Issuer, Warp};
use crate::warp::threads::bits;
use bcu_program::Scope;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// The maximum number of strong stores that are kept for a word, as in the shadow memory.
const MOST_STORES: usize = 256;

/// The maximum number of ranges of stores that are kept for the reads of a lane, the last ones.
const MOST_RANGES: usize = 16;

/// A strong store to a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// The number of the event, and the lane.
    pub(super) event: u32,
    pub(super) lane: usize,
    pub(super) cta: u32,
    pub(super) cluster: u32,
    pub(super) scope: Scope,
    /// The bytes among those of the word, as a mask.
    pub(super) bytes: u8,
    /// The number of the first store of the chain: this store is an atomic operation that has observed it, or the first store itself.
    pub(super) chain: u64,
}

/// The strong stores to a word in the order in which they were performed, and what reads of the word have observed.
#[derive(Debug, Default)]
pub(super) struct Observed {
    stores: VecDeque<Store>,
    /// The number of the first of these stores; earlier ones are not kept.
    first: u64,
    /// Whether the word has the value of the last of these stores.
    pub(super) is_current: bool,
    /// For each lane, the step of its warp at a read, and the numbers of the stores that the read has observed.
    reads: HashMap<(Source, usize), VecDeque<(u32, Range<u64>)>>,
}

impl Observed {
    pub(super) fn end(&self) -> u64 {
        self.first + self.stores.len() as u64
    }

    /// The numbers of the stores that a strong read observes now.
    pub(super) fn observable(&self, issuer: Issuer, (scope, bytes): (Scope, u8)) -> Option<Range<u64>> {
        let last = self.stores.back().filter(|last| self.is_current && last.bytes == bytes)?;
        let needed = common_scope((issuer.cta as u32, issuer.cluster as u32), (last.cta, last.cluster));
        (last.scope >= needed && scope >= needed).then(|| last.chain..self.end())
    }

    pub(super) fn read(&mut self, reader: (Source, usize), step: u32, observed: Range<u64>) {
        let ranges = self.reads.entry(reader).or_default();
        match ranges.back_mut() {
            Some((_, last)) if *last == observed => {}
            Some((at, last)) if *at == step && last.start == observed.start => last.end = observed.end,
            _ => ranges.push_back((step, observed)),
        }
        if ranges.len() > MOST_RANGES {
            ranges.pop_front();
        }
    }

    pub(super) fn store(&mut self, store: Store) {
        self.stores.push_back(store);
        if self.stores.len() > MOST_STORES {
            self.stores.pop_front();
            self.first += 1;
        }
        self.is_current = true;
    }

    /// Whether a read that is ordered before an access of `lanes`, a mask, of a warp has observed the store of an event by a lane.
    pub(super) fn is_before(&self, (event, lane): (u32, usize), warp: &Warp, lanes: u64) -> bool {
        let at = self.stores.iter().position(|store| (store.event, store.lane) == (event, lane));
        let Some(number) = at.map(|at| self.first + at as u64) else { return false };
        self.reads.iter().any(|((source, of), ranges)| {
            let is_ordered = |step: u32| bits(lanes).any(|by| warp.sees(by, *source, *of, step));
            ranges.iter().any(|(step, observed)| observed.contains(&number) && is_ordered(*step))
        })
    }
}
