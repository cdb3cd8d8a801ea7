// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by atomic and other strong accesses, in any memory. A strong store releases everything that its warp had done at the issue of the
//! store, as soon as the store is performed. A strong load acquires, when it is performed, the clocks released until then at the words that
//! it reads.

use super::clocks::Thread;
use super::vector::VectorClock;
use super::Races;
use crate::memory::{Access, Bank};
use std::rc::Rc;

/// Bytes of a word; strong accesses to the same word order each other.
const WORD: u64 = 4;

/// The maximum number of words with separate clocks.
const MOST_WORDS: usize = 1 << 16;

impl Races {
    /// The clocks that a strong access releases when it is performed; `None` if it only loads.
    pub(super) fn releases(&mut self, thread: Thread, access: &Access) -> Option<Rc<VectorClock>> {
        if !access.is_strong() || access.asynchronous() || !access.stores() {
            return None;
        }
        let clocks = self.cta(thread);
        let released = clocks.warps[thread.warp].clone();
        clocks.tick(thread.warp);
        Some(Rc::new(released))
    }

    /// Records that an access is performed; only strong accesses have an effect.
    pub fn performed(&mut self, thread: Thread, access: &Access) {
        if !access.is_strong() || access.asynchronous() {
            return;
        }
        for part in &access.parts {
            for (at, bytes, _) in access.pieces(part) {
                let Some(at) = at else { continue };
                for word in at / WORD..=at.saturating_add(bytes.max(1) - 1) / WORD {
                    self.at_word(thread, (part.bank, word), access);
                }
            }
        }
        if access.is_for_result() {
            // Lanes of the warp may have taken the same lock one after the other, and the lock orders them too. So all lanes of the warp
            // meet here.
            self.cta(thread).meet_all(thread.warp);
        }
    }

    fn at_word(&mut self, thread: Thread, (bank, word): (Bank, u64), access: &Access) {
        // All words beyond the maximum share one entry, so they order each other: this may hide a race, but never reports a false one.
        let is_kept = self.strong.len() < MOST_WORDS || self.strong.contains_key(&(bank, word));
        let word = if is_kept { word } else { u64::MAX };
        if access.is_for_result() {
            if let Some(handed) = self.strong.get(&(bank, word)).cloned() {
                self.cta(thread).warps[thread.warp].join(&handed);
            }
        }
        if let Some(released) = &access.released {
            self.strong.entry((bank, word)).or_default().join(released);
        }
    }
}
