// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The item queue: which of its items is started, which are done, and which are started again after a restart.
//!
//! *Reads:* the item that is queued; whether the item in the decide stage is done, and whether its decision restarts; whether no item
//! may start. *Writes:* how many items are queued; the item that is started: its cache entry in the same cycle, the item itself
//! one cycle later. *Latency:* 1 from the input of the queue to the start. Implements the queue and the restarts of
//! `docs/contract/mbarrier.md`.
//!
//! An item stays in the memory of the queue until it is done, so a restart only reads it again. There are two memories, because
//! the entry of an item is needed a cycle before the rest. The entry of an item that was queued in the cycle before comes from a
//! register, because the memory does not output it yet.

use super::item::{Item, Place};
use crate::prelude::*;

/// An item in the queue: its cache entry, and whether items before it have the same entry.
#[payload]
pub struct Queued<XI> {
    /// Cache entry of the item.
    pub place: Place<XI>,
    /// The item queued just before it has the same entry.
    pub same_as_last: Bit,
    /// The item queued before that one has the same entry.
    pub same_as_second: Bit,
}

/// The item that is started, as the cache needs it.
#[payload]
pub struct Start<XI> {
    /// An item is started.
    pub valid: Bit,
    /// Cache entry of the item, and whether items before it have the same entry.
    pub queued: Queued<XI>,
    /// An item is in the sums stage: it was started in the cycle before.
    pub inside: Bit,
    /// Cache entry of the item in the sums stage.
    pub inside_entry: Bits<XI>,
    /// The decision of the cycle before restarts: items started after the decided one are void, and none is started now.
    pub restarted: Bit,
}

#[block]
pub struct ItemQueue<LW, LC, XW, XI, XL, XQ> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An item is queued.
    pub push: Signal<In, Bit>,
    /// The item that is queued.
    pub item: Signal<In, Item<LW, LC, XW, XL>>,
    /// Cache entry of the item that is queued.
    pub place: Signal<In, Place<XI>>,
    /// The item in the decide stage is done.
    pub done: Signal<In, Bit>,
    /// The decision restarts the items started after the decided one.
    pub restart: Signal<In, Bit>,
    /// An item waits for memory: no item is started.
    pub halt: Signal<In, Bit>,
    /// Items in the queue, in units of W / 2.
    pub used: Signal<Out, Bits<3>>,
    /// The item that is started.
    pub start: Signal<Out, Start<XI>>,
    /// The item in the sums stage.
    pub inside: Signal<Out, Item<LW, LC, XW, XL>>,
    /// The items of the queue.
    items: Ram<Packed<Item<LW, LC, XW, XL>>, XQ>,
    /// The cache entries of the items.
    places: Ram<Packed<Queued<XI>>, XQ>,
    /// Address after the newest item.
    #[reset]
    last: DFF<Bits<XQ>>,
    /// Address of the oldest item that is not done.
    #[reset]
    oldest: DFF<Bits<XQ>>,
    /// Address of the next item to start.
    #[reset]
    next_start: DFF<Bits<XQ>>,
    /// Cache entry of the item that was queued in the cycle before.
    bypass: DFF<Queued<XI>>,
    /// The item that was queued in the cycle before is the next to start.
    use_bypass: DFF<Bit>,
    /// The decision of the cycle before restarts.
    #[reset]
    restarted: DFF<Bit>,
    /// An item was started in the cycle before.
    #[reset]
    inside_valid: DFF<Bit>,
    /// Cache entry of the item started in the cycle before.
    inside_entry: DFF<Bits<XI>>,
    /// Entry of the item queued last.
    last_entry: DFF<Bits<XI>>,
    /// Entry of the item queued before that.
    second_entry: DFF<Bits<XI>>,
    /// The word that is written to `places`.
    pushed: Signal<Local, Queued<XI>>,
    /// Items in the queue.
    count: Signal<Local, Bits<XQ>>,
    #[init(Constant::new((LW as u64 - 1).into()))]
    half_bits: Constant<Bits<4>>,
    /// An item is started.
    starts: Signal<Local, Bit>,
    /// Address of the item to start in the next cycle.
    after: Signal<Local, Bits<XQ>>,
    /// Cache entry of the item to start, from `places` or from `bypass`.
    found: Signal<Local, Queued<XI>>,
}

#[block]
impl Logic for ItemQueue<LW, LC, XW, XI, XL, XQ> {
    fn update(&mut self) {
        self.starts.next = !self.restarted.q.val() & !self.halt.val() & (self.next_start.q.val() != self.last.q.val());
        self.after.next = self.next_start.q.val();
        if self.starts.val() {
            self.after.next = self.next_start.q.val() + 1;
        }
        if self.restarted.q.val() {
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
        self.restarted.d.next = self.restart.val();

        self.items.write.next = self.push.val();
        self.items.write_address.next = self.last.q.val();
        self.items.write_value.next = self.item.val().into();
        self.items.read.next = self.starts.val();
        self.items.read_address.next = self.next_start.q.val();
        self.inside.next = self.items.read_value.val().into();

        self.places.write.next = self.push.val();
        self.places.write_address.next = self.last.q.val();
        // Whether the items before it have the same entry is computed before the memory, because after the memory it would be late.
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
        self.bypass.d.next = self.pushed.val();
        self.use_bypass.d.next = self.push.val() & (self.after.val() == self.last.q.val());
        self.found.next = self.places.read_value.val().into();
        if self.use_bypass.q.val() {
            self.found.next = self.bypass.q.val();
        }

        self.inside_valid.d.next = self.starts.val();
        self.inside_entry.d.next = self.found.val().place.entry;
        self.start.next.valid = self.starts.val();
        self.start.next.queued = self.found.val();
        self.start.next.inside = self.inside_valid.q.val() & !self.restarted.q.val();
        self.start.next.inside_entry = self.inside_entry.q.val();
        self.start.next.restarted = self.restarted.q.val();
    }
}
