// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the state word of a Write to Warp: the reduction of its result, and whether the word is valid.
//!
//! *Reads:* the state word. *Writes:* the reduction of the result; whether the result is of POPC; the fault of the word. *Latency:*
//! 0, no state. Implements the state word `WarpBARState` of spec 001 and *Write to Warp* of `docs/contract/named.md`. A POPC result
//! is compared with the number of lanes of the CTA one cycle later, in [`check`](super::check).
//!
//! `WarpBARState`: bits 11:0 result, 13:12 redop (0 And, 1 Or, 2 Popc, 3 no result), 14 the warp waits, 18:15 the id at which it waits, 19
//! the warp is trapped; the others are 0.

use crate::prelude::*;

/// Sizes: sums of a reduction of `AW` bits.
#[block]
pub struct WarpWord<AW> {
    pub word: Signal<In, Bits<32>>,
    /// Reductions are built.
    pub reductions_built: Signal<In, Bit>,
    /// The reduction of the result; None if the word has no result. Always None in a configuration without reductions.
    pub reduction: Signal<Out, Reduction>,
    /// The redop of the result is POPC.
    pub is_popc: Signal<Out, Bit>,
    /// The word has the fault `bad_state_word`.
    pub bad_word: Signal<Out, Bit>,
    redop: Signal<Local, Bits<2>>,
    result: Signal<Local, Bits<12>>,
    /// The result is more than 1.
    above_one: Signal<Local, Bit>,
}

#[block]
impl Logic for WarpWord {
    fn update(&mut self) {
        let word = self.word.val();

        self.redop.next = word.get_bits::<2>(12);
        self.result.next = bit_cast::<12, 32>(word);
        self.is_popc.next = self.redop.val() == 2;
        self.reduction.next = Reduction::None;
        if self.reductions_built.val() {
            if self.redop.val() == 0 {
                self.reduction.next = Reduction::And;
            }
            if self.redop.val() == 1 {
                self.reduction.next = Reduction::Or;
            }
            if self.redop.val() == 2 {
                self.reduction.next = Reduction::Popc;
            }
        }

        // Bits 13:12 are the redop: 0 AND, 1 OR, 2 POPC, 3 no result. Bit 14 is 1 if the warp waits, at the barrier id in bits
        // 18:15.
        self.above_one.next = self.result.val().get_bits::<11>(1).any();
        self.bad_word.next = word.get_bits::<12>(20).any()
            | (!self.reductions_built.val() & (self.redop.val() != 3))
            | ((self.redop.val() == 3) & self.result.val().any())
            | (!word.get_bit(13) & self.above_one.val())
            | (bit_cast::<12, AW>(bit_cast::<AW, 12>(self.result.val())) != self.result.val())
            | (word.get_bits::<4>(15).any() & !word.get_bit(14));
    }
}
