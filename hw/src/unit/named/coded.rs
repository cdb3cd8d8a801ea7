// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The code of a warp's result, in which results stand in registers.
//!
//! *Reads:* what was reduced and its value. *Writes:* the code. *Latency:* 0, no state. Implements no clause: results are the most
//! registers of the unit, so they stand in codes that no number needs, for where the highest bit of a number is 1, all others are 0.
//!
//! A number that is below the highest bit is itself. With the highest bit the next one says that there is no result, bit 2 that it is the
//! highest bit as a number, else bit 1 says OR and bit 0 is the value of AND or OR.

use crate::prelude::*;

#[block]
pub struct Coded<AW> {
    pub of: Signal<In, Reduction>,
    pub value: Signal<In, Bits<AW>>,
    pub code: Signal<Out, Bits<AW>>,
    counts: Signal<Local, Bit>,
    most: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
}

#[block]
impl Logic for Coded<AW> {
    fn update(&mut self) {
        self.counts.next = self.of.val() == Reduction::Popc;
        self.code.next = self.value.val();
        self.most.next = false;
        for top in (AW - 1)..AW {
            self.most.next = self.counts.val() & self.value.val().get_bit(top);
            self.code_bit.next = !self.counts.val() | self.value.val().get_bit(top);
            self.code.next = self.code.val().replace_bit(top, self.code_bit.val());
            self.code_bit.next = (self.value.val().get_bit(top - 1) & !self.most.val()) | (self.of.val() == Reduction::None);
            self.code.next = self.code.val().replace_bit(top - 1, self.code_bit.val());
        }
        self.code_bit.next = (self.counts.val() & self.value.val().get_bit(2)) | self.most.val();
        self.code.next = self.code.val().replace_bit(2, self.code_bit.val());
        self.code_bit.next =
            (self.counts.val() & self.value.val().get_bit(1) & !self.most.val()) | (self.of.val() == Reduction::Or);
        self.code.next = self.code.val().replace_bit(1, self.code_bit.val());
        self.code_bit.next = self.value.val().get_bit(0) & !self.most.val();
        self.code.next = self.code.val().replace_bit(0, self.code_bit.val());
    }
}
