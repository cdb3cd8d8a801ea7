// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The item queue: holds each item until it is done, starts the items in order, and starts them again after a restart.
//!
//! *Reads:* the item that is queued; whether the item in the decide stage is done, and whether its decision restarts the later
//! items; whether no item may start. *Writes:* how many items are queued; the item that is started: its cache entry in the same
//! cycle, the item itself one cycle later. *Latency:* 1 from the input of the queue to the start. Implements the queue and the restarts of
//! `docs/contract/mbarrier.md`.
//!
//! An item stays in the memory of the queue until it is done, so a restart only reads it again. The cache entries of the items
//! are in a separate memory, because the entry of an item is needed one cycle before the rest of the item. The entry of an item
//! that was queued in the previous cycle comes from the register `bypass`, because the memory does not output it yet.

use super::item::{Item, Lookup};
use super::payloads::{Queued, Start};
use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers of `XI`
/// bits, tick counts of `XL` bits, item queue addresses of `XQ` bits.
#[block]
pub struct ItemQueue<LW, LC, XW, XI, XL, XQ> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An item is queued.
    pub push: Signal<In, Bit>,
    /// The item that is queued.
    pub item: Signal<In, Item<LW, LC, XW, XL>>,
    /// Cache entry of the item that is queued.
    pub lookup: Signal<In, Lookup<XI>>,
    /// The item in the decide stage is done.
    pub done: Signal<In, Bit>,
    /// The decision restarts the items that were started after the decided item.
    pub restart: Signal<In, Bit>,
    /// An item waits for memory: no item is started.
    pub halt: Signal<In, Bit>,
    /// Number of items in the queue divided by W / 2, rounded down.
    pub fill_level: Signal<Out, Bits<3>>,
    /// The item that is started in this cycle.
    pub start: Signal<Out, Start<XI>>,
    /// The item in the sums stage, which was started in the previous cycle.
    pub sums_item: Signal<Out, Item<LW, LC, XW, XL>>,
    /// The items of the queue.
    items: Ram<Packed<Item<LW, LC, XW, XL>>, XQ>,
    /// The cache entries of the items.
    lookups: Ram<Packed<Queued<XI>>, XQ>,
    /// Address after the item that was queued last.
    #[reset]
    tail_address: DFF<Bits<XQ>>,
    /// Address of the oldest item that is not done.
    #[reset]
    head_address: DFF<Bits<XQ>>,
    /// Address of the next item to start.
    #[reset]
    start_address: DFF<Bits<XQ>>,
    /// Cache entry of the item that was queued in the previous cycle.
    bypass: DFF<Queued<XI>>,
    /// The item that was queued in the previous cycle is the next to start.
    use_bypass: DFF<Bit>,
    /// The decision of the previous cycle restarted the later items.
    #[reset]
    restarted: DFF<Bit>,
    /// An item was started in the previous cycle.
    #[reset]
    sums_valid: DFF<Bit>,
    /// Cache entry of the item started in the previous cycle.
    sums_entry: DFF<Bits<XI>>,
    /// Cache entry of the item that was queued last.
    last_entry: DFF<Bits<XI>>,
    /// Cache entry of the item that was queued directly before the last item.
    second_last_entry: DFF<Bits<XI>>,
    /// The word that is written to `lookups`.
    pushed_lookup: Signal<Local, Queued<XI>>,
    /// Number of items in the queue.
    item_count: Signal<Local, Bits<XQ>>,
    #[init(Constant::new((LW as u64 - 1).into()))]
    half_bits: Constant<Bits<4>>,
    /// An item is started.
    starts: Signal<Local, Bit>,
    /// Address of the item to start in the next cycle.
    next_start_address: Signal<Local, Bits<XQ>>,
    /// Cache entry of the item to start, from `lookups` or from `bypass`.
    start_lookup: Signal<Local, Queued<XI>>,
}

#[block]
impl Logic for ItemQueue {
    fn update(&mut self) {
        self.starts.next =
            !self.restarted.q.val() & !self.halt.val() & (self.start_address.q.val() != self.tail_address.q.val());
        self.next_start_address.next = self.start_address.q.val();
        if self.starts.val() {
            self.next_start_address.next = self.start_address.q.val() + 1;
        }
        if self.restarted.q.val() {
            self.next_start_address.next = self.head_address.q.val();
        }
        self.start_address.d.next = self.next_start_address.val();
        if self.push.val() {
            self.tail_address.d.next = self.tail_address.q.val() + 1;
        }
        if self.done.val() {
            self.head_address.d.next = self.head_address.q.val() + 1;
        }
        self.item_count.next = self.tail_address.q.val() - self.head_address.q.val();
        self.fill_level.next = bit_cast::<3, XQ>(self.item_count.val() >> self.half_bits.val());
        self.restarted.d.next = self.restart.val();

        self.items.write.next = self.push.val();
        self.items.write_address.next = self.tail_address.q.val();
        self.items.write_value.next = self.item.val().into();
        self.items.read.next = self.starts.val();
        self.items.read_address.next = self.start_address.q.val();
        self.sums_item.next = self.items.read_value.val().into();

        self.lookups.write.next = self.push.val();
        self.lookups.write_address.next = self.tail_address.q.val();
        // When an item is queued, its entry is compared with the entries of the two preceding items. A comparison after the
        // memory would be too late in the cycle.
        self.pushed_lookup.next.lookup = self.lookup.val();
        self.pushed_lookup.next.same_as_last = self.lookup.val().entry == self.last_entry.q.val();
        self.pushed_lookup.next.same_as_second_last = self.lookup.val().entry == self.second_last_entry.q.val();
        if self.push.val() {
            self.last_entry.d.next = self.lookup.val().entry;
            self.second_last_entry.d.next = self.last_entry.q.val();
        }
        self.lookups.write_value.next = self.pushed_lookup.val().into();
        self.lookups.read.next = true;
        self.lookups.read_address.next = self.next_start_address.val();
        self.bypass.d.next = self.pushed_lookup.val();
        self.use_bypass.d.next = self.push.val() & (self.next_start_address.val() == self.tail_address.q.val());
        self.start_lookup.next = self.lookups.read_value.val().into();
        if self.use_bypass.q.val() {
            self.start_lookup.next = self.bypass.q.val();
        }

        self.sums_valid.d.next = self.starts.val();
        self.sums_entry.d.next = self.start_lookup.val().lookup.entry;
        self.start.next.valid = self.starts.val();
        self.start.next.queued = self.start_lookup.val();
        self.start.next.sums_valid = self.sums_valid.q.val() & !self.restarted.q.val();
        self.start.next.sums_entry = self.sums_entry.q.val();
        self.start.next.restarted = self.restarted.q.val();
    }
}
