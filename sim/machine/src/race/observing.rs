// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Records what the strong reads of a run observe.

use super::observed::Store;
use super::strong::StrongAccess;
use super::warps::{Issuer, Stream};
use super::Races;
use crate::memory::Bank;

impl Races {
    /// Records that the part of a lane in an access to a word is performed. `strong`: the access, if it is strong, and whether it stores by
    /// an atomic operation; a weak access stores.
    pub(super) fn follow_observed(
        &mut self,
        (issuer, lane): (Issuer, usize),
        (word, bytes): ((Bank, u64), u8),
        (stores, strong, is_atomic): (bool, Option<&StrongAccess>, bool),
    ) {
        let Some(strong) = strong else {
            if let Some(observed) = self.words.observed.get_mut(&word) {
                observed.is_current = false;
            }
            return;
        };
        if !stores && !self.words.observed.contains_key(&word) {
            return;
        }
        let source = self.warps.get(&(issuer.cta, issuer.warp)).map(|warp| warp.source(Stream::Program));
        let observed = self.words.observed.entry(word).or_default();
        let range = observed.observable(issuer, (strong.scope, bytes));
        if let (Some(range), Some(source), true) = (range.clone(), source, strong.observes) {
            observed.read((source, lane), strong.step, range);
        }
        if stores {
            let chain = range.filter(|_| is_atomic).map_or(observed.end(), |range| range.start);
            let StrongAccess { event, scope, .. } = *strong;
            let (cta, cluster) = (issuer.cta as u32, issuer.cluster as u32);
            observed.store(Store { event, lane, cta, cluster, scope, bytes, chain });
        }
    }
}
