// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the MBAR instructions: is the word one of them, and what does it say.
//!
//! *Reads:* the instruction word, the value of its register. *Writes:* `legal`, `is_one`, the offset of the address; registered, of the last word taken: what it asks of an mbarrier,
//! where its result goes, which mean nothing where the word is none of these, but for the number, which is 0 then. *Latency:* 0 and 1.
//!
//! As in [`forms`](super::forms), a flat table of facts about the bits: nine forms of six operation types, this project's own; in each, every bit
//! that is not a field must be 0. Implements the instructions of `docs/isa.md` for mbarrier of spec 003.

use crate::prelude::*;

#[block]
pub struct MbarForms {
    pub clock: Signal<In, Clock>,
    /// The word is taken: the registers change.
    pub take: Signal<In, Bit>,
    pub word: Signal<In, InstructionWord>,
    pub rb: Signal<In, Bits<32>>,
    pub legal: Signal<Out, Bit>,
    /// The word is one of these, legal or not.
    pub is_one: Signal<Out, Bit>,
    /// What is to be added to the register for the address; of R2B nothing.
    pub offset: Signal<Out, Bits<32>>,
    /// The last word taken was one of these.
    pub was_one: Signal<Out, Bit>,
    pub request: Signal<Out, MbarrierRequest>,
    /// It waits for the accesses before it.
    pub release: Signal<Out, Bit>,
    pub destination: Signal<Out, Destination>,
    is_one_q: DFF<Bit>,
    does: DFF<MbarrierKind>,
    immediate: DFF<Bits<16>>,
    of_rb: DFF<Bits<21>>,
    too_large: DFF<Bit>,
    phase: DFF<Bit>,
    of_cluster: DFF<Bit>,
    in_order: DFF<Bit>,
    rd: DFF<Bits<8>>,
    pu: DFF<Bits<3>>,
    head: Signal<Local, Bits<12>>,
    is_local: Signal<Local, Bit>,
    inval: Signal<Local, Bit>,
    bytes: Signal<Local, Bit>,
    arrive: Signal<Local, Bit>,
    test: Signal<Local, Bit>,
    try_wait: Signal<Local, Bit>,
    has_rb: Signal<Local, Bit>,
    has_imm: Signal<Local, Bit>,
    number_of_rb: Signal<Local, Bit>,
    mode: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    near: Signal<Local, Bits<16>>,
    #[init(Constant::new(!Bits::<21>::default()))]
    most: Constant<Bits<21>>,
}

#[block]
impl Logic for MbarForms {
    fn update(&mut self) {
        self.head.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.is_local.next = (self.head.val() == 0xbe0) | (self.head.val() == 0x3e0);
        self.inval.next = self.head.val() == 0x3e8;
        self.bytes.next = (self.head.val() == 0xbe9) | (self.head.val() == 0x3e9);
        self.arrive.next = (self.head.val() == 0xbea) | (self.head.val() == 0x3ea);
        self.test.next = self.head.val() == 0x3eb;
        self.try_wait.next = self.head.val() == 0x3ec;

        // Which fields it has, and bits that it should not have.
        self.has_imm.next = self.try_wait.val()
            | (self.word.val().word_0.get_bit(11) & (self.is_local.val() | self.bytes.val() | self.arrive.val()));
        self.has_rb.next = self.test.val() | self.try_wait.val() | (!self.has_imm.val() & !self.inval.val());
        self.number_of_rb.next = (self.is_local.val() | self.bytes.val() | self.arrive.val()) & !self.has_imm.val();
        self.mode.next = self.word.val().word_2.get_bit(16);
        self.stray.next = (self.word.val().word_0.get_bits::<8>(16).any() & !self.arrive.val())
            | (self.word.val().word_1.get_bits::<8>(0).any() & !self.has_rb.val())
            | self.word.val().word_1.get_bits::<8>(24).any()
            | (self.word.val().word_2.get_bits::<16>(0).any() & !self.has_imm.val())
            | (self.mode.val() & self.inval.val())
            // The upper bits of the mode: only arrivals have them, and not both.
            | (self.word.val().word_2.get_bits::<2>(17).any() & !self.arrive.val())
            | self.word.val().word_2.get_bits::<2>(17).all()
            | self.word.val().word_2.get_bit(19)
            | (self.word.val().word_2.get_bit(20) & !self.arrive.val())
            | (self.word.val().word_2.get_bit(21) & !self.arrive.val() & !self.bytes.val())
            | self.word.val().word_2.get_bits::<10>(22).any()
            | self.word.val().word_3.get_bits::<10>(0).any()
            | (self.word.val().word_3.get_bits::<3>(10).any() & !self.test.val() & !self.try_wait.val());
        self.is_one.next = self.is_local.val()
            | self.inval.val()
            | self.bytes.val()
            | self.arrive.val()
            | self.test.val()
            | self.try_wait.val();
        self.legal.next = self.is_one.val() & !self.stray.val();

        // Where. R2B has its id in the lowest bits; its type differs in bit 7.
        self.near.next = self.word.val().word_1.get_bits::<16>(8);
        for i in 0..4 {
            self.near.next =
                self.near.val().replace_bit(i, self.word.val().word_1.get_bit(i + 8) & self.word.val().word_0.get_bit(7));
        }
        self.offset.next = bit_cast::<32, 16>(self.near.val());

        // What.
        if self.take.val() {
            self.is_one_q.d.next = self.is_one.val();
            self.does.d.next = MbarrierKind::Init;
            if self.is_local.val() & self.mode.val() {
                self.does.d.next = MbarrierKind::AddPending;
            }
            if self.inval.val() {
                self.does.d.next = MbarrierKind::Inval;
            }
            if self.bytes.val() {
                self.does.d.next = MbarrierKind::Expect;
                if self.mode.val() {
                    self.does.d.next = MbarrierKind::Complete;
                }
            }
            if self.arrive.val() {
                self.does.d.next = MbarrierKind::Arrive;
                if self.mode.val() {
                    self.does.d.next = MbarrierKind::ArriveExpect;
                }
                if self.word.val().word_2.get_bit(17) {
                    self.does.d.next = MbarrierKind::ArriveNoComplete;
                    if self.mode.val() {
                        self.does.d.next = MbarrierKind::Drop;
                    }
                }
                if self.word.val().word_2.get_bit(18) {
                    self.does.d.next = MbarrierKind::DropExpect;
                    if self.mode.val() {
                        self.does.d.next = MbarrierKind::DropNoComplete;
                    }
                }
            }
            if self.test.val() {
                self.does.d.next = MbarrierKind::TestWait;
            }
            if self.try_wait.val() {
                self.does.d.next = MbarrierKind::TryWait;
            }
            self.in_order.d.next = self.arrive.val() & !self.word.val().word_2.get_bit(20);
            self.of_cluster.d.next = self.word.val().word_2.get_bit(21);
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

            // How much; a wait's register holds its phase.
            self.immediate.d.next = bit_cast::<16, 32>(self.word.val().word_2);
            if !self.has_imm.val() {
                self.immediate.d.next = 0.into();
            }
            self.of_rb.d.next = bit_cast::<21, 32>(self.rb.val());
            self.too_large.d.next = self.rb.val().get_bits::<11>(21).any();
            if !self.number_of_rb.val() {
                self.of_rb.d.next = 0.into();
                self.too_large.d.next = false;
            }
        }
        self.was_one.next = self.is_one_q.q.val();
        self.request.next.mbarrier = self.does.q.val();
        self.request.next.number = self.of_rb.q.val() | bit_cast::<21, 16>(self.immediate.q.val());
        if self.too_large.q.val() {
            self.request.next.number = self.most.val();
        }
        self.request.next.phase = self.phase.q.val();
        self.request.next.cluster = self.of_cluster.q.val();
        self.release.next = self.in_order.q.val();
        self.destination.next.rd = self.rd.q.val();
        self.destination.next.pu = self.pu.q.val();
    }
}
