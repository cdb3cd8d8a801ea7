// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the MBAR instructions: whether an instruction word has one of them, and the mbarrier operation that it encodes.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_mbar`, the offset of the address; in
//! registers, of the last word taken: the mbarrier operation and the destination of its result. If that word is no MBAR
//! instruction, these are meaningless, except for the number, which is 0. *Latency:* 0 and 1.
//!
//! As in [`forms`](super::forms), a flat table of facts about the bits: nine forms of six operation types, encoded by this
//! project; in each, every bit that is not a field must be 0. Implements the instructions of `docs/contract/isa.md` for mbarrier of spec
//! 003.

use crate::prelude::*;

#[block]
pub struct MbarForms {
    pub clock: Signal<In, Clock>,
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
    /// The offset that is added to the register for the address; 0 for R2B.
    pub offset: Signal<Out, Bits<32>>,
    /// The last word taken was an MBAR instruction.
    pub was_mbar: Signal<Out, Bit>,
    /// The mbarrier operation of the last word taken.
    pub request: Signal<Out, MbarrierRequest>,
    /// The last word taken is an arrival that waits for the memory accesses before it.
    pub release: Signal<Out, Bit>,
    /// The destination of its result.
    pub destination: Signal<Out, Destination>,
    /// The last word taken was an MBAR instruction.
    is_mbar_q: DFF<Bit>,
    /// Kind of the operation.
    kind: DFF<MbarrierKind>,
    /// Value of the immediate; 0 if the word has none.
    immediate: DFF<Bits<16>>,
    /// Number in rb; 0 if the number does not come from rb.
    rb_number: DFF<Bits<21>>,
    /// The number comes from rb and does not fit in 21 bits.
    too_large: DFF<Bit>,
    /// Phase that a wait tests.
    phase: DFF<Bit>,
    /// The form is that for shared memory of the cluster.
    cluster_form: DFF<Bit>,
    /// The operation is an arrival that waits for the memory accesses before it.
    is_release: DFF<Bit>,
    /// Destination register; 255 = none.
    rd: DFF<Bits<8>>,
    /// Destination predicate; 7 = none.
    pu: DFF<Bits<3>>,
    /// Bits 11:0 of the word: form and operation type.
    opcode: Signal<Local, Bits<12>>,
    /// MBAR.INIT or MBAR.ADD.
    is_local: Signal<Local, Bit>,
    /// MBAR.INVAL.
    inval: Signal<Local, Bit>,
    /// MBAR.EXPECT or MBAR.COMPLETE.
    bytes: Signal<Local, Bit>,
    /// MBAR.ARRIVE or MBAR.DROP.
    arrive: Signal<Local, Bit>,
    /// MBAR.TEST.
    test: Signal<Local, Bit>,
    /// MBAR.TRY.
    try_wait: Signal<Local, Bit>,
    /// The word has a field for rb.
    has_rb: Signal<Local, Bit>,
    /// The word has a field for an immediate.
    has_imm: Signal<Local, Bit>,
    /// The number comes from rb.
    number_from_rb: Signal<Local, Bit>,
    /// The lowest bit of the mode.
    mode: Signal<Local, Bit>,
    /// A bit outside the fields of the word is 1.
    stray: Signal<Local, Bit>,
    /// The offset field, with its lowest 4 bits 0 for R2B.
    offset_field: Signal<Local, Bits<16>>,
    /// The code for all numbers that do not fit.
    #[init(Constant::new(!Bits::<21>::default()))]
    overflow_code: Constant<Bits<21>>,
}

#[block]
impl Logic for MbarForms {
    fn update(&mut self) {
        self.opcode.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.is_local.next = (self.opcode.val() == 0xbe0) | (self.opcode.val() == 0x3e0);
        self.inval.next = self.opcode.val() == 0x3e8;
        self.bytes.next = (self.opcode.val() == 0xbe9) | (self.opcode.val() == 0x3e9);
        self.arrive.next = (self.opcode.val() == 0xbea) | (self.opcode.val() == 0x3ea);
        self.test.next = self.opcode.val() == 0x3eb;
        self.try_wait.next = self.opcode.val() == 0x3ec;

        // The fields of the word, and bits outside them that must be 0.
        self.has_imm.next = self.try_wait.val()
            | (self.word.val().word_0.get_bit(11) & (self.is_local.val() | self.bytes.val() | self.arrive.val()));
        self.has_rb.next = self.test.val() | self.try_wait.val() | (!self.has_imm.val() & !self.inval.val());
        self.number_from_rb.next = (self.is_local.val() | self.bytes.val() | self.arrive.val()) & !self.has_imm.val();
        self.mode.next = self.word.val().word_2.get_bit(16);
        self.stray.next = (self.word.val().word_0.get_bits::<8>(16).any() & !self.arrive.val())
            | (self.word.val().word_1.get_bits::<8>(0).any() & !self.has_rb.val())
            | self.word.val().word_1.get_bits::<8>(24).any()
            | (self.word.val().word_2.get_bits::<16>(0).any() & !self.has_imm.val())
            | (self.mode.val() & self.inval.val())
            // The upper two bits of the mode: only arrivals have them, and at most one of them is 1.
            | (self.word.val().word_2.get_bits::<2>(17).any() & !self.arrive.val())
            | self.word.val().word_2.get_bits::<2>(17).all()
            | self.word.val().word_2.get_bit(19)
            | (self.word.val().word_2.get_bit(20) & !self.arrive.val())
            | (self.word.val().word_2.get_bit(21) & !self.arrive.val() & !self.bytes.val())
            | self.word.val().word_2.get_bits::<10>(22).any()
            | self.word.val().word_3.get_bits::<10>(0).any()
            | (self.word.val().word_3.get_bits::<3>(10).any() & !self.test.val() & !self.try_wait.val());
        self.is_mbar.next = self.is_local.val()
            | self.inval.val()
            | self.bytes.val()
            | self.arrive.val()
            | self.test.val()
            | self.try_wait.val();
        self.legal.next = self.is_mbar.val() & !self.stray.val();

        // The offset. R2B has its id in the lowest bits; its operation type differs in bit 7.
        self.offset_field.next = self.word.val().word_1.get_bits::<16>(8);
        for i in 0..4 {
            self.offset_field.next = self
                .offset_field
                .val()
                .replace_bit(i, self.word.val().word_1.get_bit(i + 8) & self.word.val().word_0.get_bit(7));
        }
        self.offset.next = bit_cast::<32, 16>(self.offset_field.val());

        // The kind of operation, its phase, and the destination of its result.
        if self.enable.val() {
            self.is_mbar_q.d.next = self.is_mbar.val();
            self.kind.d.next = MbarrierKind::Init;
            if self.is_local.val() & self.mode.val() {
                self.kind.d.next = MbarrierKind::AddPending;
            }
            if self.inval.val() {
                self.kind.d.next = MbarrierKind::Inval;
            }
            if self.bytes.val() {
                self.kind.d.next = MbarrierKind::Expect;
                if self.mode.val() {
                    self.kind.d.next = MbarrierKind::Complete;
                }
            }
            if self.arrive.val() {
                self.kind.d.next = MbarrierKind::Arrive;
                if self.mode.val() {
                    self.kind.d.next = MbarrierKind::ArriveExpect;
                }
                if self.word.val().word_2.get_bit(17) {
                    self.kind.d.next = MbarrierKind::ArriveNoComplete;
                    if self.mode.val() {
                        self.kind.d.next = MbarrierKind::Drop;
                    }
                }
                if self.word.val().word_2.get_bit(18) {
                    self.kind.d.next = MbarrierKind::DropExpect;
                    if self.mode.val() {
                        self.kind.d.next = MbarrierKind::DropNoComplete;
                    }
                }
            }
            if self.test.val() {
                self.kind.d.next = MbarrierKind::TestWait;
            }
            if self.try_wait.val() {
                self.kind.d.next = MbarrierKind::TryWait;
            }
            self.is_release.d.next = self.arrive.val() & !self.word.val().word_2.get_bit(20);
            self.cluster_form.d.next = self.word.val().word_2.get_bit(21);
            self.phase.d.next = self.rb.val().get_bit(31);
            if self.mode.val() {
                self.phase.d.next = self.rb.val().get_bit(0);
            }
            if !self.test.val() & !self.try_wait.val() {
                self.phase.d.next = false;
            }
            self.rd.d.next = self.word.val().word_0.get_bits::<8>(16);
            if !self.arrive.val() {
                self.rd.d.next = 255.into();
            }
            self.pu.d.next = self.word.val().word_3.get_bits::<3>(10);
            if !self.test.val() & !self.try_wait.val() {
                self.pu.d.next = 7.into();
            }

            // The number; the register of a wait holds its phase instead.
            self.immediate.d.next = bit_cast::<16, 32>(self.word.val().word_2);
            if !self.has_imm.val() {
                self.immediate.d.next = 0.into();
            }
            self.rb_number.d.next = bit_cast::<21, 32>(self.rb.val());
            self.too_large.d.next = self.rb.val().get_bits::<11>(21).any();
            if !self.number_from_rb.val() {
                self.rb_number.d.next = 0.into();
                self.too_large.d.next = false;
            }
        }
        self.was_mbar.next = self.is_mbar_q.q.val();
        self.request.next.mbarrier = self.kind.q.val();
        self.request.next.number = self.rb_number.q.val() | bit_cast::<21, 16>(self.immediate.q.val());
        if self.too_large.q.val() {
            self.request.next.number = self.overflow_code.val();
        }
        self.request.next.phase = self.phase.q.val();
        self.request.next.cluster = self.cluster_form.q.val();
        self.release.next = self.is_release.q.val();
        self.destination.next.rd = self.rd.q.val();
        self.destination.next.pu = self.pu.q.val();
    }
}
