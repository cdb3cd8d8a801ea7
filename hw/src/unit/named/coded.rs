// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodes the result of a reduction into the bits in which it is stored per warp.
//!
//! *Reads:* the reduction and its value. *Writes:* the code. *Latency:* 0, no state. Implements no clause: the results are most of
//! the registers of the unit, so the reduction has no separate bits. All results but those of POPC have codes that no POPC result
//! uses: a number whose highest bit is 1 has 0 in all others.
//!
//! A POPC result without its highest bit is stored unchanged. In any other code the highest bit is 1. The next bit is 1 if there is
//! no result. Otherwise bit 2 is 1 if the result is a POPC with its highest bit; if not, bit 1 is 1 for OR and 0 for AND, and bit 0
//! is the value.

use crate::prelude::*;

#[block]
pub struct Coded<AW> {
    /// The reduction.
    pub reduction: Signal<In, Reduction>,
    pub value: Signal<In, Bits<AW>>,
    pub code: Signal<Out, Bits<AW>>,
    /// The reduction is POPC: the value is a number.
    is_popc: Signal<Local, Bit>,
    /// The highest bit of the number is 1.
    has_top_bit: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
}

#[block]
impl Logic for Coded<AW> {
    fn update(&mut self) {
        self.is_popc.next = self.reduction.val() == Reduction::Popc;
        self.code.next = self.value.val();
        self.has_top_bit.next = false;
        for top in (AW - 1)..AW {
            self.has_top_bit.next = self.is_popc.val() & self.value.val().get_bit(top);
            self.code_bit.next = !self.is_popc.val() | self.value.val().get_bit(top);
            self.code.next = self.code.val().replace_bit(top, self.code_bit.val());
            self.code_bit.next =
                (self.value.val().get_bit(top - 1) & !self.has_top_bit.val()) | (self.reduction.val() == Reduction::None);
            self.code.next = self.code.val().replace_bit(top - 1, self.code_bit.val());
        }
        self.code_bit.next = (self.is_popc.val() & self.value.val().get_bit(2)) | self.has_top_bit.val();
        self.code.next = self.code.val().replace_bit(2, self.code_bit.val());
        self.code_bit.next = (self.is_popc.val() & self.value.val().get_bit(1) & !self.has_top_bit.val())
            | (self.reduction.val() == Reduction::Or);
        self.code.next = self.code.val().replace_bit(1, self.code_bit.val());
        self.code_bit.next = self.value.val().get_bit(0) & !self.has_top_bit.val();
        self.code.next = self.code.val().replace_bit(0, self.code_bit.val());
    }
}
