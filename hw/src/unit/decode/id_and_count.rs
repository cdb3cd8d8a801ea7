// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barrier id and the count of an operation, from the word or from its registers.
//!
//! *Reads:* the fields of the word, the values of its registers, and the source of each operand. *Writes:* the id and the count of
//! the last word taken; an operand without a source is 0. *Latency:* 1. Implements `op_id` and `op_count` of
//! `docs/contract/decode.md`.
//!
//! Each source has a register, which is set to 0 if that source is not selected. The operand is the OR of these registers, so
//! the selection needs no gates: the synchronous reset that clears a register is part of the flip-flop.

use crate::prelude::*;

#[block]
pub struct IdAndCount {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    /// The field of the word for an id.
    pub id_field: Signal<In, Bits<4>>,
    /// The field of the word for a count.
    pub count_field: Signal<In, Bits<12>>,
    pub ra: Signal<In, Bits<32>>,
    pub rb: Signal<In, Bits<32>>,
    pub id_from_word: Signal<In, Bit>,
    pub id_from_ra: Signal<In, Bit>,
    pub id_from_rb: Signal<In, Bit>,
    pub count_from_word: Signal<In, Bit>,
    pub count_from_rb: Signal<In, Bit>,
    /// The count in rb starts at bit `pack_lsb`, not at bit 0.
    pub is_packed: Signal<In, Bit>,
    pub id: Signal<Out, Bits<4>>,
    pub count: Signal<Out, Bits<12>>,
    id_of_word: DFF<Bits<4>>,
    id_of_ra: DFF<Bits<4>>,
    id_of_rb: DFF<Bits<4>>,
    count_of_word: DFF<Bits<12>>,
    count_of_rb: DFF<Bits<12>>,
    /// Position of the lowest bit of the count in rb, for BAR_RED_R with id and count packed in rb.
    #[init(Constant::new((config.pack_lsb as u64).into()))]
    pack_lsb: Constant<Bits<5>>,
}

#[block]
impl Logic for IdAndCount {
    fn update(&mut self) {
        if self.enable.val() {
            self.id_of_word.d.next = self.id_field.val();
            if !self.id_from_word.val() {
                self.id_of_word.d.next = 0.into();
            }
            self.id_of_ra.d.next = bit_cast::<4, 32>(self.ra.val());
            if !self.id_from_ra.val() {
                self.id_of_ra.d.next = 0.into();
            }
            self.id_of_rb.d.next = bit_cast::<4, 32>(self.rb.val());
            if !self.id_from_rb.val() {
                self.id_of_rb.d.next = 0.into();
            }
            self.count_of_word.d.next = self.count_field.val();
            if !self.count_from_word.val() {
                self.count_of_word.d.next = 0.into();
            }
            self.count_of_rb.d.next = bit_cast::<12, 32>(self.rb.val());
            if self.is_packed.val() {
                self.count_of_rb.d.next = bit_cast::<12, 32>(self.rb.val() >> self.pack_lsb.val());
            }
            if !self.count_from_rb.val() {
                self.count_of_rb.d.next = 0.into();
            }
        }
        self.id.next = self.id_of_word.q.val() | self.id_of_ra.q.val() | self.id_of_rb.q.val();
        self.count.next = self.count_of_word.q.val() | self.count_of_rb.q.val();
    }
}
