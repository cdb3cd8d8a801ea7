// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The word of an object in the 64-bit layout in which memory and the registers of warps hold it.
//!
//! *Reads:* the fields of the word. *Writes:* in the same cycle the word in 64 bits. *Latency:* 0, no state. Implements the word of
//! `docs/contract/mbarrier.md`.

use super::item::Word;
use crate::prelude::*;

#[block]
pub struct WordLayout {
    /// The fields of the word.
    pub word: Signal<In, Word>,
    /// The word in 64 bits.
    pub memory_word: Signal<Out, Bits<64>>,
}

#[block]
impl Logic for WordLayout {
    fn update(&mut self) {
        let word = self.word.val();
        self.memory_word.next = (bit_cast::<64, 20>(word.expected) << 1)
            | (bit_cast::<64, 21>(word.tx) << 21)
            | (bit_cast::<64, 20>(word.pending) << 43);
        self.memory_word.next = self.memory_word.val().replace_bit(42, word.spent);
        self.memory_word.next = self.memory_word.val().replace_bit(63, word.phase);
    }
}
