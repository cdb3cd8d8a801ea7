// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by atomic and other strong accesses, in any memory (PTX, *Release and acquire patterns*). A strong store hands on what its lane has
//! released: everything before it, if it is a release; otherwise what a fence before it has released. A strong load observes it when both
//! scopes include the other thread, and acquires it, either at once or by a fence after the load. An atomic operation continues the chain of
//! the store that it reads; any other store ends it.

use super::handed_on::{HandedOn, Synchronises};
use super::warps::{level, Needed, Stream, Thread, Warp};
use super::Races;
use crate::memory::{Access, Bank};
use bcu_program::Scope;
use std::rc::Rc;

/// Bytes of a word; strong accesses to the same word synchronise.
const WORD: u64 = 4;
/// The maximum number of lanes whose releases are kept for a word. The oldest is dropped into the next one, which can hide a race.
const MOST: usize = 64;

/// The words of the bytes of a part.
fn words<'a>(access: &'a Access, part: &'a crate::memory::Part) -> impl Iterator<Item = (Bank, u64)> + 'a {
    access.pieces(part).filter_map(|(at, bytes, _)| Some((at?, bytes))).flat_map(move |(at, bytes)| {
        (at / WORD..=at.saturating_add(bytes.max(1) - 1) / WORD).map(move |word| (part.bank, word))
    })
}

impl Warp {
    /// What a lane hands on by a strong store.
    fn hands_on(&self, lane: usize, scope: Scope, is_release: bool) -> HandedOn {
        let now = is_release.then(|| Rc::new(self.release_of(lane)));
        let fences = &self.lanes[lane].fences;
        let releases = std::array::from_fn(|at| now.clone().filter(|_| at <= level(scope)).or_else(|| fences[at].clone()));
        HandedOn {
            cta: self.thread.cta as u32,
            cluster: self.thread.cluster as u32,
            scope,
            releases,
            sc: self.sc_release(lane),
            thread: (self.source(Stream::Program), lane),
        }
    }
}

impl Races {
    /// What a strong access hands on when it is performed; `None` for a weak access.
    pub(super) fn synchronises(&mut self, thread: Thread, access: &Access, event: u32) -> Option<Rc<Synchronises>> {
        if !access.is_strong() || access.asynchronous() {
            return None;
        }
        let scope = access.order.scope;
        let is_release = access.order.release;
        let warp = self.warp(thread);
        let handed_on = |part: &crate::memory::Part| access.stores().then(|| warp.hands_on(part.lane, scope, is_release));
        let handed_on = access.parts.iter().map(handed_on).collect();
        if is_release {
            warp.step += 1;
        }
        Some(Rc::new(Synchronises { event, scope, handed_on }))
    }

    /// Records that an access is performed.
    pub fn performed(&mut self, thread: Thread, access: &Access) {
        match &access.synchronises {
            Some(synchronises) => self.performed_strong(thread, access, &synchronises.clone()),
            None if access.stores() && !self.words.words.is_empty() => {
                for part in &access.parts {
                    words(access, part).for_each(|word| {
                        self.words.words.remove(&word);
                    });
                }
            }
            None => {}
        }
    }

    fn performed_strong(&mut self, thread: Thread, access: &Access, synchronises: &Synchronises) {
        let continues = access.is_atomic();
        for (part, handed_on) in access.parts.iter().zip(&synchronises.handed_on) {
            for word in words(access, part) {
                if access.is_for_result() {
                    self.observe(thread, part.lane, word, (access, synchronises));
                }
                let Some(handed_on) = handed_on else { continue };
                let has_release = handed_on.releases.iter().any(Option::is_some) || handed_on.sc.is_some();
                if !has_release && !self.words.words.contains_key(&word) {
                    continue;
                }
                let chain = self.words.words.entry(word).or_default();
                // A store continues the releases of its own lane at the same address.
                chain.retain(|earlier| continues || earlier.thread == handed_on.thread);
                if has_release {
                    if chain.len() == MOST {
                        chain.remove(0);
                    }
                    chain.push(handed_on.clone());
                }
            }
        }
    }

    /// Records that a lane's strong load of a word observes what stores to the word have handed on.
    fn observe(&mut self, thread: Thread, lane: usize, word: (Bank, u64), (access, synchronises): (&Access, &Synchronises)) {
        let Some(chain) = self.words.words.get(&word) else { return };
        let warp = self.warps.get_mut(&(thread.cta, thread.warp));
        let Some(warp) = warp else { return };
        for handed_on in chain {
            let needed = warp.common_scope((handed_on.cta, handed_on.cluster));
            if handed_on.scope < needed || synchronises.scope < needed {
                continue;
            }
            for (release, sc) in [(&handed_on.releases[level(needed)], false), (&handed_on.sc, true)] {
                if let Some(release) = release {
                    warp.observe(lane, (Needed { scope: needed, sc }, release), access.order.acquire, synchronises.event);
                }
            }
        }
    }
}
