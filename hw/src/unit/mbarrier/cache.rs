// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cache of mbarrier objects: reads the entry of each item that is started, and forwards the results of the two items before
//! it for that entry.
//!
//! *Reads:* the item that is started; the entry as the item in the decide stage leaves it; the word that memory has returned; the
//! entry that is written. *Writes:* the entry of the item in the sums stage. *Latency:* 1. Implements *Entries* of
//! `docs/contract/mbarrier.md`.
//!
//! An entry is written two cycles after it is read, so two results are forwarded: that of the nearer item (in the sums stage when
//! this one starts) as it is decided, that of the farther item (in the decide stage when this one starts) from the register
//! `fwd_previous`. All sources are ORed, and each is 0 unless it is selected, so that the RAM output, which arrives late in the
//! cycle, passes only one gate.

use super::decide::Left;
use super::item::{Entry, Word};
use super::item_queue::Start;
use crate::prelude::*;

#[block]
pub struct Cache<W, XI, XT> {
    pub clock: Signal<In, Clock>,
    /// The item that is started: its entry, and which items before it use the same entry.
    pub start: Signal<In, Start<XI>>,
    /// An Init first evicts the entry's object, so it does not start from an empty word this time.
    pub evicts: Signal<In, Bit>,
    /// The item that is started takes its word from memory (`fill`).
    pub fill_valid: Signal<In, Bit>,
    /// The word from memory; 0 at other times.
    pub fill: Signal<In, Word>,
    /// The entry as the item in the decide stage leaves it.
    pub left: Signal<In, Left<W, XI, XT>>,
    /// The entry of the item in the decide stage is written.
    pub writes: Signal<In, Bit>,
    /// The entry as it is written.
    pub written: Signal<In, Entry<W, XT>>,
    /// After reset: `clear_entry` is cleared (`written` is then a free entry).
    pub clears: Signal<In, Bit>,
    /// Entry to clear after reset.
    pub clear_entry: Signal<In, Bits<XI>>,
    /// The entry that the item in the sums stage has read.
    pub found: Signal<Out, Entry<W, XT>>,
    /// One word per entry.
    ram: Ram<Packed<Entry<W, XT>>, XI>,
    /// The item in the sums stage takes its entry from the item in the decide stage.
    fwd_decided: DFF<Bit>,
    /// The item in the sums stage takes its entry from the RAM.
    from_ram: DFF<Bit>,
    /// The item in the sums stage takes its word, but for `pending`, from the item in the decide stage or from memory (the other is 0).
    fwd_decided_word: DFF<Bit>,
    /// The item in the sums stage takes `pending` from the item in the decide stage.
    fwd_decided_pending: DFF<Bit>,
    /// The item in the sums stage takes its word from the RAM.
    word_from_ram: DFF<Bit>,
    /// The entry as left by the item decided in the cycle before, if it was the same entry, else 0; also `pending` of a word from memory.
    fwd_previous: DFF<Entry<W, XT>>,
    /// The item that is started uses the entry of the item in the sums stage.
    same_inside: Signal<Local, Bit>,
    /// The item that is started uses the entry of the item in the decide stage.
    same_left: Signal<Local, Bit>,
    /// The item that is started is an Init that starts from an empty word.
    empty: Signal<Local, Bit>,
    /// The entry at the RAM output.
    read: Signal<Local, Entry<W, XT>>,
    /// The part of the entry from the item in the decide stage, and from memory.
    first: Signal<Local, Entry<W, XT>>,
    /// The part of the entry from the RAM.
    second: Signal<Local, Entry<W, XT>>,
    nothing: Constant<Entry<W, XT>>,
    no_word: Constant<Word>,
}

#[block]
impl Logic for Cache<W, XI, XT> {
    fn update(&mut self) {
        // The item in the sums stage was queued just before the one that is started. The item in the decide stage was queued
        // before that, or, with the sums stage empty, just before the one that is started.
        self.same_inside.next = self.start.val().inside & self.start.val().queued.same_as_last;
        self.same_left.next = self.left.val().valid & self.start.val().queued.same_as_last;
        if self.start.val().inside {
            self.same_left.next = self.left.val().valid & self.start.val().queued.same_as_second;
        }
        self.empty.next = self.start.val().queued.place.init & !self.evicts.val();
        self.fwd_decided.d.next = self.same_inside.val();
        self.from_ram.d.next = !self.same_inside.val() & !self.same_left.val();
        self.fwd_decided_word.d.next = (self.same_inside.val() & !self.empty.val()) | self.fill_valid.val();
        self.word_from_ram.d.next =
            !self.same_inside.val() & !self.same_left.val() & !self.empty.val() & !self.fill_valid.val();
        self.fwd_previous.d.next = self.left.val().kept;
        // Each part is cleared by one condition, so that it becomes the synchronous reset of the flip-flops.
        if self.same_inside.val() | !self.same_left.val() {
            self.fwd_previous.d.next.live = false;
            self.fwd_previous.d.next.dirty = false;
            self.fwd_previous.d.next.tag = 0.into();
            self.fwd_previous.d.next.waiting = 0.into();
        }
        if self.same_inside.val() | !self.same_left.val() | self.empty.val() {
            self.fwd_previous.d.next.word = self.no_word.val();
        }
        // `pending` passes no gate but this one: it is the latest signal from the item in the decide stage.
        self.fwd_previous.d.next.word.pending = self.written.val().word.pending;
        if (self.same_inside.val() | !self.same_left.val() | self.empty.val()) & !self.fill_valid.val() {
            self.fwd_previous.d.next.word.pending = 0.into();
        }
        self.fwd_decided_pending.d.next = self.same_inside.val() & !self.empty.val();

        self.ram.read.next = true;
        self.ram.read_address.next = self.start.val().queued.place.entry;
        self.ram.write.next = self.writes.val() | self.clears.val();
        self.ram.write_address.next = self.left.val().entry;
        self.ram.write_value.next = self.written.val().into();
        if self.clears.val() {
            self.ram.write_address.next = self.clear_entry.val();
        }

        self.read.next = self.ram.read_value.val().into();
        self.first.next = self.nothing.val();
        if self.fwd_decided.q.val() {
            self.first.next = self.left.val().kept;
        }
        self.first.next.word = self.no_word.val();
        if self.fwd_decided_word.q.val() {
            self.first.next.word.expected = self.left.val().kept.word.expected | self.fill.val().expected;
            self.first.next.word.tx = self.left.val().kept.word.tx | self.fill.val().tx;
            self.first.next.word.spent = self.left.val().kept.word.spent | self.fill.val().spent;
            self.first.next.word.phase = self.left.val().kept.word.phase | self.fill.val().phase;
        }
        if self.fwd_decided_pending.q.val() {
            self.first.next.word.pending = self.left.val().kept.word.pending;
        }
        self.second.next = self.nothing.val();
        if self.from_ram.q.val() {
            self.second.next = self.read.val();
        }
        self.second.next.word = self.no_word.val();
        if self.word_from_ram.q.val() {
            self.second.next.word = self.read.val().word;
        }
        self.found.next.live = self.first.val().live | self.fwd_previous.q.val().live | self.second.val().live;
        self.found.next.dirty = self.first.val().dirty | self.fwd_previous.q.val().dirty | self.second.val().dirty;
        self.found.next.tag = self.first.val().tag | self.fwd_previous.q.val().tag | self.second.val().tag;
        self.found.next.waiting = self.first.val().waiting | self.fwd_previous.q.val().waiting | self.second.val().waiting;
        self.found.next.word.expected =
            self.first.val().word.expected | self.fwd_previous.q.val().word.expected | self.second.val().word.expected;
        self.found.next.word.tx = self.first.val().word.tx | self.fwd_previous.q.val().word.tx | self.second.val().word.tx;
        self.found.next.word.spent =
            self.first.val().word.spent | self.fwd_previous.q.val().word.spent | self.second.val().word.spent;
        self.found.next.word.pending =
            self.first.val().word.pending | self.fwd_previous.q.val().word.pending | self.second.val().word.pending;
        self.found.next.word.phase =
            self.first.val().word.phase | self.fwd_previous.q.val().word.phase | self.second.val().word.phase;
    }
}
