// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodes the result of a reduction into the bits in which each warp's result is stored.
//!
//! *Reads:* the reduction and its value. *Writes:* the code. *Latency:* 0, no state. Implements no clause of a page: the code
//! is internal. The stored results are most of the registers of the unit, so the kind of reduction is encoded within the bits of the
//! value, without an additional bit. The value is so wide that a POPC result is at most the power of two of the highest bit: if
//! this bit is 1, all other bits are 0. So the codes in which the highest bit and a lower bit are 1 are free: they encode the
//! results of AND and OR, and the absence of a result.
//!
//! A POPC result whose highest bit is 0 is stored unchanged. In all other codes the highest bit is 1. If there is no result, the
//! next bit is 1. A POPC result whose highest bit is 1: bit 2 is 1. AND and OR: bit 1 is 0 for AND and 1 for OR, and bit 0 is the
//! value.

use crate::prelude::*;

/// Sizes: sums of a reduction of `AW` bits.
#[block]
pub struct Coded<AW> {
    /// The kind of reduction: AND, OR, POPC, or None for no result.
    pub reduction: Signal<In, Reduction>,
    pub value: Signal<In, Bits<AW>>,
    pub code: Signal<Out, Bits<AW>>,
    /// The reduction is POPC: the value is a number.
    is_popc: Signal<Local, Bit>,
    /// The value is a POPC result whose highest bit is 1.
    has_top_bit: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
}

#[block]
impl Logic for Coded {
    fn update(&mut self) {
        self.is_popc.next = self.reduction.val() == Reduction::Popc;
        self.code.next = self.value.val();
        self.has_top_bit.next = false;

        // The highest bit and the next one: 11 means no result.
        for top in (AW - 1)..AW {
            self.has_top_bit.next = self.is_popc.val() & self.value.val().get_bit(top);
            self.code_bit.next = !self.is_popc.val() | self.value.val().get_bit(top);
            self.code.next = self.code.val().replace_bit(top, self.code_bit.val());
            self.code_bit.next =
                (self.value.val().get_bit(top - 1) & !self.has_top_bit.val()) | (self.reduction.val() == Reduction::None);
            self.code.next = self.code.val().replace_bit(top - 1, self.code_bit.val());
        }

        // Bits 2 to 0.
        self.code_bit.next = (self.is_popc.val() & self.value.val().get_bit(2)) | self.has_top_bit.val();
        self.code.next = self.code.val().replace_bit(2, self.code_bit.val());
        self.code_bit.next = (self.is_popc.val() & self.value.val().get_bit(1) & !self.has_top_bit.val())
            | (self.reduction.val() == Reduction::Or);
        self.code.next = self.code.val().replace_bit(1, self.code_bit.val());
        self.code_bit.next = self.value.val().get_bit(0) & !self.has_top_bit.val();
        self.code.next = self.code.val().replace_bit(0, self.code_bit.val());
    }
}
