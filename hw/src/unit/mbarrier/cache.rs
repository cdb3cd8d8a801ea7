// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cache of mbarrier objects: reads the entry of each item that is started. If one of the two preceding items uses the same entry, the
//! result of that item is forwarded.
//!
//! *Reads:* the item that is started; the entry as the item in the decide stage leaves it; the word that memory has returned; the
//! entry that is written. *Writes:* the entry of the item in the sums stage. *Latency:* 1. Implements *Entries* of
//! `docs/contract/mbarrier.md`.
//!
//! An entry is written two cycles after it is read, so when an item is started, the results of the two items before it may not
//! be in the RAM. The result of the item that is in the sums stage at that time is forwarded one cycle later, when it is
//! decided. The result of the item that is in the decide stage at that time comes from the register `fwd_previous`. The sources
//! are ORed, and a source that is not selected is 0: thus the RAM output, which arrives late in the cycle, passes only one
//! gate.

use super::item::{Entry, Word};
use super::payloads::{Decided, Start};
use crate::prelude::*;

/// Sizes: `W` warps, cache entry numbers of `XI` bits, cache tags of `XT` bits.
#[block]
pub struct Cache<W, XI, XT> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The item that is started: its entry, and whether the two items queued before it use the same entry.
    pub start: Signal<In, Start<XI>>,
    /// 1: an Init must first evict the object in its entry, so the Init that is started reads the entry. 0: an Init starts from an empty
    /// word.
    pub evicts: Signal<In, Bit>,
    /// The item that is started takes its word from memory (`fill`).
    pub fill_valid: Signal<In, Bit>,
    /// The word from memory; 0 while no item waits for a word or takes one.
    pub fill: Signal<In, Word>,
    /// The entry as the item in the decide stage leaves it.
    pub decided: Signal<In, Decided<W, XI, XT>>,
    /// The entry of the item in the decide stage is written.
    pub writes: Signal<In, Bit>,
    /// The entry as it is written to the RAM.
    pub written_data: Signal<In, Entry<W, XT>>,
    /// After reset: the entry `clear_entry` is written with `written_data`, which is then a free entry.
    pub clears: Signal<In, Bit>,
    /// Entry to clear after reset.
    pub clear_entry: Signal<In, Bits<XI>>,
    /// The entry that the item in the sums stage has read.
    pub sums_entry_data: Signal<Out, Entry<W, XT>>,
    /// The entries of the cache, one in each word.
    ram: Ram<Packed<Entry<W, XT>>, XI>,
    /// The item in the sums stage takes its entry from the item in the decide stage.
    fwd_decided: DFF<Bit>,
    /// The item in the sums stage takes its entry from the RAM.
    from_ram: DFF<Bit>,
    /// The item in the sums stage takes the fields of its word except `pending` from the item in the decide stage or from memory; the
    /// source that it does not take is 0.
    fwd_decided_word: DFF<Bit>,
    /// The item in the sums stage takes `pending` from the item in the decide stage.
    fwd_decided_pending: DFF<Bit>,
    /// The item in the sums stage takes its word from the RAM.
    word_from_ram: DFF<Bit>,
    /// The entry after the item that was decided in the previous cycle; 0 if the item in the sums stage does not take it. If
    /// the item in the sums stage takes its word from memory, the field `pending` comes from the word from memory.
    fwd_previous: DFF<Entry<W, XT>>,
    /// The item that is started uses the entry of the item in the sums stage.
    same_as_sums: Signal<Local, Bit>,
    /// The item that is started uses the entry of the item in the decide stage.
    same_as_decided: Signal<Local, Bit>,
    /// The item that is started is an Init that starts from an empty word.
    starts_empty: Signal<Local, Bit>,
    /// The entry at the RAM output.
    ram_data: Signal<Local, Entry<W, XT>>,
    /// The entry as taken from the item in the decide stage or from memory; fields that are not taken are 0.
    bypass_part: Signal<Local, Entry<W, XT>>,
    /// The entry as taken from the RAM; fields that are not taken are 0.
    ram_part: Signal<Local, Entry<W, XT>>,
    no_entry: Constant<Entry<W, XT>>,
    no_word: Constant<Word>,
}

#[block]
impl Logic for Cache {
    fn update(&mut self) {
        // The item in the sums stage was queued directly before the item that is started. The item in the decide stage was
        // queued two items before the item that is started or, if the sums stage is empty, directly before it.
        self.same_as_sums.next = self.start.val().sums_valid & self.start.val().queued.same_as_last;
        self.same_as_decided.next = self.decided.val().valid & self.start.val().queued.same_as_last;
        if self.start.val().sums_valid {
            self.same_as_decided.next = self.decided.val().valid & self.start.val().queued.same_as_second_last;
        }
        self.starts_empty.next = self.start.val().queued.lookup.init & !self.evicts.val();
        self.fwd_decided.d.next = self.same_as_sums.val();
        self.from_ram.d.next = !self.same_as_sums.val() & !self.same_as_decided.val();
        self.fwd_decided_word.d.next = (self.same_as_sums.val() & !self.starts_empty.val()) | self.fill_valid.val();
        self.word_from_ram.d.next =
            !self.same_as_sums.val() & !self.same_as_decided.val() & !self.starts_empty.val() & !self.fill_valid.val();
        self.fwd_previous.d.next = self.decided.val().entry_data;
        // Each part is cleared by one condition, which becomes the synchronous reset of its flip-flops.
        if self.same_as_sums.val() | !self.same_as_decided.val() {
            self.fwd_previous.d.next.live = false;
            self.fwd_previous.d.next.dirty = false;
            self.fwd_previous.d.next.tag = 0.into();
            self.fwd_previous.d.next.waiting = 0.into();
        }
        if self.same_as_sums.val() | !self.same_as_decided.val() | self.starts_empty.val() {
            self.fwd_previous.d.next.word = self.no_word.val();
        }
        // Of all signals from the decide stage, `pending` arrives last in the cycle, so it passes only this gate.
        self.fwd_previous.d.next.word.pending = self.written_data.val().word.pending;
        if (self.same_as_sums.val() | !self.same_as_decided.val() | self.starts_empty.val()) & !self.fill_valid.val() {
            self.fwd_previous.d.next.word.pending = 0.into();
        }
        self.fwd_decided_pending.d.next = self.same_as_sums.val() & !self.starts_empty.val();

        self.ram.read.next = true;
        self.ram.read_address.next = self.start.val().queued.lookup.entry;
        self.ram.write.next = self.writes.val() | self.clears.val();
        self.ram.write_address.next = self.decided.val().entry;
        self.ram.write_value.next = self.written_data.val().into();
        if self.clears.val() {
            self.ram.write_address.next = self.clear_entry.val();
        }

        self.ram_data.next = self.ram.read_value.val().into();
        self.bypass_part.next = self.no_entry.val();
        if self.fwd_decided.q.val() {
            self.bypass_part.next = self.decided.val().entry_data;
        }
        self.bypass_part.next.word = self.no_word.val();
        if self.fwd_decided_word.q.val() {
            self.bypass_part.next.word.expected = self.decided.val().entry_data.word.expected | self.fill.val().expected;
            self.bypass_part.next.word.tx = self.decided.val().entry_data.word.tx | self.fill.val().tx;
            self.bypass_part.next.word.spent = self.decided.val().entry_data.word.spent | self.fill.val().spent;
            self.bypass_part.next.word.phase = self.decided.val().entry_data.word.phase | self.fill.val().phase;
        }
        if self.fwd_decided_pending.q.val() {
            self.bypass_part.next.word.pending = self.decided.val().entry_data.word.pending;
        }
        self.ram_part.next = self.no_entry.val();
        if self.from_ram.q.val() {
            self.ram_part.next = self.ram_data.val();
        }
        self.ram_part.next.word = self.no_word.val();
        if self.word_from_ram.q.val() {
            self.ram_part.next.word = self.ram_data.val().word;
        }
        self.sums_entry_data.next.live =
            self.bypass_part.val().live | self.fwd_previous.q.val().live | self.ram_part.val().live;
        self.sums_entry_data.next.dirty =
            self.bypass_part.val().dirty | self.fwd_previous.q.val().dirty | self.ram_part.val().dirty;
        self.sums_entry_data.next.tag = self.bypass_part.val().tag | self.fwd_previous.q.val().tag | self.ram_part.val().tag;
        self.sums_entry_data.next.waiting =
            self.bypass_part.val().waiting | self.fwd_previous.q.val().waiting | self.ram_part.val().waiting;
        self.sums_entry_data.next.word.expected =
            self.bypass_part.val().word.expected | self.fwd_previous.q.val().word.expected | self.ram_part.val().word.expected;
        self.sums_entry_data.next.word.tx =
            self.bypass_part.val().word.tx | self.fwd_previous.q.val().word.tx | self.ram_part.val().word.tx;
        self.sums_entry_data.next.word.spent =
            self.bypass_part.val().word.spent | self.fwd_previous.q.val().word.spent | self.ram_part.val().word.spent;
        self.sums_entry_data.next.word.pending =
            self.bypass_part.val().word.pending | self.fwd_previous.q.val().word.pending | self.ram_part.val().word.pending;
        self.sums_entry_data.next.word.phase =
            self.bypass_part.val().word.phase | self.fwd_previous.q.val().word.phase | self.ram_part.val().word.phase;
    }
}
