// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the MBAR instructions: is the word one of them, and what does it say.
//!
//! *Reads:* the instruction word, the values of its registers. *Writes:* `legal`; what it asks of an mbarrier, at which address, where its result
//! goes, as unused where the form does not have it or the word is none of these. *Latency:* 0, no state.
//!
//! As in [`forms`](super::forms), a flat table of facts about the bits: nine forms of six operation types, this project's own; in each, every bit
//! that is not a field must be 0. Implements the instructions of `docs/isa.md` for mbarrier of spec 003.

use crate::prelude::*;

#[block]
pub struct MbarForms {
    pub word: Signal<In, InstructionWord>,
    pub ra: Signal<In, Bits<32>>,
    pub rb: Signal<In, Bits<32>>,
    pub legal: Signal<Out, Bit>,
    pub request: Signal<Out, MbarrierRequest>,
    /// It waits for the accesses before it.
    pub release: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub destination: Signal<Out, Destination>,
    head: Signal<Local, Bits<12>>,
    local: Signal<Local, Bit>,
    inval: Signal<Local, Bit>,
    bytes: Signal<Local, Bit>,
    arrive: Signal<Local, Bit>,
    test: Signal<Local, Bit>,
    try_wait: Signal<Local, Bit>,
    has_rb: Signal<Local, Bit>,
    has_imm: Signal<Local, Bit>,
    mode: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    near: Signal<Local, Bits<16>>,
    offset: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    imm: Signal<Local, Bits<16>>,
    above: Signal<Local, Bit>,
    nothing: Constant<MbarrierRequest>,
    #[init(Constant::new(!Bits::<21>::default()))]
    most: Constant<Bits<21>>,
}

#[block]
impl Logic for MbarForms {
    fn update(&mut self) {
        self.head.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.local.next = (self.head.val() == 0xbe0) | (self.head.val() == 0x3e0);
        self.inval.next = self.head.val() == 0x3e8;
        self.bytes.next = (self.head.val() == 0xbe9) | (self.head.val() == 0x3e9);
        self.arrive.next = (self.head.val() == 0xbea) | (self.head.val() == 0x3ea);
        self.test.next = self.head.val() == 0x3eb;
        self.try_wait.next = self.head.val() == 0x3ec;

        // Which fields it has, and bits that it should not have.
        self.has_imm.next = self.try_wait.val()
            | (self.word.val().word_0.get_bit(11) & (self.local.val() | self.bytes.val() | self.arrive.val()));
        self.has_rb.next = self.test.val() | self.try_wait.val() | (!self.has_imm.val() & !self.inval.val());
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
        self.legal.next = (self.local.val()
            | self.inval.val()
            | self.bytes.val()
            | self.arrive.val()
            | self.test.val()
            | self.try_wait.val())
            & !self.stray.val();

        // Where.
        self.near.next = self.word.val().word_1.get_bits::<16>(8);
        self.offset.next = bit_cast::<32, 16>(self.near.val());
        self.sum.next = self.ra.val() + self.offset.val();
        self.address.next = self.sum.val();

        // What.
        self.request.next = self.nothing.val();
        self.release.next = false;
        self.destination.next.rd = 255.into();
        self.destination.next.pu = 7.into();
        self.imm.next = bit_cast::<16, 32>(self.word.val().word_2);
        self.above.next = self.rb.val().get_bits::<11>(21).any();
        if self.legal.val() {
            if self.local.val() & self.mode.val() {
                self.request.next.mbarrier = MbarrierKind::AddPending;
            }
            if self.inval.val() {
                self.request.next.mbarrier = MbarrierKind::Inval;
            }
            if self.bytes.val() {
                self.request.next.mbarrier = MbarrierKind::Expect;
                if self.mode.val() {
                    self.request.next.mbarrier = MbarrierKind::Complete;
                }
            }
            if self.arrive.val() {
                self.request.next.mbarrier = MbarrierKind::Arrive;
                if self.mode.val() {
                    self.request.next.mbarrier = MbarrierKind::ArriveExpect;
                }
                if self.word.val().word_2.get_bit(17) {
                    self.request.next.mbarrier = MbarrierKind::ArriveNoComplete;
                    if self.mode.val() {
                        self.request.next.mbarrier = MbarrierKind::Drop;
                    }
                }
                if self.word.val().word_2.get_bit(18) {
                    self.request.next.mbarrier = MbarrierKind::DropExpect;
                    if self.mode.val() {
                        self.request.next.mbarrier = MbarrierKind::DropNoComplete;
                    }
                }
                self.release.next = !self.word.val().word_2.get_bit(20);
                self.destination.next.rd = self.word.val().word_0.get_bits::<8>(16);
            }
            self.request.next.cluster = self.word.val().word_2.get_bit(21);
            if self.test.val() | self.try_wait.val() {
                self.request.next.mbarrier = MbarrierKind::TestWait;
                if self.try_wait.val() {
                    self.request.next.mbarrier = MbarrierKind::TryWait;
                }
                self.request.next.phase = self.rb.val().get_bit(31);
                if self.mode.val() {
                    self.request.next.phase = self.rb.val().get_bit(0);
                }
                self.destination.next.pu = self.word.val().word_3.get_bits::<3>(10);
            }

            // How much; a wait's register holds its phase.
            if self.has_rb.val() & !self.test.val() {
                self.request.next.number = bit_cast::<21, 32>(self.rb.val());
                if self.above.val() {
                    self.request.next.number = self.most.val();
                }
            }
            if self.has_imm.val() {
                self.request.next.number = bit_cast::<21, 16>(self.imm.val());
            }
        }
    }
}
