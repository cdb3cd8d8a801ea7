// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the NBAR instructions: whether an instruction word is a legal NBAR, and the message that the NBAR sends to the gateway.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_nbar`; the message, and whether the message
//! comes from a register; both are meaningless if the word is not an NBAR instruction. *Latency:* 0, no state.
//!
//! The block is a flat table of the bits, like [`forms`](super::forms): five forms of two operation types, in this project's encoding.
//! In each form every bit of 108:0 that is not a field must be 0. Implements NBARRIER of spec 004 in the encoding of
//! `docs/contract/isa.md`.

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
    pub is_nbar: Signal<Out, Bit>,
    /// Bits 31:24: number of consumers; 23:16: number of producers; 15:14: type; 13: 1 for a wait; 7:0: id.
    pub message: Signal<Out, Bits<32>>,
    /// The message comes from register ra.
    pub packed: Signal<Out, Bit>,
    /// Bits 11:0 of the word: form and operation type.
    opcode: Signal<Local, Bits<12>>,
    /// The word is NBAR.SIGNAL with one number, which is the number of producers and of consumers.
    baseline: Signal<Local, Bit>,
    /// The word is NBAR.SIGNAL with a type, a number of producers and a number of consumers.
    general: Signal<Local, Bit>,
    /// The word is NBAR.WAIT, with its id in the word or its message in register ra.
    is_wait: Signal<Local, Bit>,
    /// The word is NBAR.SIGNAL or NBAR.WAIT with its message in register ra.
    from_register: Signal<Local, Bit>,
    /// The word has a field for the barrier id.
    has_id: Signal<Local, Bit>,
    /// A bit outside the fields of the word is 1.
    stray: Signal<Local, Bit>,
    /// The 32 bits of the message to the gateway.
    message_bits: Signal<Local, Bits<32>>,
    /// Mask of the bits that are taken from a message in register ra.
    #[init(Constant::new(0xffff_c0ff.into()))]
    message_mask: Constant<Bits<32>>,
}

#[block]
impl Logic for NbarForms {
    fn update(&mut self) {
        self.opcode.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.baseline.next = self.opcode.val() == 0xde4;
        self.general.next = self.opcode.val() == 0xbe4;
        self.is_wait.next = (self.opcode.val() == 0xbe5) | (self.opcode.val() == 0x3e5);
        self.from_register.next = (self.opcode.val() == 0x3e4) | (self.opcode.val() == 0x3e5);

        // The fields of the word, and the bits outside the fields, which must be 0.
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
        self.is_nbar.next = self.baseline.val() | self.general.val() | self.is_wait.val() | self.from_register.val();
        self.legal.next = self.is_nbar.val() & !self.stray.val();

        // The message. The baseline form has one number for producers and consumers; the message of a wait has only the id
        // and bit 13.
        self.message_bits.next = bit_cast::<32, 8>(self.word.val().word_1.get_bits::<8>(8));
        if self.baseline.val() | self.general.val() {
            self.message_bits.next =
                self.message_bits.val() | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(0)) << 16);
        }
        if self.baseline.val() {
            self.message_bits.next =
                self.message_bits.val() | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(0)) << 24);
        }
        if self.general.val() {
            self.message_bits.next = self.message_bits.val()
                | (bit_cast::<32, 8>(self.word.val().word_2.get_bits::<8>(8)) << 24)
                | (bit_cast::<32, 2>(self.word.val().word_2.get_bits::<2>(16)) << 14);
        }
        if self.from_register.val() {
            self.message_bits.next = self.ra.val() & self.message_mask.val();
        }
        if self.is_wait.val() {
            self.message_bits.next = bit_cast::<32, 8>(self.message_bits.val().get_bits::<8>(0));
            self.message_bits.next = self.message_bits.val().replace_bit(13, true);
        }
        self.message.next = self.message_bits.val();
        self.packed.next = self.from_register.val();
    }
}
