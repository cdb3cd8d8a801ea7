// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cache of objects, and what an item finds there one cycle after it was started.
//!
//! *Reads:* what is started, the entry as the item that is decided leaves it, the word that has come from memory, what is written. *Writes:*
//! the item's entry. *Latency:* 1. Implements the entries of `docs/mbarrier.md`.
//!
//! An entry is written two cycles after it is read, so what the two items before make of it is taken from them: of the nearer one as it is
//! decided, of the farther one from a register. All sources are or-ed; each is 0 unless it is the one, so that the memory, which comes late,
//! passes one gate.

use super::decide::Left;
use super::flow::Start;
use super::item::{Entry, Word};
use crate::prelude::*;

#[block]
pub struct Cache<W, XI, XT> {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Start<XI>>,
    /// An Init does not start from an empty word this time.
    pub evicts: Signal<In, Bit>,
    /// The item that is started gets the word from memory; the word, 0 at other times.
    pub came: Signal<In, Bit>,
    pub fill: Signal<In, Word>,
    pub left: Signal<In, Left<W, XI, XT>>,
    pub writes: Signal<In, Bit>,
    pub written: Signal<In, Entry<W, XT>>,
    /// This entry is cleared after reset, by what is written.
    pub clears: Signal<In, Bit>,
    pub clear_entry: Signal<In, Bits<XI>>,
    pub found: Signal<Out, Entry<W, XT>>,
    ram: Ram<Packed<Entry<W, XT>>, XI>,
    /// Whether the item inside finds what the nearer one leaves; what the memory has; the same for the word.
    near: DFF<Bit>,
    stored: DFF<Bit>,
    near_word: DFF<Bit>,
    near_pending: DFF<Bit>,
    stored_word: DFF<Bit>,
    /// What the farther one has left, 0 if it is not that.
    far: DFF<Entry<W, XT>>,
    same_inside: Signal<Local, Bit>,
    same_left: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    read: Signal<Local, Entry<W, XT>>,
    first: Signal<Local, Entry<W, XT>>,
    second: Signal<Local, Entry<W, XT>>,
    nothing: Constant<Entry<W, XT>>,
    no_word: Constant<Word>,
}

#[block]
impl Logic for Cache<W, XI, XT> {
    fn update(&mut self) {
        // What is inside was started just before; what is decided is the one before that, or with nothing inside the one just before.
        self.same_inside.next = self.start.val().inside & self.start.val().queued.same_as_last;
        self.same_left.next = self.left.val().valid & self.start.val().queued.same_as_last;
        if self.start.val().inside {
            self.same_left.next = self.left.val().valid & self.start.val().queued.same_as_second;
        }
        self.empty.next = self.start.val().queued.place.init & !self.evicts.val();
        self.near.d.next = self.same_inside.val();
        self.stored.d.next = !self.same_inside.val() & !self.same_left.val();
        self.near_word.d.next = (self.same_inside.val() & !self.empty.val()) | self.came.val();
        self.stored_word.d.next = !self.same_inside.val() & !self.same_left.val() & !self.empty.val() & !self.came.val();
        self.far.d.next = self.left.val().kept;
        // Each part is cleared by one signal, so that the registers do it.
        if self.same_inside.val() | !self.same_left.val() {
            self.far.d.next.live = false;
            self.far.d.next.dirty = false;
            self.far.d.next.tag = 0.into();
            self.far.d.next.waiting = 0.into();
        }
        if self.same_inside.val() | !self.same_left.val() | self.empty.val() {
            self.far.d.next.word = self.no_word.val();
        }
        // Arrivals pending pass no other gate than this, as what the nearer item makes of them comes last of all.
        self.far.d.next.word.pending = self.written.val().word.pending;
        if (self.same_inside.val() | !self.same_left.val() | self.empty.val()) & !self.came.val() {
            self.far.d.next.word.pending = 0.into();
        }
        self.near_pending.d.next = self.same_inside.val() & !self.empty.val();

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
        if self.near.q.val() {
            self.first.next = self.left.val().kept;
        }
        self.first.next.word = self.no_word.val();
        if self.near_word.q.val() {
            self.first.next.word.expected = self.left.val().kept.word.expected | self.fill.val().expected;
            self.first.next.word.tx = self.left.val().kept.word.tx | self.fill.val().tx;
            self.first.next.word.spent = self.left.val().kept.word.spent | self.fill.val().spent;
            self.first.next.word.phase = self.left.val().kept.word.phase | self.fill.val().phase;
        }
        if self.near_pending.q.val() {
            self.first.next.word.pending = self.left.val().kept.word.pending;
        }
        self.second.next = self.nothing.val();
        if self.stored.q.val() {
            self.second.next = self.read.val();
        }
        self.second.next.word = self.no_word.val();
        if self.stored_word.q.val() {
            self.second.next.word = self.read.val().word;
        }
        self.found.next.live = self.first.val().live | self.far.q.val().live | self.second.val().live;
        self.found.next.dirty = self.first.val().dirty | self.far.q.val().dirty | self.second.val().dirty;
        self.found.next.tag = self.first.val().tag | self.far.q.val().tag | self.second.val().tag;
        self.found.next.waiting = self.first.val().waiting | self.far.q.val().waiting | self.second.val().waiting;
        self.found.next.word.expected =
            self.first.val().word.expected | self.far.q.val().word.expected | self.second.val().word.expected;
        self.found.next.word.tx = self.first.val().word.tx | self.far.q.val().word.tx | self.second.val().word.tx;
        self.found.next.word.spent = self.first.val().word.spent | self.far.q.val().word.spent | self.second.val().word.spent;
        self.found.next.word.pending =
            self.first.val().word.pending | self.far.q.val().word.pending | self.second.val().word.pending;
        self.found.next.word.phase = self.first.val().word.phase | self.far.q.val().word.phase | self.second.val().word.phase;
    }
}
