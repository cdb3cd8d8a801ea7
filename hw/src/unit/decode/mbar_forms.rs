// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the MBAR instructions: whether an instruction word is a legal MBAR, and the mbarrier operation that the word encodes.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_mbar`, the offset of the address; in registers, the
//! mbarrier operation of the last word taken and the destination of its result. If that word is not an MBAR instruction, the number is 0
//! and all other registers are meaningless. *Latency:* 0 for `legal`, `is_mbar` and the offset, 1 for the registers.
//!
//! The block is a flat table of the bits, like [`forms`](super::forms): nine forms of six operation types, in an encoding of this project.
//! In each form every bit that is not a field must be 0. Implements the instructions of `docs/contract/isa.md` for mbarrier of spec 003.

use super::mbar_kind::MbarKind;
use super::mbar_operands::MbarOperands;
use super::payloads::{MbarFields, MbarFlags};
use crate::prelude::*;

#[block]
pub struct MbarForms {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    /// The instruction word.
    pub word: Signal<In, InstructionWord>,
    /// Value of the register rb.
    pub rb: Signal<In, Bits<32>>,
    /// The word is an MBAR instruction, and no bit outside its fields is 1.
    pub legal: Signal<Out, Bit>,
    /// The word is an MBAR instruction, legal or not.
    pub is_mbar: Signal<Out, Bit>,
    /// The offset that is added to register ra to form the address; 0 for a legal R2B, whose state word is ra.
    pub offset: Signal<Out, Bits<32>>,
    /// The last word taken was an MBAR instruction.
    pub was_mbar: Signal<Out, Bit>,
    /// The fields of the operation of the last word taken.
    pub fields: Signal<Out, MbarFields>,
    mbar_kind: MbarKind,
    #[init(MbarOperands::default())]
    mbar_operands: MbarOperands,
    /// The last word taken was an MBAR instruction.
    was_mbar_q: DFF<Bit>,
    /// The word is of the form for shared memory of the cluster.
    cluster_form: DFF<Bit>,
    /// The operation is an ARRIVE or DROP that waits for earlier memory accesses of its warp.
    is_release: DFF<Bit>,
    /// Destination register; 255 = none.
    rd: DFF<Bits<8>>,
    /// Destination predicate; 7 = none.
    pu: DFF<Bits<3>>,
    /// Bits 11:0 of the word: form and operation type.
    opcode: Signal<Local, Bits<12>>,
    instruction: Signal<Local, MbarFlags>,
    /// The word is MBAR.TEST or MBAR.TRY.
    is_wait: Signal<Local, Bit>,
    /// The word has a number, in an immediate or in rb: MBAR.INIT, ADD, EXPECT, COMPLETE, ARRIVE or DROP.
    has_number: Signal<Local, Bit>,
    /// The word has a field for rb.
    has_rb: Signal<Local, Bit>,
    /// The word has a field for an immediate.
    has_immediate: Signal<Local, Bit>,
    /// The lowest bit of the mode: bit 80 of the word.
    mode: Signal<Local, Bit>,
    /// A bit outside the fields of the word is 1.
    stray: Signal<Local, Bit>,
    /// The offset field; for R2B its lowest 4 bits are 0.
    offset_field: Signal<Local, Bits<16>>,
}

#[block]
impl Logic for MbarForms {
    fn update(&mut self) {
        let word = self.word.val();
        self.opcode.next = bit_cast::<12, 32>(word.word_0);
        self.instruction.next.is_local = (self.opcode.val() == 0xbe0) | (self.opcode.val() == 0x3e0);
        self.instruction.next.inval = self.opcode.val() == 0x3e8;
        self.instruction.next.bytes = (self.opcode.val() == 0xbe9) | (self.opcode.val() == 0x3e9);
        self.instruction.next.arrive = (self.opcode.val() == 0xbea) | (self.opcode.val() == 0x3ea);
        self.instruction.next.test = self.opcode.val() == 0x3eb;
        self.instruction.next.try_wait = self.opcode.val() == 0x3ec;
        self.is_wait.next = self.instruction.val().test | self.instruction.val().try_wait;
        self.has_number.next = self.instruction.val().is_local | self.instruction.val().bytes | self.instruction.val().arrive;

        // The fields of the word, and the bits outside the fields, which must be 0.
        self.has_immediate.next = self.instruction.val().try_wait | (word.word_0.get_bit(11) & self.has_number.val());
        self.has_rb.next = self.is_wait.val() | (!self.has_immediate.val() & !self.instruction.val().inval);
        self.mode.next = word.word_2.get_bit(16);
        self.stray.next = (word.word_0.get_bits::<8>(16).any() & !self.instruction.val().arrive)
            | (word.word_1.get_bits::<8>(0).any() & !self.has_rb.val())
            | word.word_1.get_bits::<8>(24).any()
            | (word.word_2.get_bits::<16>(0).any() & !self.has_immediate.val())
            | (self.mode.val() & self.instruction.val().inval)
            // The upper two bits of the mode must be 0. Exception: in an ARRIVE or DROP one of them may be 1.
            | (word.word_2.get_bits::<2>(17).any() & !self.instruction.val().arrive)
            | word.word_2.get_bits::<2>(17).all()
            | word.word_2.get_bit(19)
            | (word.word_2.get_bit(20) & !self.instruction.val().arrive)
            | (word.word_2.get_bit(21) & !self.instruction.val().arrive & !self.instruction.val().bytes)
            | word.word_2.get_bits::<10>(22).any()
            | word.word_3.get_bits::<10>(0).any()
            | (word.word_3.get_bits::<3>(10).any() & !self.is_wait.val());
        self.is_mbar.next = self.has_number.val() | self.instruction.val().inval | self.is_wait.val();
        self.legal.next = self.is_mbar.val() & !self.stray.val();

        // The offset. R2B has its barrier id in the lowest 4 bits of this field, so for R2B these 4 bits are masked. The mask is bit 7
        // of the operation type, which is 0 for R2B and 1 for every MBAR.
        self.offset_field.next = word.word_1.get_bits::<16>(8);
        for i in 0..4 {
            self.offset_field.next =
                self.offset_field.val().replace_bit(i, word.word_1.get_bit(i + 8) & word.word_0.get_bit(7));
        }
        self.offset.next = bit_cast::<32, 16>(self.offset_field.val());

        // The operation, and the destination of its result.
        self.mbar_kind.enable.next = self.enable.val();
        self.mbar_kind.instruction.next = self.instruction.val();
        self.mbar_kind.mode.next = self.mode.val();
        self.mbar_kind.arrival_mode.next = word.word_2.get_bits::<2>(17);
        self.mbar_operands.enable.next = self.enable.val();
        self.mbar_operands.immediate.next = bit_cast::<16, 32>(word.word_2);
        self.mbar_operands.rb.next = self.rb.val();
        self.mbar_operands.has_immediate.next = self.has_immediate.val();
        self.mbar_operands.number_from_rb.next = self.has_number.val() & !self.has_immediate.val();
        self.mbar_operands.is_wait.next = self.is_wait.val();
        self.mbar_operands.phase_in_bit_0.next = self.mode.val();
        if self.enable.val() {
            self.was_mbar_q.d.next = self.is_mbar.val();
            self.is_release.d.next = self.instruction.val().arrive & !word.word_2.get_bit(20);
            self.cluster_form.d.next = word.word_2.get_bit(21);
            self.rd.d.next = word.word_0.get_bits::<8>(16);
            if !self.instruction.val().arrive {
                self.rd.d.next = 255.into();
            }
            self.pu.d.next = word.word_3.get_bits::<3>(10);
            if !self.is_wait.val() {
                self.pu.d.next = 7.into();
            }
        }
        self.was_mbar.next = self.was_mbar_q.q.val();
        self.fields.next.request.mbarrier = self.mbar_kind.kind.val();
        self.fields.next.request.number = self.mbar_operands.number.val();
        self.fields.next.request.phase = self.mbar_operands.phase.val();
        self.fields.next.request.cluster = self.cluster_form.q.val();
        self.fields.next.release = self.is_release.q.val();
        self.fields.next.destination.rd = self.rd.q.val();
        self.fields.next.destination.pu = self.pu.q.val();
    }
}
