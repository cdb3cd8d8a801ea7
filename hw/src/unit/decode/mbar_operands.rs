// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number of an mbarrier operation, and the phase that a wait tests, from the word or from the register rb.
//!
//! *Reads:* the immediate of the word and the value of rb; whether the word has an immediate, and which operand is in rb. *Writes:* for
//! the last word taken the number (0 if the word has none) and the phase (0 if the operation is not a wait). *Latency:* 1. Implements
//! `op_number` and `op_phase` of `docs/contract/decode.md`.

use crate::prelude::*;

#[block]
pub struct MbarOperands {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    /// The field of the word for an immediate.
    pub immediate: Signal<In, Bits<16>>,
    /// Value of the register rb.
    pub rb: Signal<In, Bits<32>>,
    /// The word has an immediate.
    pub has_immediate: Signal<In, Bit>,
    /// The number comes from rb.
    pub number_from_rb: Signal<In, Bit>,
    /// The operation is a wait: rb holds its phase.
    pub is_wait: Signal<In, Bit>,
    /// 1: rb holds a parity; the phase is bit 0 of rb. 0: rb holds the upper half of a token; the phase is bit 31 of rb.
    pub phase_in_bit_0: Signal<In, Bit>,
    /// The number; 2^21 - 1 if the number in rb does not fit in 21 bits.
    pub number: Signal<Out, Bits<21>>,
    pub phase: Signal<Out, Bit>,
    /// Value of the immediate; 0 if the word has none.
    immediate_q: DFF<Bits<16>>,
    /// Number in rb; 0 if the number does not come from rb.
    rb_number: DFF<Bits<21>>,
    /// The number comes from rb and does not fit in 21 bits.
    too_large: DFF<Bit>,
    /// Parity of the phase that a wait tests; 0 if the operation is not a wait.
    phase_q: DFF<Bit>,
    /// The value 2^21 - 1, for all numbers that do not fit in 21 bits.
    #[init(Constant::new(!Bits::<21>::default()))]
    overflow_code: Constant<Bits<21>>,
}

#[block]
impl Logic for MbarOperands {
    fn update(&mut self) {
        if self.enable.val() {
            self.immediate_q.d.next = self.immediate.val();
            if !self.has_immediate.val() {
                self.immediate_q.d.next = 0.into();
            }
            self.rb_number.d.next = bit_cast::<21, 32>(self.rb.val());
            self.too_large.d.next = self.rb.val().get_bits::<11>(21).any();
            if !self.number_from_rb.val() {
                self.rb_number.d.next = 0.into();
                self.too_large.d.next = false;
            }
            self.phase_q.d.next = self.rb.val().get_bit(31);
            if self.phase_in_bit_0.val() {
                self.phase_q.d.next = self.rb.val().get_bit(0);
            }
            if !self.is_wait.val() {
                self.phase_q.d.next = false;
            }
        }
        self.number.next = self.rb_number.q.val() | bit_cast::<21, 16>(self.immediate_q.q.val());
        if self.too_large.q.val() {
            self.number.next = self.overflow_code.val();
        }
        self.phase.next = self.phase_q.q.val();
    }
}
