// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Forms the state word that a Read returns.
//!
//! *Reads:* for a Read in the commit stage its row; whether its warp has arrived, waits and is trapped; the barrier id of that
//! warp's last wait, and the result of that warp. *Writes:* the state word, or the result with its predicate. *Latency:* 0, no
//! state. Implements `BARState`, `WarpBARState` and B2R of spec 001; the positions in state words are those of
//! `docs/contract/named.md`.
//!
//! `BARState`: bits 6:0 count, 13:7 expected, 15:14 kind (0 idle, 1 sync or arrive, 2 reduction), 17:16 redop (0 And, 1 Or, 2 Popc), 29:18
//! accumulator, 31 the warp has arrived; bit 30 is 0.
//!
//! `WarpBARState`: bits 11:0 result, 13:12 redop (0 And, 1 Or, 2 Popc, 3 no result), 14 the warp waits, 18:15 the id at which it waits, 19
//! the warp is trapped; the others are 0.

use super::commit_payloads::WarpResult;
use super::lookup_payloads::Row;
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, sums of a reduction of `AW` bits.
#[block]
pub struct StateWordReader<CW, AW> {
    /// The kind of state word that the Read returns.
    pub state: Signal<In, StateWord>,
    /// The row was open before the Read.
    pub was_open: Signal<In, Bit>,
    pub commit_row: Signal<In, Row<CW, AW>>,
    /// The value of the row's reduction, over the arrivals so far: the accumulator of the state word.
    pub reduction_value: Signal<In, Bits<AW>>,
    /// The warp has arrived at the row.
    pub has_arrived: Signal<In, Bit>,
    pub warp_result: Signal<In, WarpResult<AW>>,
    /// The warp waits.
    pub warp_waits: Signal<In, Bit>,
    /// The barrier id of the warp's last wait.
    pub arrival_id: Signal<In, Bits<4>>,
    /// The warp is trapped.
    pub is_trapped: Signal<In, Bit>,
    pub word: Signal<Out, Bits<32>>,
    /// For a Read of Result: the result is of AND or OR, and its value is 1.
    pub predicate: Signal<Out, Bit>,
    word_bit: Signal<Local, Bit>,
}

#[block]
impl Logic for StateWordReader {
    fn update(&mut self) {
        let row = self.commit_row.val();
        let result = self.warp_result.val();

        self.word.next = 0.into();
        self.word_bit.next = false;
        self.predicate.next = false;

        // The state word of a barrier; 0 for an idle row. Bits 15:14 are the kind, 17:16 the redop.
        if (self.state.val() == StateWord::Barrier) & self.was_open.val() {
            self.word.next = bit_cast::<32, CW>(row.count)
                | (bit_cast::<32, CW>(row.expected) << 7)
                | (bit_cast::<32, AW>(self.reduction_value.val()) << 18);
            self.word_bit.next = row.reduction == Reduction::None;
            self.word.next = self.word.val().replace_bit(14, self.word_bit.val());
            self.word_bit.next = row.reduction != Reduction::None;
            self.word.next = self.word.val().replace_bit(15, self.word_bit.val());
            self.word_bit.next = row.reduction == Reduction::Or;
            self.word.next = self.word.val().replace_bit(16, self.word_bit.val());
            self.word_bit.next = row.reduction == Reduction::Popc;
            self.word.next = self.word.val().replace_bit(17, self.word_bit.val());
            self.word.next = self.word.val().replace_bit(31, self.has_arrived.val());
        }

        // The state word of a warp.
        if self.state.val() == StateWord::Warp {
            self.word.next = bit_cast::<32, AW>(result.value);
            self.word.next = self.word.val().replace_bit(12, result.word_bit_12);
            self.word.next = self.word.val().replace_bit(13, result.word_bit_13);
            if self.warp_waits.val() {
                self.word.next = self.word.val() | (bit_cast::<32, 4>(self.arrival_id.val()) << 15);
            }
            self.word.next = self.word.val().replace_bit(14, self.warp_waits.val());
            self.word.next = self.word.val().replace_bit(19, self.is_trapped.val());
        }

        // The result alone: a number in the word for POPC, a predicate for AND and OR.
        if self.state.val() == StateWord::Result {
            // `not_plain_number` is also 1 for a POPC result whose highest bit is 1. Bit 0 of such a result is 0, so
            // `predicate` is 0 for it.
            self.word.next = bit_cast::<32, AW>(result.value);
            self.word_bit.next = result.value.get_bit(0) & !result.not_plain_number;
            self.word.next = self.word.val().replace_bit(0, self.word_bit.val());
            self.predicate.next = result.value.get_bit(0) & result.not_plain_number;
        }
    }
}
