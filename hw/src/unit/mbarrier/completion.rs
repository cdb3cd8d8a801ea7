// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The word of an object after an operation: applies the completion of the phase to the sums.
//!
//! *Reads:* the fields of the word after the operation; whether the operation completes the phase, and with it spends the object.
//! *Writes:* in the same cycle the word. *Latency:* 0, no state. Implements the end of a phase of `docs/contract/mbarrier.md`: the
//! expected count becomes the pending count, and the phase bit is inverted.

use super::item::{NewWord, Word};
use crate::prelude::*;

#[block]
pub struct Completion {
    /// The fields of the word after the operation, before the completion.
    pub new_word: Signal<In, NewWord>,
    /// The operation completes the phase.
    pub completes: Signal<In, Bit>,
    /// The object is spent if the operation completes the phase.
    pub spends: Signal<In, Bit>,
    /// The word after the operation.
    pub word: Signal<Out, Word>,
}

#[block]
impl Logic for Completion {
    fn update(&mut self) {
        let new_word = self.new_word.val();
        self.word.next.expected = new_word.new_expected;
        self.word.next.tx = new_word.new_tx;
        self.word.next.spent = new_word.new_spent | (self.completes.val() & self.spends.val());
        // An operation that completes the phase leaves 0 in `new_pending`.
        self.word.next.pending = new_word.new_pending;
        if self.completes.val() {
            self.word.next.pending = new_word.new_pending | new_word.new_expected;
        }
        self.word.next.phase = new_word.new_phase ^ self.completes.val();
    }
}
