// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The register of the strobe `token`: the result of an operation for its warp.
//!
//! *Reads:* the result of the item in the decide stage, and the word before its operation. *Writes:* one cycle later the strobe.
//! *Latency:* 1. Implements *Results* of `docs/contract/mbarrier.md`: the word of a refused or remote operation is 0.

use super::item::Word;
use super::ports::MbarrierToken;
use super::word_layout::WordLayout;
use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits.
#[block]
pub struct TokenRegister<LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A token is output in the next cycle.
    pub outputs_token: Signal<In, Bit>,
    /// Warp of the item.
    pub warp: Signal<In, Bits<LW>>,
    /// The destination of the result.
    pub destination: Signal<In, Destination>,
    /// The word before the operation.
    pub word: Signal<In, Word>,
    /// Waits: the phase that the wait tests is complete.
    pub phase_over: Signal<In, Bit>,
    /// The operation is refused.
    pub refused: Signal<In, Bit>,
    /// The item is the result of a remote operation.
    pub is_remote_result: Signal<In, Bit>,
    /// Results of operations.
    pub token: StrobeOut<MbarrierToken<LW>>,
    /// The strobe `token` without its word.
    strobe: StrobeRegister<MbarrierToken<LW>>,
    /// Word of the token.
    word_q: DFF<Bits<64>>,
    word_layout: WordLayout,
}

#[block]
impl Logic for TokenRegister {
    fn update(&mut self) {
        self.word_layout.word.next = self.word.val();
        // `word_q` is cleared by one condition, which becomes the synchronous reset of its flip-flops.
        if self.outputs_token.val() {
            self.word_q.d.next = self.word_layout.memory_word.val();
        }
        if (self.outputs_token.val() & (self.refused.val() | self.is_remote_result.val())) | self.reset.val() {
            self.word_q.d.next = 0.into();
        }
        self.strobe.in_.valid.next = self.outputs_token.val();
        self.strobe.in_.payload.next.warp = self.warp.val();
        self.strobe.in_.payload.next.word = 0.into();
        self.strobe.in_.payload.next.predicate = self.phase_over.val() & !self.refused.val();
        self.strobe.in_.payload.next.refused = self.refused.val();
        self.strobe.in_.payload.next.destination = self.destination.val();
        self.token.valid.next = self.strobe.out.valid.val();
        self.token.payload.next = self.strobe.out.payload.val();
        self.token.payload.next.word = self.word_q.q.val();
    }
}
