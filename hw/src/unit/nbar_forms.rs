// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the NBAR instructions: whether an instruction word has one of them, and the message that it sends to the gateway.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_one`; the message, and whether it comes
//! from a register, which are meaningless if the word is no NBAR instruction. *Latency:* 0, no state.
//!
//! As in [`forms`](super::forms), a flat table of facts about the bits: five forms of two operation types, encoded by this
//! project; in each, every bit that is not a field must be 0. Implements NBARRIER of spec 004 in the encoding of `docs/contract/isa.md`.

use crate::prelude::*;

#[block]
pub struct NbarForms {
    /// The instruction word.
    pub word: Signal<In, InstructionWord>,
    /// Value of the register ra.
    pub ra: Signal<In, Bits<32>>,
    /// The word is an NBAR instruction, and no bit outside its fields is 1.
    pub legal: Signal<Out, Bit>,
    /// The word is an NBAR instruction, legal or not.
    pub is_one: Signal<Out, Bit>,
    /// Bits 31:24 number of consumers, 23:16 number of producers, 15:14 type, 13 1 for a wait, 7:0 id.
    pub message: Signal<Out, Bits<32>>,
    /// The message comes from a register.
    pub packed: Signal<Out, Bit>,
    /// Bits 11:0 of the word: form and operation type.
    head: Signal<Local, Bits<12>>,
    /// NBAR.SIGNAL with one number for producers and consumers.
    baseline: Signal<Local, Bit>,
    /// NBAR.SIGNAL with a type and two numbers.
    general: Signal<Local, Bit>,
    /// NBAR.WAIT.
    waits: Signal<Local, Bit>,
    /// NBAR.SIGNAL or NBAR.WAIT with its message in a register.
    from_register: Signal<Local, Bit>,
    /// The word has a field for the barrier id.
    has_id: Signal<Local, Bit>,
    /// A bit outside the fields of the word is 1.
    stray: Signal<Local, Bit>,
    /// The message.
    sent: Signal<Local, Bits<32>>,
    /// The bits that are taken from a message in a register.
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

        // The fields of the word, and bits outside them that must be 0.
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

        // The message. The baseline form has one number for producers and consumers; the message of a wait has only the id
        // and bit 13.
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
