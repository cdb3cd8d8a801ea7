// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by atomic and other strong accesses, in any memory (PTX, *Release and acquire patterns*). A strong store releases everything before
//! it if it is a release; otherwise what a fence before it has released. A strong load observes this when both scopes include the other
//! thread, and acquires it, either at once or by a fence after the load. An atomic operation continues the releases of the store that it
//! reads, and a store those of its own lane; any other store ends them.

use super::known::Known;
use super::strong::{LaneRelease, StrongAccess, WordRelease};
use super::warps::{level, Issuer, Needed, Stream, Warp};
use super::Races;
use crate::memory::{Access, Bank, Part};
use bcu_program::Scope;
use std::rc::Rc;

/// Bytes of a word; strong accesses to the same word synchronise.
const WORD: u64 = 4;

/// The words of the bytes of a part.
pub(super) fn words<'a>(access: &'a Access, part: &'a Part) -> impl Iterator<Item = (Bank, u64)> + 'a {
    access.pieces(part).filter_map(|(at, bytes, _)| Some((at?, bytes))).flat_map(move |(at, bytes)| {
        (at / WORD..=at.saturating_add(bytes.max(1) - 1) / WORD).map(move |word| (part.bank, word))
    })
}

impl Warp {
    /// What a lane releases by a strong store.
    fn lane_release(&self, lane: usize, scope: Scope, is_release: bool) -> LaneRelease {
        let now = is_release.then(|| Rc::new(self.release_of(lane)));
        let fences = &self.lanes[lane].fences;
        let to = std::array::from_fn(|at| now.clone().filter(|_| at <= level(scope)).or_else(|| fences[at].clone()));
        LaneRelease { source: self.source(Stream::Program), lane, to, to_sc: self.sc_release(lane) }
    }
}

impl Races {
    /// What a strong access releases when it is performed; `None` for a weak access.
    pub(super) fn strong_access(&mut self, issuer: Issuer, access: &Access, event: u32) -> Option<Rc<StrongAccess>> {
        if !access.is_strong() || access.asynchronous() {
            return None;
        }
        let (scope, is_release) = (access.order.scope, access.order.release);
        let warp = self.warp(issuer);
        let storing = access.parts.iter().filter(|_| access.stores());
        let lanes = storing.map(|part| warp.lane_release(part.lane, scope, is_release)).collect();
        let step = warp.step;
        if is_release {
            warp.step += 1;
        }
        Some(Rc::new(StrongAccess { event, step, scope, lanes }))
    }

    /// Records that an access is performed.
    pub fn performed(&mut self, issuer: Issuer, access: &Access) {
        let strong = access.strong.clone();
        if issuer.has_peers {
            self.follow_stores(issuer, access, strong.as_deref());
        }
        if strong.is_none() && (!access.stores() || self.words.words.is_empty()) {
            return;
        }
        for (number, part) in access.parts.iter().enumerate() {
            for word in words(access, part) {
                if let Some(strong) = strong.as_ref().filter(|_| access.is_for_result()) {
                    self.observe(issuer, part.lane, word, (access, strong));
                }
                if access.stores() {
                    let release = strong.as_ref().and_then(|strong| Some((strong.scope, strong.lanes.get(number)?)));
                    self.store(issuer, word, release, access.is_atomic());
                }
            }
        }
    }

    /// Records a store to a word, with what its lane releases if the store is strong.
    fn store(&mut self, issuer: Issuer, word: (Bank, u64), release: Option<(Scope, &LaneRelease)>, is_atomic: bool) {
        let words = &mut self.words.words;
        let added = release.filter(|(_, release)| !release.is_empty());
        if added.is_none() && !words.contains_key(&word) {
            return;
        }
        let releases = words.entry(word).or_default();
        let is_own = |earlier: &WordRelease| release.is_some_and(|(_, own)| earlier.is_of(own.source, own.lane));
        releases.retain(|earlier| is_atomic || is_own(earlier));
        if let Some((scope, release)) = added {
            let place = (issuer.cta as u32, issuer.cluster as u32);
            let same = releases.iter().position(|earlier| (earlier.cta, earlier.scope) == (place.0, scope));
            let at = same.unwrap_or_else(|| {
                releases.push(WordRelease::new(place, scope));
                releases.len() - 1
            });
            releases[at].add(release);
        }
        if releases.is_empty() {
            words.remove(&word);
        }
    }

    /// Records that a lane's strong load of a word observes what stores to the word have released.
    fn observe(&mut self, issuer: Issuer, lane: usize, word: (Bank, u64), (access, strong): (&Access, &StrongAccess)) {
        let Some(releases) = self.words.words.get(&word) else { return };
        let Some(warp) = self.warps.get_mut(&(issuer.cta, issuer.warp)) else { return };
        for release in releases {
            let scope = warp.common_scope((release.cta, release.cluster));
            if release.scope < scope || strong.scope < scope {
                continue;
            }
            let observed: [(&Known, bool); 2] = [(&release.to[level(scope)], false), (&release.to_sc, true)];
            for (known, sc) in observed {
                warp.observe(lane, (Needed { scope, sc }, known), access.order.acquire, strong.event);
            }
        }
    }
}
