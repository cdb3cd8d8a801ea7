// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to shared memory, and the word that memory returns.
//!
//! *Reads:* the item in the decide stage and the requests of its decision; the responses. *Writes:* the request channel; whether
//! another request may be offered; whether items must not start; the word that was returned. *Latency:* 1. Implements the requests
//! of `docs/contract/mbarrier.md`.
//!
//! Memory responds in the order of the requests, and no request is made while an item waits, so the item waits for the last
//! response.

use super::index_hash::IndexHash;
use super::item::{Entry, ObjectPlace, Word};
use super::payloads::Requests;
use super::ports::{MemRequest, MemResponse};
use super::word_layout::WordLayout;
use crate::prelude::*;

/// Sizes: `W` warps, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers of `XI` bits, cache tags
/// of `XT` bits.
#[block]
pub struct Memory<W, LC, XW, XI, XT> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The requests of the item in the decide stage.
    pub requests: Signal<In, Requests>,
    /// The object of the item.
    pub place: Signal<In, ObjectPlace<LC, XW>>,
    /// Number of the item's entry.
    pub entry: Signal<In, Bits<XI>>,
    /// The entry as the item found it.
    pub entry_data: Signal<In, Entry<W, XT>>,
    /// The last step of a walk is done. The walk ends once every request is answered; until then no request is made.
    pub walk_done: Signal<In, Bit>,
    /// Requests to shared memory.
    pub request: Source<MemRequest<LC, XW>>,
    /// Responses of shared memory.
    pub response: StrobeIn<MemResponse>,
    /// A request may be offered from the next cycle on.
    pub can_request: Signal<Out, Bit>,
    /// Every request is answered.
    pub requests_answered: Signal<Out, Bit>,
    /// An item waits for memory: no item is started.
    pub halt: Signal<Out, Bit>,
    /// The item that is started takes the word that memory has returned.
    pub fill_valid: Signal<Out, Bit>,
    /// The item in the sums stage takes the word that memory has returned.
    pub word_returned: Signal<Out, Bit>,
    /// The word that memory has returned; 0 in cycles in which no item waits for a word or takes one.
    pub fill: Signal<Out, Word>,
    /// Bit 0 of the word that memory has returned: 1 = the word is not an mbarrier object.
    pub bad_layout: Signal<Out, Bit>,
    /// A request is offered.
    #[reset]
    request_offered: DFF<Bit>,
    /// The request, without its data.
    #[reset]
    request_q: DFF<MemRequest<LC, XW>>,
    /// Data of the request.
    data_q: DFF<Bits<64>>,
    /// Number of requests that memory has not answered.
    #[reset]
    unanswered_count: DFF<Bits<2>>,
    /// An item waits for memory.
    #[reset]
    halted: DFF<Bit>,
    /// The request that an item waits for was answered in the previous cycle.
    #[reset]
    fill_valid_q: DFF<Bit>,
    /// `fill_valid_q` of the previous cycle.
    #[reset]
    word_returned_q: DFF<Bit>,
    /// The word that memory returned last; 0 while no item waits for a word or takes one.
    word: DFF<Word>,
    /// Bit 0 of the word that memory returned last: 1 = the word is not an mbarrier object.
    layout_bit: DFF<Bit>,
    /// Computes the index hash of the object that the entry holds; `object_low` is derived from the hash.
    victim_hash: IndexHash<LC, XI>,
    word_layout: WordLayout,
    /// Word number of the entry's object without the bits of `object_low`.
    object_high: Signal<Local, Bits<XW>>,
    /// The lowest bits of the word number of the entry's object, as many as an entry number has.
    object_low: Signal<Local, Bits<XI>>,
    /// CTA slot of the entry's object.
    object_cta: Signal<Local, Bits<LC>>,
    /// The item in the decide stage makes a request; the request is offered from the next cycle on.
    makes_request: Signal<Local, Bit>,
    /// A response arrives, and an item waits for it.
    is_awaited_response: Signal<Local, Bit>,
    /// 1 if a request is made, else 0.
    request_increment: Signal<Local, Bits<2>>,
    /// 1 if a request is answered, else 0.
    answer_decrement: Signal<Local, Bits<2>>,
    no_word: Constant<Word>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
    #[init(Constant::new(((1u64 << (XW - XI)) - 1).into()))]
    high_mask: Constant<Bits<XT>>,
}

#[block]
impl Logic for Memory {
    fn update(&mut self) {
        let requests = self.requests.val();
        let entry_data = self.entry_data.val();
        // CTA slot and word number of the object that the entry holds, from its tag.
        self.object_high.next = bit_cast::<XW, XT>(entry_data.tag & self.high_mask.val());
        self.object_cta.next = bit_cast::<LC, XT>(entry_data.tag >> self.high_bits.val());
        self.victim_hash.object_high.next = bit_cast::<XI, XW>(self.object_high.val());
        self.victim_hash.cta.next = self.object_cta.val();
        self.object_low.next = self.entry.val() ^ self.victim_hash.hash.val();

        self.word_layout.word.next = entry_data.word;

        self.makes_request.next = requests.writes_back | requests.reads | requests.erases;
        if self.makes_request.val() {
            self.request_q.d.next.write = !requests.reads;
            self.request_q.d.next.cta = self.place.val().cta;
            self.request_q.d.next.object = self.place.val().object;
            if requests.writes_back {
                self.request_q.d.next.cta = self.object_cta.val();
                self.request_q.d.next.object =
                    (self.object_high.val() << self.entry_bits.val()) | bit_cast::<XW, XI>(self.object_low.val());
            }
        }
        // `data_q` is cleared by one condition, which becomes the synchronous reset of its flip-flops.
        if requests.writes_back {
            self.data_q.d.next = self.word_layout.memory_word.val();
        }
        if requests.reads | requests.erases | self.reset.val() {
            self.data_q.d.next = 0.into();
        }
        self.request_offered.d.next = self.makes_request.val() | (self.request_offered.q.val() & !self.request.ready.val());
        self.request.valid.next = self.request_offered.q.val();
        self.request.payload.next = self.request_q.q.val();
        self.request.payload.next.data = self.data_q.q.val();

        self.request_increment.next = bit_cast::<2, 1>(self.makes_request.val().into());
        self.answer_decrement.next = bit_cast::<2, 1>(self.response.valid.val().into());
        self.unanswered_count.d.next =
            (self.unanswered_count.q.val() + self.request_increment.val()) - self.answer_decrement.val();
        self.can_request.next = !self.request_offered.q.val() & !self.unanswered_count.q.val().all() & !self.walk_done.val();
        self.requests_answered.next = !self.unanswered_count.q.val().any();

        // An item that reads its word, or erases it, waits until all requests are answered: the request of the item is the last.
        if requests.reads | requests.erases {
            self.halted.d.next = true;
        }
        self.is_awaited_response.next = self.halted.q.val() & self.response.valid.val() & (self.unanswered_count.q.val() == 1);
        self.fill_valid_q.d.next = false;
        if self.is_awaited_response.val() {
            self.halted.d.next = false;
            self.fill_valid_q.d.next = true;
        }
        self.word_returned_q.d.next = self.fill_valid_q.q.val();
        self.halt.next = self.halted.q.val();
        self.fill_valid.next = self.fill_valid_q.q.val();
        self.word_returned.next = self.word_returned_q.q.val();

        if self.response.valid.val() {
            self.word.d.next.expected = bit_cast::<20, 64>(self.response.payload.val().data >> 1);
            self.word.d.next.tx = bit_cast::<21, 64>(self.response.payload.val().data >> 21);
            self.word.d.next.spent = self.response.payload.val().data.get_bit(42);
            self.word.d.next.pending = bit_cast::<20, 64>(self.response.payload.val().data >> 43);
            self.word.d.next.phase = self.response.payload.val().data.get_bit(63);
            self.layout_bit.d.next = self.response.payload.val().data.get_bit(0);
        }
        if !self.halted.q.val() & !self.fill_valid_q.q.val() {
            self.word.d.next = self.no_word.val();
            self.layout_bit.d.next = false;
        }
        self.fill.next = self.word.q.val();
        self.bad_layout.next = self.layout_bit.q.val();
    }
}
