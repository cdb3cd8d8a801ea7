// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to shared memory, and the word that comes back.
//!
//! *Reads:* the item that is decided and what it asks for; the answers. *Writes:* the request channel (latency 1), whether another may be
//! offered, whether items must not start, the word that has come. *Latency:* 1. Implements the requests of `docs/mbarrier.md`.
//!
//! Answers come in the order of requests and nothing is asked while an item waits, so the last answer is the one it waits for.

use super::decide::Verdict;
use super::item::Word;
use super::mix::Mix;
use super::ports::{MemRequest, MemResponse};
use super::sums::Ctrl;
use crate::prelude::*;

#[block]
pub struct Memory<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    pub verdict: Signal<In, Verdict<W>>,
    /// A walk has come to its end, and waits for the requests that there are.
    pub closing: Signal<In, Bit>,
    pub request: Source<MemRequest<LC, XW>>,
    pub response: StrobeIn<MemResponse>,
    pub free: Signal<Out, Bit>,
    /// Every request is answered.
    pub quiet: Signal<Out, Bit>,
    pub halt: Signal<Out, Bit>,
    /// The word has come, for the item that is started; for the one that is inside.
    pub came: Signal<Out, Bit>,
    pub back: Signal<Out, Bit>,
    /// The word, 0 but when it has come.
    pub fill: Signal<Out, Word>,
    pub foreign: Signal<Out, Bit>,
    #[reset]
    offered: DFF<Bit>,
    #[reset]
    asked: DFF<MemRequest<LC, XW>>,
    data_q: DFF<Bits<64>>,
    #[reset]
    unanswered: DFF<Bits<2>>,
    #[reset]
    halted: DFF<Bit>,
    #[reset]
    has_come: DFF<Bit>,
    #[reset]
    is_back: DFF<Bit>,
    word: DFF<Word>,
    bit_0: DFF<Bit>,
    victim: Mix<LC, XI>,
    high: Signal<Local, Bits<XW>>,
    low: Signal<Local, Bits<XI>>,
    cta: Signal<Local, Bits<LC>>,
    data: Signal<Local, Bits<64>>,
    asks: Signal<Local, Bit>,
    more: Signal<Local, Bits<2>>,
    less: Signal<Local, Bits<2>>,
    no_word: Constant<Word>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
    #[init(Constant::new(((1u64 << (XW - XI)) - 1).into()))]
    high_mask: Constant<Bits<XT>>,
}

#[block]
impl Logic for Memory<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        // The object that the entry holds, from its tag.
        self.high.next = bit_cast::<XW, XT>(self.ctrl.val().found.tag & self.high_mask.val());
        self.cta.next = bit_cast::<LC, XT>(self.ctrl.val().found.tag >> self.high_bits.val());
        self.victim.high.next = bit_cast::<XI, XW>(self.high.val());
        self.victim.cta.next = self.cta.val();
        self.low.next = self.ctrl.val().entry ^ self.victim.rest.val();

        self.data.next = (bit_cast::<64, 20>(self.ctrl.val().found.word.expected) << 1)
            | (bit_cast::<64, 21>(self.ctrl.val().found.word.tx) << 21)
            | (bit_cast::<64, 20>(self.ctrl.val().found.word.pending) << 43);
        self.data.next = self.data.val().replace_bit(42, self.ctrl.val().found.word.spent);
        self.data.next = self.data.val().replace_bit(63, self.ctrl.val().found.word.phase);

        self.asks.next = self.verdict.val().writes_back | self.verdict.val().reads | self.verdict.val().erases;
        if self.asks.val() {
            self.asked.d.next.write = !self.verdict.val().reads;
            self.asked.d.next.cta = self.ctrl.val().item.cta;
            self.asked.d.next.object = self.ctrl.val().item.object;
            if self.verdict.val().writes_back {
                self.asked.d.next.cta = self.cta.val();
                self.asked.d.next.object = (self.high.val() << self.entry_bits.val()) | bit_cast::<XW, XI>(self.low.val());
            }
        }
        // Cleared by one signal, so that the registers do it.
        if self.verdict.val().writes_back {
            self.data_q.d.next = self.data.val();
        }
        if self.verdict.val().reads | self.verdict.val().erases | self.reset.val() {
            self.data_q.d.next = 0.into();
        }
        self.offered.d.next = self.asks.val() | (self.offered.q.val() & !self.request.ready.val());
        self.request.valid.next = self.offered.q.val();
        self.request.payload.next = self.asked.q.val();
        self.request.payload.next.data = self.data_q.q.val();

        self.more.next = bit_cast::<2, 1>(self.asks.val().into());
        self.less.next = bit_cast::<2, 1>(self.response.valid.val().into());
        self.unanswered.d.next = (self.unanswered.q.val() + self.more.val()) - self.less.val();
        self.free.next = !self.offered.q.val() & !self.unanswered.q.val().all() & !self.closing.val();
        self.quiet.next = !self.unanswered.q.val().any();

        // One waits until the last request is answered.
        if self.verdict.val().reads | self.verdict.val().erases {
            self.halted.d.next = true;
        }
        self.has_come.d.next = false;
        if self.halted.q.val() & self.response.valid.val() & (self.unanswered.q.val() == 1) {
            self.halted.d.next = false;
            self.has_come.d.next = true;
        }
        self.is_back.d.next = self.has_come.q.val();
        self.halt.next = self.halted.q.val();
        self.came.next = self.has_come.q.val();
        self.back.next = self.is_back.q.val();

        if self.response.valid.val() {
            self.word.d.next.expected = bit_cast::<20, 64>(self.response.payload.val().data >> 1);
            self.word.d.next.tx = bit_cast::<21, 64>(self.response.payload.val().data >> 21);
            self.word.d.next.spent = self.response.payload.val().data.get_bit(42);
            self.word.d.next.pending = bit_cast::<20, 64>(self.response.payload.val().data >> 43);
            self.word.d.next.phase = self.response.payload.val().data.get_bit(63);
            self.bit_0.d.next = self.response.payload.val().data.get_bit(0);
        }
        if !self.halted.q.val() & !self.has_come.q.val() {
            self.word.d.next = self.no_word.val();
            self.bit_0.d.next = false;
        }
        self.fill.next = self.word.q.val();
        self.foreign.next = self.bit_0.q.val();
    }
}
