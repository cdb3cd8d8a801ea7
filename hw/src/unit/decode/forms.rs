// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes BAR, BAR_RED, B2R, B2R_RESULT and R2B (spec 001), and this project's FENCE, CLUSTER and GRID: whether the word is legal, and
//! the operation that the word encodes.
//!
//! *Reads:* the instruction word, the values of its registers. *Writes:* in the same cycle whether the word is one of these instructions
//! and legal, and its properties; one cycle after the word is taken the kind and the operands of its operation. An operand that the form
//! does not have is meaningless; so are all fields of an illegal word. *Latency:* 0 for the word, 1 for `fields`.
//!
//! The instructions have fourteen forms, distinguished by optype and stype (bits 11:0 of the word). In each form every bit that is
//! not a field must be 0. Bits 127:109 are reserved for control information and ignored.

use super::id_and_count::IdAndCount;
use super::opcode_table::OpcodeTable;
use super::operation_kind::OperationKind;
use super::payloads::{FormFields, InstructionFlags, SourceFlags};
use crate::prelude::*;

#[block]
pub struct Forms {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    pub word: Signal<In, InstructionWord>,
    pub ra: Signal<In, Bits<32>>,
    pub rb: Signal<In, Bits<32>>,
    pub legal: Signal<Out, Bit>,
    /// The word reads or writes state: B2R, B2R_RESULT or R2B.
    pub accesses_state: Signal<Out, Bit>,
    /// An operand comes from a register, so it may differ between lanes.
    pub uses_registers: Signal<Out, Bit>,
    /// The word is a reduction (BAR_RED).
    pub is_reduction: Signal<Out, Bit>,
    /// The predicate is negated.
    pub negated: Signal<Out, Bit>,
    /// The fields of the operation of the last word taken.
    pub fields: Signal<Out, FormFields>,
    #[init(OpcodeTable::new(config))]
    opcode_table: OpcodeTable,
    operation_kind: OperationKind,
    #[init(IdAndCount::new(config))]
    id_and_count: IdAndCount,
    rd: DFF<Bits<8>>,
    pu: DFF<Bits<3>>,
    instruction: Signal<Local, InstructionFlags>,
    sources: Signal<Local, SourceFlags>,
    /// The opcode is that of an instruction that this block decodes.
    opcode_known: Signal<Local, Bit>,
    has_rd: Signal<Local, Bit>,
    has_ra: Signal<Local, Bit>,
    has_rb: Signal<Local, Bit>,
    has_id: Signal<Local, Bit>,
    has_count: Signal<Local, Bit>,
    /// The lower bit of the mode: bit 80 of the word.
    mode: Signal<Local, Bit>,
    /// The upper bit of the mode: bit 81 of the word.
    upper_mode: Signal<Local, Bit>,
    /// A bit that is not a field of the form is 1.
    stray: Signal<Local, Bit>,
}

#[block]
impl Logic for Forms {
    fn update(&mut self) {
        let word = self.word.val();
        self.opcode_table.opcode.next = bit_cast::<12, 32>(word.word_0);
        self.instruction.next = self.opcode_table.instruction.val();
        self.sources.next = self.opcode_table.sources.val();

        // The fields of the form, and the bits that must be 0.
        self.has_rd.next = self.instruction.val().b2r | self.instruction.val().b2r_result;
        self.has_ra.next = self.sources.val().bar_rr | self.instruction.val().r2b;
        self.has_rb.next =
            (self.instruction.val().bar & !self.sources.val().bar_i) | (self.instruction.val().red & !self.sources.val().red_i);
        self.has_id.next = self.sources.val().bar_i
            | self.sources.val().bar_rir
            | self.sources.val().red_i
            | self.sources.val().red_rir
            | self.instruction.val().b2r
            | self.instruction.val().r2b;
        self.has_count.next =
            self.sources.val().bar_i | self.sources.val().bar_rri | self.sources.val().red_i | self.sources.val().red_rri;
        self.mode.next = word.word_2.get_bit(16);
        self.upper_mode.next = word.word_2.get_bit(17);
        self.stray.next = (word.word_0.get_bits::<8>(16).any() & !self.has_rd.val())
            | (word.word_0.get_bits::<8>(24).any() & !self.has_ra.val())
            | (word.word_1.get_bits::<8>(0).any() & !self.has_rb.val())
            | (word.word_1.get_bits::<4>(8).any() & !self.has_id.val())
            | (word.word_1.get_bits::<12>(12).any() & !self.has_count.val())
            | word.word_1.get_bits::<8>(24).any()
            | word.word_2.get_bits::<16>(0).any()
            | (self.mode.val() & (self.instruction.val().b2r_result | self.instruction.val().fence))
            // The upper bit of the mode must be 0, except for BAR_RED and CLUSTER; for these two, the two bits must not both be 1.
            | (self.upper_mode.val() & (!(self.instruction.val().red | self.instruction.val().cluster) | self.mode.val()))
            | word.word_2.get_bits::<14>(18).any()
            | word.word_3.get_bits::<2>(0).any()
            | (word.word_3.get_bits::<4>(2).any() & !self.instruction.val().red)
            | word.word_3.get_bits::<4>(6).any()
            | (word.word_3.get_bits::<3>(10).any() & !self.instruction.val().b2r_result);
        self.opcode_known.next = self.instruction.val().bar
            | self.instruction.val().red
            | self.has_rd.val()
            | self.instruction.val().r2b
            | self.instruction.val().fence
            | self.instruction.val().cluster
            | self.instruction.val().grid;
        self.legal.next = self.opcode_known.val() & !self.stray.val();
        self.accesses_state.next = self.has_rd.val() | self.instruction.val().r2b;
        self.uses_registers.next = self.has_rb.val() | self.instruction.val().r2b;
        self.is_reduction.next = self.instruction.val().red;
        self.negated.next = word.word_3.get_bit(5);

        // The operation that the word encodes.
        self.operation_kind.enable.next = self.enable.val();
        self.operation_kind.instruction.next = self.instruction.val();
        self.operation_kind.mode.next = self.mode.val();
        self.operation_kind.upper_mode.next = self.upper_mode.val();
        self.id_and_count.enable.next = self.enable.val();
        self.id_and_count.id_field.next = word.word_1.get_bits::<4>(8);
        self.id_and_count.count_field.next = word.word_1.get_bits::<12>(12);
        self.id_and_count.ra.next = self.ra.val();
        self.id_and_count.rb.next = self.rb.val();
        // B2R and R2B in WARP mode ignore the id.
        self.id_and_count.id_from_word.next =
            self.has_id.val() & (self.instruction.val().bar | self.instruction.val().red | self.mode.val());
        self.id_and_count.id_from_ra.next = self.sources.val().bar_rr;
        self.id_and_count.id_from_rb.next = self.sources.val().red_r | self.sources.val().red_rri | self.sources.val().bar_rri;
        self.id_and_count.count_from_word.next = self.has_count.val();
        self.id_and_count.count_from_rb.next = self.has_rb.val() & !self.has_count.val();
        self.id_and_count.is_packed.next = self.sources.val().red_r;
        if self.enable.val() {
            self.rd.d.next = word.word_0.get_bits::<8>(16);
            self.pu.d.next = word.word_3.get_bits::<3>(10);
            if self.instruction.val().b2r {
                self.pu.d.next = 7.into();
            }
        }
        self.fields.next.kind = self.operation_kind.kind.val();
        self.fields.next.redop = self.operation_kind.redop.val();
        self.fields.next.state = self.operation_kind.state.val();
        self.fields.next.id = self.id_and_count.id.val();
        self.fields.next.count = self.id_and_count.count.val();
        self.fields.next.destination.rd = self.rd.q.val();
        self.fields.next.destination.pu = self.pu.q.val();
    }
}
