// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What atomic and other strong accesses order, in whatever memory they are: one that stores hands on, when it is performed, what its warp had
//! done when it was issued; one that loads takes, when it is performed, what was handed on at its bytes by then.

use super::clocks::Thread;
use super::vector::VectorClock;
use super::Races;
use crate::memory::{Access, Bank};
use std::rc::Rc;

/// Bytes of memory whose strong accesses order each other.
const WORD: u64 = 4;

/// So many of these words are kept apart.
const MOST_WORDS: usize = 1 << 16;

impl Races {
    /// What a strong access that is issued now will hand on; `None` if it only loads.
    pub(super) fn releases(&mut self, thread: Thread, access: &Access) -> Option<Rc<VectorClock>> {
        if !access.is_strong() || access.asynchronous() || !access.stores() {
            return None;
        }
        let clocks = self.cta(thread);
        let released = clocks.warps[thread.warp].clone();
        clocks.tick(thread.warp);
        Some(Rc::new(released))
    }

    /// An access is performed.
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
            // Lanes that meet at a lock are ordered by it as well.
            self.cta(thread).meet_all(thread.warp);
        }
    }

    fn at_word(&mut self, thread: Thread, (bank, word): (Bank, u64), access: &Access) {
        // Beyond these all words order each other, which may hide a race and makes none.
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
