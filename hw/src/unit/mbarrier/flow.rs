// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue, and which of its items are started, decided, or started again.
//!
//! *Reads:* what goes in; whether the item that is decided is done and whether the decision restarts; whether nothing may start. *Writes:* how
//! many items there are; the item that is started, in the same cycle its entry (latency 1 from what goes in), one cycle later itself.
//! *Latency:* 1. Implements the queue and the restarts of `docs/mbarrier.md`.
//!
//! An item stays in the queue's memory until it is done, so to start again is to read again. Two memories, because the entry must be known a
//! cycle before the rest; what has just gone in is read from a register, as the memory does not yet have it.

use super::item::{Item, Place};
use crate::prelude::*;

/// The place of an item in the queue.
#[payload]
pub struct Queued<XI> {
    pub place: Place<XI>,
    /// Its entry is that of the item just before it, and of the one before that.
    pub same_as_last: Bit,
    pub same_as_second: Bit,
}

/// What is started.
#[payload]
pub struct Start<XI> {
    pub valid: Bit,
    pub queued: Queued<XI>,
    /// What is one cycle inside, and its entry.
    pub inside: Bit,
    pub inside_entry: Bits<XI>,
    /// What was started after a decision that restarts is void.
    pub stopped: Bit,
}

#[block]
pub struct Flow<LW, LC, XW, XI, XL, XQ> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub item: Signal<In, Item<LW, LC, XW, XL>>,
    pub place: Signal<In, Place<XI>>,
    pub done: Signal<In, Bit>,
    pub restart: Signal<In, Bit>,
    /// Memory has not answered.
    pub halt: Signal<In, Bit>,
    /// How many times W / 2 items there are.
    pub used: Signal<Out, Bits<3>>,
    pub start: Signal<Out, Start<XI>>,
    /// What is one cycle inside.
    pub inside: Signal<Out, Item<LW, LC, XW, XL>>,
    items: Ram<Packed<Item<LW, LC, XW, XL>>, XQ>,
    places: Ram<Packed<Queued<XI>>, XQ>,
    /// Behind the last item; the oldest that is not done; the next to start.
    #[reset]
    last: DFF<Bits<XQ>>,
    #[reset]
    oldest: DFF<Bits<XQ>>,
    #[reset]
    next_start: DFF<Bits<XQ>>,
    fresh: DFF<Queued<XI>>,
    is_fresh: DFF<Bit>,
    #[reset]
    stopped: DFF<Bit>,
    #[reset]
    inside_valid: DFF<Bit>,
    inside_entry: DFF<Bits<XI>>,
    last_entry: DFF<Bits<XI>>,
    second_entry: DFF<Bits<XI>>,
    pushed: Signal<Local, Queued<XI>>,
    count: Signal<Local, Bits<XQ>>,
    #[init(Constant::new((LW as u64 - 1).into()))]
    half_bits: Constant<Bits<4>>,
    starts: Signal<Local, Bit>,
    after: Signal<Local, Bits<XQ>>,
    found: Signal<Local, Queued<XI>>,
}

#[block]
impl Logic for Flow<LW, LC, XW, XI, XL, XQ> {
    fn update(&mut self) {
        self.starts.next = !self.stopped.q.val() & !self.halt.val() & (self.next_start.q.val() != self.last.q.val());
        self.after.next = self.next_start.q.val();
        if self.starts.val() {
            self.after.next = self.next_start.q.val() + 1;
        }
        if self.stopped.q.val() {
            self.after.next = self.oldest.q.val();
        }
        self.next_start.d.next = self.after.val();
        if self.push.val() {
            self.last.d.next = self.last.q.val() + 1;
        }
        if self.done.val() {
            self.oldest.d.next = self.oldest.q.val() + 1;
        }
        self.count.next = self.last.q.val() - self.oldest.q.val();
        self.used.next = bit_cast::<3, XQ>(self.count.val() >> self.half_bits.val());
        self.stopped.d.next = self.restart.val();

        self.items.write.next = self.push.val();
        self.items.write_address.next = self.last.q.val();
        self.items.write_value.next = self.item.val().into();
        self.items.read.next = self.starts.val();
        self.items.read_address.next = self.next_start.q.val();
        self.inside.next = self.items.read_value.val().into();

        self.places.write.next = self.push.val();
        self.places.write_address.next = self.last.q.val();
        // Which items before it look at the same entry is known here already, as behind the memory it would be known late.
        self.pushed.next.place = self.place.val();
        self.pushed.next.same_as_last = self.place.val().entry == self.last_entry.q.val();
        self.pushed.next.same_as_second = self.place.val().entry == self.second_entry.q.val();
        if self.push.val() {
            self.last_entry.d.next = self.place.val().entry;
            self.second_entry.d.next = self.last_entry.q.val();
        }
        self.places.write_value.next = self.pushed.val().into();
        self.places.read.next = true;
        self.places.read_address.next = self.after.val();
        self.fresh.d.next = self.pushed.val();
        self.is_fresh.d.next = self.push.val() & (self.after.val() == self.last.q.val());
        self.found.next = self.places.read_value.val().into();
        if self.is_fresh.q.val() {
            self.found.next = self.fresh.q.val();
        }

        self.inside_valid.d.next = self.starts.val();
        self.inside_entry.d.next = self.found.val().place.entry;
        self.start.next.valid = self.starts.val();
        self.start.next.queued = self.found.val();
        self.start.next.inside = self.inside_valid.q.val() & !self.stopped.q.val();
        self.start.next.inside_entry = self.inside_entry.q.val();
        self.start.next.stopped = self.stopped.q.val();
    }
}
