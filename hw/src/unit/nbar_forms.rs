// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the NBAR instructions: is the word one of them, and which message does it send to the gateway.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_one`; the message, whether it is a wait, whether it comes from a register, which mean nothing where the
//! word is none of these. *Latency:* 0, no state.
//!
//! As in [`forms`](super::forms), a flat table of facts about the bits: five forms of two operation types, this project's own; in each, every bit that is
//! not a field must be 0. Implements NBARRIER of spec 004 in the encoding of `docs/isa.md`.

use crate::prelude::*;

#[block]
pub struct NbarForms {
    pub word: Signal<In, InstructionWord>,
    pub ra: Signal<In, Bits<32>>,
    pub legal: Signal<Out, Bit>,
    /// The word is one of these, legal or not.
    pub is_one: Signal<Out, Bit>,
    /// Bits 31:24 number of consumers, 23:16 number of producers, 15:14 type, 13 it is a wait, 7:0 id.
    pub message: Signal<Out, Bits<32>>,
    /// The message comes from a register.
    pub packed: Signal<Out, Bit>,
    head: Signal<Local, Bits<12>>,
    baseline: Signal<Local, Bit>,
    general: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    from_register: Signal<Local, Bit>,
    has_id: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    sent: Signal<Local, Bits<32>>,
    #[init(Constant::new(0xffff_c0ff.into()))]
    fields: Constant<Bits<32>>,
}

#[block]
impl Logic for NbarForms {
    fn update(&mut self) {
        self.head.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.baseline.next = self.head.val() == 0xde4;
        self.general.next = self.head.val() == 0xbe4;
        self.waits.next = (self.head.val() == 0xbe5) | (self.head.val() == 0x3e5);
        self.from_register.next = (self.head.val() == 0x3e4) | (self.head.val() == 0x3e5);

        // Which fields it has, and bits that it should not have.
        self.has_id.next = !self.from_register.val();
        self.stray.next = self.word.val().word_0.get_bits::<8>(16).any()
            | (self.word.val().word_0.get_bits::<8>(24).any() & !self.from_register.val())
            | self.word.val().word_1.get_bits::<8>(0).any()
            | (self.word.val().word_1.get_bits::<8>(8).any() & !self.has_id.val())
            | self.word.val().word_1.get_bits::<16>(16).any()
            | (self.word.val().word_2.get_bits::<8>(0).any() & !self.baseline.val() & !self.general.val())
            | (self.word.val().word_2.get_bits::<8>(8).any() & !self.general.val())
            | (self.word.val().word_2.get_bits::<2>(16).any() & !self.general.val())
            | self.word.val().word_2.get_bits::<14>(18).any()
            | self.word.val().word_3.get_bits::<13>(0).any();
        self.is_one.next = self.baseline.val() | self.general.val() | self.waits.val() | self.from_register.val();
        self.legal.next = self.is_one.val() & !self.stray.val();

        // What it says; the baseline form has one number for both, and what a wait does not have is 0.
        self.sent.next = bit_cast::<32, 8>(self.word.val().word_1.get_bits::<8>(8));
        if self.baseline.val() | self.general.val() {
            self.sent.next = self.sent.val() | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(0)) << 16);
        }
        if self.baseline.val() {
            self.sent.next = self.sent.val() | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(0)) << 24);
        }
        if self.general.val() {
            self.sent.next = self.sent.val()
                | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(8)) << 24)
                | (bit_cast::<32, 2>(self.word.val().word_2.get_bits::<2>(16)) << 14);
        }
        if self.from_register.val() {
            self.sent.next = self.ra.val() & self.fields.val();
        }
        if self.waits.val() {
            self.sent.next = bit_cast::<32, 8>(self.sent.val().get_bits::<8>(0));
            self.sent.next = self.sent.val().replace_bit(13, true);
        }
        self.message.next = self.sent.val();
        self.packed.next = self.from_register.val();
    }
}
