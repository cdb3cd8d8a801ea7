// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the bits in which each warp's result of a reduction is stored: the inverse of their encoding.
//!
//! *Reads:* the code. *Writes:* the value, and the bits of state words that depend on the kind of the result. *Latency:* 0, no
//! state. Implements the result in the state word of a warp and in the result of a Read of `docs/contract/named.md`.

use super::commit_payloads::WarpResult;
use crate::prelude::*;

/// Sizes: sums of a reduction of `AW` bits.
#[block]
pub struct ResultDecoder<AW> {
    pub code: Signal<In, Bits<AW>>,
    pub warp_result: Signal<Out, WarpResult<AW>>,
    /// The code with all bits but bit 0 cleared: the value of AND or OR, if the highest bit of the code is 1.
    single_bit: Signal<Local, Bits<AW>>,
    /// The result is a POPC result whose highest bit is 1.
    is_highest_number: Signal<Local, Bit>,
}

#[block]
impl Logic for ResultDecoder {
    fn update(&mut self) {
        let code = self.code.val();

        self.single_bit.next = code & 1;
        self.warp_result.next.value = code;
        self.warp_result.next.not_plain_number = false;
        self.warp_result.next.word_bit_13 = false;
        self.warp_result.next.word_bit_12 = false;

        // The highest bit of the code is 0 for a POPC result that is stored unchanged; `Coded` describes the other codes.
        for top in (AW - 1)..AW {
            self.warp_result.next.word_bit_13 = !code.get_bit(top) | code.get_bit(top - 1) | code.get_bit(2);
            self.warp_result.next.word_bit_12 = code.get_bit(top) & (code.get_bit(top - 1) | code.get_bit(1));
            self.is_highest_number.next = !code.get_bit(top - 1) & code.get_bit(2);
            self.warp_result.next.not_plain_number = code.get_bit(top);
            if code.get_bit(top) {
                self.warp_result.next.value = self.single_bit.val().replace_bit(top, self.is_highest_number.val());
            }
        }
    }
}
