// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by atomic and other strong accesses, in any memory (PTX, *Release and acquire patterns*). A strong store releases everything before
//! it if it is a release; otherwise what a fence before it has released. A strong load observes this when both scopes include the other
//! thread, and acquires it, either at once or by a fence after the load. An atomic operation continues the releases of the store that it
//! reads; any other store ends them. Later strong stores of a lane to the same bytes release what its release there has released.

use super::known::{level, Fences, Known, Release};
use super::lane::{Lane, Needed};
use super::strong::{LaneRelease, StrongAccess, WordRelease, WORD};
use super::warps::{Issuer, Warp};
use super::Races;
use crate::memory::{Access, Bank, Part};
use bcu_program::Scope;
use std::rc::Rc;

/// The words of the bytes of a part, each with its bytes among them as a mask.
pub(super) fn words<'a>(access: &'a Access, part: &'a Part) -> impl Iterator<Item = ((Bank, u64), u8)> + 'a {
    access.pieces(part).filter_map(|(at, bytes, _)| Some((at?, bytes.max(1)))).flat_map(move |(at, bytes)| {
        let last = at.saturating_add(bytes - 1);
        let in_word = move |word: u64| (0..WORD).filter(move |byte| (at..=last).contains(&(word * WORD + byte)));
        (at / WORD..=last / WORD).map(move |word| ((part.bank, word), in_word(word).fold(0, |mask, byte| mask | 1 << byte)))
    })
}

/// The later one of two releases of a lane, which includes the other one.
fn later(one: Option<&Rc<Release>>, other: Option<&Rc<Release>>) -> Option<Rc<Release>> {
    one.into_iter().chain(other).max_by_key(|release| release.step).cloned()
}

impl Warp {
    /// What a lane releases by a strong store to a word: by the store itself, by fences before it, and by its last release at this word.
    fn lane_release(&mut self, lane: usize, (word, bytes): ((Bank, u64), u8), scope: Scope, is_release: bool) -> LaneRelease {
        let now = is_release.then(|| Rc::new(self.release_of(lane)));
        let to_sc = std::array::from_fn(|at| self.sc_release(lane, at));
        let Lane { fences, released, .. } = &mut self.lanes[lane];
        let earlier = released.get(&word).filter(|(of, _)| *of == bytes).map(|(_, earlier)| earlier);
        let before = |at: usize| later(fences[at].as_ref(), earlier.and_then(|earlier| earlier[at].as_ref()));
        let to: Fences = std::array::from_fn(|at| now.clone().filter(|_| at <= level(scope)).or_else(|| before(at)));
        if is_release {
            released.insert(word, (bytes, to.clone()));
        }
        LaneRelease { to, to_sc }
    }
}

impl Races {
    /// What a strong access releases when it is performed; `None` for a weak access.
    pub(super) fn strong_access(
        &mut self,
        issuer: Issuer,
        access: &Access,
        (event, observes): (u32, bool),
    ) -> Option<Rc<StrongAccess>> {
        if !access.is_strong() || access.asynchronous() {
            return None;
        }
        let (scope, is_release) = (access.order.scope, access.order.release);
        let warp = self.warp(issuer);
        let storing = access.parts.iter().filter(|_| access.stores());
        let lanes = storing.map(|part| {
            let nowhere = ((part.bank, u64::MAX), 0);
            let first = words(access, part).next().unwrap_or(nowhere);
            warp.lane_release(part.lane, first, scope, is_release)
        });
        let lanes = lanes.collect();
        let step = warp.step;
        if is_release {
            warp.step += 1;
        }
        Some(Rc::new(StrongAccess { event, step, scope, observes, lanes }))
    }

    /// Records that an access is performed.
    pub fn performed(&mut self, issuer: Issuer, access: &Access) {
        if let (Some(pairs), Some(execution)) = (&mut self.order.pairs_of_run, access.execution) {
            pairs.performed(execution);
        }
        let strong = access.strong.clone();
        if issuer.has_peers {
            self.follow_stores(issuer, access, strong.as_deref());
        }
        let is_followed = !self.words.words.is_empty() || !self.words.observed.is_empty();
        if strong.is_none() && (!access.stores() || !is_followed) {
            return;
        }
        for (number, part) in access.parts.iter().enumerate() {
            for (word, bytes) in words(access, part) {
                let performed = (access.stores(), strong.as_deref(), access.is_atomic());
                self.follow_observed((issuer, part.lane), (word, bytes), performed);
                if let Some(strong) = strong.as_ref().filter(|strong| strong.observes) {
                    self.observe(issuer, part.lane, (word, bytes), (access, strong));
                }
                if access.stores() {
                    let release = strong.as_ref().and_then(|strong| Some((strong.scope, strong.lanes.get(number)?)));
                    self.store(issuer, (word, bytes), release, access.is_atomic());
                }
            }
        }
    }

    /// Records a store to a word, with what its lane releases if the store is strong.
    fn store(
        &mut self,
        issuer: Issuer,
        (word, bytes): ((Bank, u64), u8),
        release: Option<(Scope, &LaneRelease)>,
        is_atomic: bool,
    ) {
        let words = &mut self.words.words;
        let added = release.filter(|(_, release)| !release.is_empty());
        if added.is_none() && !words.contains_key(&word) {
            return;
        }
        let releases = words.entry(word).or_default();
        if !is_atomic {
            releases.iter_mut().for_each(|earlier| earlier.bytes &= !bytes);
            releases.retain(|earlier| earlier.bytes != 0);
        }
        if let Some((scope, release)) = added {
            let place = (issuer.cta as u32, issuer.cluster as u32);
            let same =
                releases.iter().position(|earlier| (earlier.cta, earlier.scope, earlier.bytes) == (place.0, scope, bytes));
            let at = same.unwrap_or_else(|| {
                releases.push(WordRelease::new(place, scope, bytes));
                releases.len() - 1
            });
            releases[at].add(release);
        }
        if releases.is_empty() {
            words.remove(&word);
        }
    }

    /// Records that a lane's strong load of a word observes what stores to the word have released.
    fn observe(
        &mut self,
        issuer: Issuer,
        lane: usize,
        (word, bytes): ((Bank, u64), u8),
        (access, strong): (&Access, &StrongAccess),
    ) {
        let Some(warp) = self.warps.get_mut(&(issuer.cta, issuer.warp)) else { return };
        if let Some(lane) = warp.lanes.get_mut(lane).filter(|_| access.order.acquire) {
            lane.acquire_observed(word, strong.scope);
        }
        let releases = self.words.words.get(&word).into_iter().flatten();
        for release in releases.filter(|release| release.bytes & bytes != 0) {
            let scope = warp.common_scope((release.cta, release.cluster));
            if release.scope < scope || strong.scope < scope {
                continue;
            }
            let observed: [(&Known, bool); 2] = [(&release.to[level(scope)], false), (&release.to_sc[level(scope)], true)];
            for (known, sc) in observed {
                warp.observe((lane, word), (Needed { scope, sc }, known), access.order.acquire, strong.event);
            }
        }
    }
}
