// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to shared memory, and the word that memory returns.
//!
//! *Reads:* the item in the decide stage and the requests of its decision; the responses. *Writes:* the request channel; whether
//! another request may be offered; whether items must not start; the word that was returned. *Latency:* 1. Implements the requests
//! of `docs/contract/mbarrier.md`.
//!
//! Memory responds in the order of the requests, and no request is made while an item waits, so the last response is the one
//! that the item waits for.

use super::decide::Decision;
use super::index_hash::IndexHash;
use super::item::Word;
use super::ports::{MemRequest, MemResponse};
use super::sums::Ctrl;
use crate::prelude::*;

#[block]
pub struct Memory<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Outcome of the decision: the requests of the item.
    pub decision: Signal<In, Decision<W>>,
    /// The last step of a walk is done; the walk ends once every request is answered, and no request is made before.
    pub walk_done: Signal<In, Bit>,
    /// Requests to shared memory.
    pub request: Source<MemRequest<LC, XW>>,
    /// Responses of shared memory.
    pub response: StrobeIn<MemResponse>,
    /// A request may be offered.
    pub free: Signal<Out, Bit>,
    /// Every request is answered.
    pub quiet: Signal<Out, Bit>,
    /// An item waits for memory: no item is started.
    pub halt: Signal<Out, Bit>,
    /// The word was returned, for the item that is started.
    pub fill_valid: Signal<Out, Bit>,
    /// The word was returned, for the item in the sums stage.
    pub word_returned: Signal<Out, Bit>,
    /// The word; 0 unless an item waits for it or takes it.
    pub fill: Signal<Out, Word>,
    /// Bit 0 of the word: 1 = another layout, so the word is not an mbarrier object.
    pub bad_layout: Signal<Out, Bit>,
    /// A request is offered.
    #[reset]
    offered: DFF<Bit>,
    /// The request, without its data.
    #[reset]
    asked: DFF<MemRequest<LC, XW>>,
    /// Data of the request.
    data_q: DFF<Bits<64>>,
    /// Number of requests that are not answered.
    #[reset]
    unanswered: DFF<Bits<2>>,
    /// An item waits for memory.
    #[reset]
    halted: DFF<Bit>,
    /// The request that an item waits for was answered in the cycle before.
    #[reset]
    has_come: DFF<Bit>,
    /// `has_come` of the cycle before.
    #[reset]
    has_returned: DFF<Bit>,
    /// The word that was returned.
    word: DFF<Word>,
    /// Bit 0 of the word that was returned.
    bit_0: DFF<Bit>,
    /// Computes the low bits of the word number of the object that the entry holds.
    victim: IndexHash<LC, XI>,
    /// Word number of the entry's object without its lowest `XI` bits.
    high: Signal<Local, Bits<XW>>,
    /// The lowest `XI` bits of that word number.
    low: Signal<Local, Bits<XI>>,
    /// CTA slot of the entry's object.
    cta: Signal<Local, Bits<LC>>,
    /// The word of the entry's object as memory holds it.
    data: Signal<Local, Bits<64>>,
    /// A request is made.
    asks: Signal<Local, Bit>,
    /// 1 if a request is made.
    more: Signal<Local, Bits<2>>,
    /// 1 if a request is answered.
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
        // CTA slot and word number of the object that the entry holds, from its tag.
        self.high.next = bit_cast::<XW, XT>(self.ctrl.val().found.tag & self.high_mask.val());
        self.cta.next = bit_cast::<LC, XT>(self.ctrl.val().found.tag >> self.high_bits.val());
        self.victim.high.next = bit_cast::<XI, XW>(self.high.val());
        self.victim.cta.next = self.cta.val();
        self.low.next = self.ctrl.val().entry ^ self.victim.hash.val();

        self.data.next = (bit_cast::<64, 20>(self.ctrl.val().found.word.expected) << 1)
            | (bit_cast::<64, 21>(self.ctrl.val().found.word.tx) << 21)
            | (bit_cast::<64, 20>(self.ctrl.val().found.word.pending) << 43);
        self.data.next = self.data.val().replace_bit(42, self.ctrl.val().found.word.spent);
        self.data.next = self.data.val().replace_bit(63, self.ctrl.val().found.word.phase);

        self.asks.next = self.decision.val().writes_back | self.decision.val().reads | self.decision.val().erases;
        if self.asks.val() {
            self.asked.d.next.write = !self.decision.val().reads;
            self.asked.d.next.cta = self.ctrl.val().item.cta;
            self.asked.d.next.object = self.ctrl.val().item.object;
            if self.decision.val().writes_back {
                self.asked.d.next.cta = self.cta.val();
                self.asked.d.next.object = (self.high.val() << self.entry_bits.val()) | bit_cast::<XW, XI>(self.low.val());
            }
        }
        // Cleared by one condition, so that it becomes the synchronous reset of the flip-flops.
        if self.decision.val().writes_back {
            self.data_q.d.next = self.data.val();
        }
        if self.decision.val().reads | self.decision.val().erases | self.reset.val() {
            self.data_q.d.next = 0.into();
        }
        self.offered.d.next = self.asks.val() | (self.offered.q.val() & !self.request.ready.val());
        self.request.valid.next = self.offered.q.val();
        self.request.payload.next = self.asked.q.val();
        self.request.payload.next.data = self.data_q.q.val();

        self.more.next = bit_cast::<2, 1>(self.asks.val().into());
        self.less.next = bit_cast::<2, 1>(self.response.valid.val().into());
        self.unanswered.d.next = (self.unanswered.q.val() + self.more.val()) - self.less.val();
        self.free.next = !self.offered.q.val() & !self.unanswered.q.val().all() & !self.walk_done.val();
        self.quiet.next = !self.unanswered.q.val().any();

        // The item waits until the last request is answered.
        if self.decision.val().reads | self.decision.val().erases {
            self.halted.d.next = true;
        }
        self.has_come.d.next = false;
        if self.halted.q.val() & self.response.valid.val() & (self.unanswered.q.val() == 1) {
            self.halted.d.next = false;
            self.has_come.d.next = true;
        }
        self.has_returned.d.next = self.has_come.q.val();
        self.halt.next = self.halted.q.val();
        self.fill_valid.next = self.has_come.q.val();
        self.word_returned.next = self.has_returned.q.val();

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
        self.bad_layout.next = self.bit_0.q.val();
    }
}
